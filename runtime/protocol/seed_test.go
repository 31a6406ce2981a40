package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const seededID = "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"

func tierSeeding() protocol.Seeding {
	s := seeding(seededID)
	s.Pattern = signal.Pattern{Mode: signal.Tiered, Cadence: signal.Cadence{Hours: 1}, Tiers: signal.DefaultTiers()[2:]}
	s.SeededBy = "stream"
	return s
}

// seededItem is the item that tierSeeding makes.
func seededItem() signal.Item {
	tier := func(id, label, bound string) signal.Value {
		return signal.M(map[string]signal.Value{
			"id": signal.S(id), "label": signal.S(label), "maxPercentage": signal.Decimal(bound),
		})
	}
	return signal.Item{
		"pk":       signal.S("availabilitySignal::mockPark1::backcountryCamp::1::1"),
		"sk":       signal.S("2026-07-01"),
		"gsipk":    signal.S("cadenceBucket::5min"),
		"gsisk":    signal.S("clean"),
		"schema":   signal.S("availabilitySignal"),
		"globalId": signal.S(seededID),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{
			"estimationMode": signal.S("tiered"),
			"cadence":        signal.M(map[string]signal.Value{"hours": signal.N(1)}),
			"tiers":          signal.L(tier("medium", "Medium", "0.75"), tier("high", "High", "1")),
		}),
		"expiry":   signal.S("2026-07-02T07:00:00.000Z"),
		"ttl":      signal.N(1782975600),
		"seededBy": signal.S("stream"),
		"rev":      signal.N(0),
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		seed func(*protocol.Seeding)
		want signal.Item
	}{
		{"clean, without a value", func(*protocol.Seeding) {}, signal.Item{}},
		{
			"dirty", func(s *protocol.Seeding) { s.Dirty = true },
			signal.Item{"gsisk": signal.S("dirty"), "dirtySince": signal.S("2026-06-29T08:00:00.000Z")},
		},
		{
			"dirty, with a value", func(s *protocol.Seeding) { s.Dirty, s.Value = true, "high" },
			signal.Item{"gsisk": signal.S("dirty"), "dirtySince": signal.S("2026-06-29T08:00:00.000Z"), "value": signal.S("high")},
		},
		{
			"clean, with a value, for those who ask for it", func(s *protocol.Seeding) { s.Value = "high" },
			signal.Item{"value": signal.S("high")},
		},
		{
			"expires within a second", func(s *protocol.Seeding) { s.Expiry = s.Expiry.Add(time.Millisecond) },
			signal.Item{"expiry": signal.S("2026-07-02T07:00:00.001Z"), "ttl": signal.N(1782975601)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tierSeeding()
			tt.seed(&s)
			w := protocol.Seed(s, seededAt)
			wantItem(t, applied(t, w, nil), with(seededItem(), tt.want))
			// Whatever is there stays, be it a signal or not.
			refused(t, w, cleanItem())
			refused(t, w, signal.Item{"pk": signal.S(key().PK), "sk": signal.S(key().SK)})
		})
	}
}

func ours() protocol.Identity {
	return protocol.Identity{GlobalID: seededID, SeededBy: signal.S("terraform:range")}
}

func TestUpdateBySeeder(t *testing.T) {
	t.Parallel()
	pattern := signal.Pattern{Mode: signal.Tiered, Cadence: signal.Cadence{ID: "5min"}, Tiers: signal.DefaultTiers()[3:]}
	patternValue := signal.M(map[string]signal.Value{
		"estimationMode": signal.S("tiered"),
		"cadence":        signal.M(map[string]signal.Value{"id": signal.S("5min")}),
		"tiers": signal.L(signal.M(map[string]signal.Value{
			"id": signal.S("high"), "label": signal.S("High"), "maxPercentage": signal.Decimal("1"),
		})),
	})
	asRead := cleanItem()["availabilityEstimationPattern"]
	tests := []struct {
		name   string
		change protocol.Change
		item   signal.Item
		want   signal.Item
	}{
		{"nothing", protocol.Change{}, cleanItem(), signal.Item{}},
		{
			"to another bucket; bit and value stay",
			protocol.Change{GSIPK: "cadenceBucket::1h"},
			claimedItem(),
			signal.Item{"gsipk": signal.S("cadenceBucket::1h")},
		},
		{
			"expiry, and ttl with it",
			protocol.Change{Expiry: time.Date(2026, 7, 3, 7, 0, 0, 1e6, time.UTC)},
			cleanItem(),
			signal.Item{"expiry": signal.S("2026-07-03T07:00:00.001Z"), "ttl": signal.N(1783062001)},
		},
		{
			"another pattern flips",
			protocol.Change{Pattern: &pattern},
			cleanItem(),
			signal.Item{
				"availabilityEstimationPattern": patternValue,
				"gsisk":                         signal.S("dirty"), "rev": signal.N(5), "dirtySince": signal.S(flippedAtText),
			},
		},
		{
			"another pattern while a check runs",
			protocol.Change{Pattern: &pattern},
			claimedItem(),
			signal.Item{"availabilityEstimationPattern": patternValue, "rev": signal.N(6)},
		},
		{
			"another label does not",
			protocol.Change{Pattern: &pattern, Unflipped: &asRead},
			cleanItem(),
			signal.Item{"availabilityEstimationPattern": patternValue},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := protocol.UpdateBySeeder(key(), ours(), tt.change, flippedAt)
			wantItem(t, applied(t, w, tt.item), with(tt.item, tt.want))
		})
	}
	// Its value may have been cached under the pattern that came in between.
	otherwise := with(cleanItem(), signal.Item{"availabilityEstimationPattern": patternValue})
	refused(t, protocol.UpdateBySeeder(key(), ours(), protocol.Change{Pattern: &pattern, Unflipped: &asRead}, flippedAt), otherwise)
}

func TestSeeder_touchesItsOwnAlone(t *testing.T) {
	t.Parallel()
	nobodys := protocol.Identity{GlobalID: seededID}
	update := protocol.Change{GSIPK: "cadenceBucket::1h"}
	tests := []struct {
		name string
		id   protocol.Identity
		item signal.Item
		ok   bool
	}{
		{"its own", ours(), cleanItem(), true},
		{"its own, being checked", ours(), claimedItem(), true},
		{"gone", ours(), nil, false},
		{"seeded again", ours(), with(cleanItem(), signal.Item{"globalId": signal.S("other")}), false},
		{"taken over", ours(), with(cleanItem(), signal.Item{"seededBy": signal.S("stream")}), false},
		{"its owner forgotten", ours(), with(cleanItem(), signal.Item{"seededBy": {}}), false},
		{"no signal", ours(), with(cleanItem(), signal.Item{"schema": signal.S("product")}), false},
		{"without a schema", ours(), with(cleanItem(), signal.Item{"schema": {}}), false},
		{"nobody's, as read", nobodys, with(cleanItem(), signal.Item{"seededBy": {}}), true},
		{"nobody's when read, somebody's now", nobodys, cleanItem(), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			remove := protocol.DeleteBySeeder(key(), tt.id)
			change := protocol.UpdateBySeeder(key(), tt.id, update, flippedAt)
			if !tt.ok {
				refused(t, remove, tt.item)
				refused(t, change, tt.item)
				return
			}
			wantItem(t, applied(t, remove, tt.item), nil)
			if got := applied(t, change, tt.item).Text("gsipk"); got != "cadenceBucket::1h" {
				t.Errorf("gsipk = %q, want cadenceBucket::1h", got)
			}
		})
	}
}

// What a seeder may write is named once, and its writes keep to it.
func TestSeeder_writesOwnedNamesOnly(t *testing.T) {
	t.Parallel()
	pattern := tierSeeding().Pattern
	asRead := pattern.Value()
	w := protocol.UpdateBySeeder(key(), ours(), protocol.Change{GSIPK: "cadenceBucket::1h", Expiry: modelEnd, Pattern: &pattern, Unflipped: &asRead}, flippedAt)
	owned := map[string]bool{}
	for _, name := range signal.SeederOwned() {
		owned[name] = true
	}
	for _, a := range w.Set {
		if !owned[a.Attr] {
			t.Errorf("an update by the seeder writes %s, which is not the seeder's", a.Attr)
		}
	}
	if len(w.Set) == 0 || len(w.Add) > 0 || len(w.Remove) > 0 {
		t.Errorf("an update by the seeder is %+v", w)
	}
}
