package protocol_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The instants of the ordinary tests, in the order in which things happen.
var (
	seededAt  = time.Date(2026, 6, 29, 8, 0, 0, 0, time.UTC)
	flippedAt = time.Date(2026, 6, 30, 11, 58, 30, 250e6, time.UTC)
	claimedAt = time.Date(2026, 6, 30, 12, 0, 0, 125e6, time.UTC)
	readAt    = time.Date(2026, 6, 30, 12, 0, 1, 500e6, time.UTC)
	retryAt   = time.Date(2026, 6, 30, 12, 5, 0, 0, time.UTC)
)

const (
	claimedAtText = "2026-06-30T12:00:00.125Z"
	claimedAtMS   = 1782820800125
	leaseUntilMS  = claimedAtMS + 120_000
	readAtText    = "2026-06-30T12:00:01.500Z"
	flippedAtText = "2026-06-30T11:58:30.250Z"
	retryAtMS     = 1782821100000
)

// with is an item with other attributes; an absent value removes one.
func with(item signal.Item, attrs signal.Item) signal.Item {
	item = maps.Clone(item)
	for name, v := range attrs {
		if !v.Exists() {
			delete(item, name)
			continue
		}
		item[name] = v
	}
	return item
}

// cleanItem is a clean signal that has been checked and flipped before, in a table
// that it shares with an application.
func cleanItem() signal.Item {
	return signal.Item{
		"pk":       signal.S("availabilitySignal::mockPark1::backcountryCamp::1::1"),
		"sk":       signal.S("2026-07-01"),
		"gsipk":    signal.S("cadenceBucket::5min"),
		"gsisk":    signal.S("clean"),
		"schema":   signal.S("availabilitySignal"),
		"globalId": signal.S("c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{
			"estimationMode": signal.S("exact"),
			"cadence":        signal.M(map[string]signal.Value{"minutes": signal.N(5)}),
		}),
		"expiry":        signal.S("2026-07-02T07:00:00.000Z"),
		"ttl":           signal.N(1782975600),
		"seededBy":      signal.S("terraform:range"),
		"value":         signal.S("37"),
		"lastUpdatedAt": signal.S("2026-06-30T10:00:00.000Z"),
		"rev":           signal.N(4),
		"claimedRev":    signal.N(4),
		"displayOrder":  signal.N(3), // the application's
	}
}

// dirtyItem is the same, flipped since.
func dirtyItem() signal.Item {
	return with(cleanItem(), signal.Item{
		"gsisk": signal.S("dirty"), "rev": signal.N(5), "dirtySince": signal.S(flippedAtText),
	})
}

// claimedItem is the same, claimed by the test's own check.
func claimedItem() signal.Item {
	return with(dirtyItem(), signal.Item{
		"claimedBy": signal.S("ours"), "claimedRev": signal.N(5), "leaseUntil": signal.N(leaseUntilMS),
	})
}

func key() signal.Key {
	return signal.Key{PK: "availabilitySignal::mockPark1::backcountryCamp::1::1", SK: "2026-07-01"}
}

// checkedBucket is the bucket that the test's checks run for.
func checkedBucket(shards int) signal.Bucket {
	return signal.Bucket{Format: 1, Name: "5min", Shards: shards, Checks: signal.DefaultChecks()}
}

func wantItem(t *testing.T, got, want signal.Item) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
}

// applied sends a write that must be applied.
func applied(t *testing.T, w protocol.Write, item signal.Item) signal.Item {
	t.Helper()
	next, ok := w.Apply(item)
	if !ok {
		t.Fatalf("%s was refused for %v", w.Op, item)
	}
	return next
}

// refused sends a write that must change nothing.
func refused(t *testing.T, w protocol.Write, item signal.Item) {
	t.Helper()
	next, ok := w.Apply(item)
	if ok {
		t.Errorf("%s was applied to %v", w.Op, item)
	}
	wantItem(t, next, item)
}
