package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func adoption() protocol.Adoption {
	return protocol.Adoption{SeededBy: "stream", GlobalID: "0e9d8c7b-6a5f-4e3d-8c2b-1a0f9e8d7c6b"}
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	pattern := signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{ID: "1h"}}
	patternValue := signal.M(map[string]signal.Value{
		"estimationMode": signal.S("exact"), "cadence": signal.M(map[string]signal.Value{"id": signal.S("1h")}),
	})
	asRead := cleanItem()["availabilityEstimationPattern"]
	nobodys := with(cleanItem(), signal.Item{"seededBy": {}, "rev": {}, "claimedRev": {}})
	nameless := with(nobodys, signal.Item{"globalId": {}})
	flipped := signal.Item{"gsisk": signal.S("dirty"), "rev": signal.N(1), "dirtySince": signal.S(flippedAtText)}
	tests := []struct {
		name   string
		id     protocol.Identity
		change protocol.Change
		item   signal.Item
		want   []signal.Item
	}{
		{
			"nobody's clean is not believed",
			protocol.Identity{GlobalID: seededID},
			protocol.Change{},
			nobodys,
			[]signal.Item{flipped, {"seededBy": signal.S("stream")}},
		},
		{
			"without a globalId it gets one",
			protocol.Identity{},
			protocol.Change{},
			nameless,
			[]signal.Item{flipped, {"seededBy": signal.S("stream"), "globalId": signal.S(adoption().GlobalID)}},
		},
		{
			"nobody's, with another pattern, is flipped once",
			protocol.Identity{GlobalID: seededID},
			protocol.Change{Pattern: &pattern},
			nobodys,
			[]signal.Item{flipped, {"seededBy": signal.S("stream"), "availabilityEstimationPattern": patternValue}},
		},
		{
			"nobody's, with another label, is flipped all the same",
			protocol.Identity{GlobalID: seededID},
			protocol.Change{Pattern: &pattern, Unflipped: &asRead},
			nobodys,
			[]signal.Item{flipped, {"seededBy": signal.S("stream"), "availabilityEstimationPattern": patternValue}},
		},
		{
			"another seeder's, with another label, is not", ours(),
			protocol.Change{Pattern: &pattern, Unflipped: &asRead},
			cleanItem(),
			[]signal.Item{{"seededBy": signal.S("stream"), "availabilityEstimationPattern": patternValue}},
		},
		{
			"another seeder's keeps its bit and value", ours(),
			protocol.Change{},
			cleanItem(),
			[]signal.Item{{"seededBy": signal.S("stream")}},
		},
		{
			"another seeder's, while a check runs, all terms changed", ours(),
			protocol.Change{GSIPK: "cadenceBucket::1h", Expiry: time.Date(2026, 7, 3, 7, 0, 0, 0, time.UTC), Pattern: &pattern},
			claimedItem(),
			[]signal.Item{{
				"seededBy": signal.S("stream"), "gsipk": signal.S("cadenceBucket::1h"), "availabilityEstimationPattern": patternValue,
				"expiry": signal.S("2026-07-03T07:00:00.000Z"), "ttl": signal.N(1783062000), "rev": signal.N(6),
			}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := tt.item
			for _, attrs := range tt.want {
				want = with(want, attrs)
			}
			wantItem(t, applied(t, protocol.Adopt(key(), tt.id, adoption(), tt.change, flippedAt), tt.item), want)
		})
	}
}

func TestAdopt_onlyWhatIsAsItWasRead(t *testing.T) {
	t.Parallel()
	nobodys := protocol.Identity{GlobalID: seededID}
	for name, tt := range map[string]struct {
		id   protocol.Identity
		item signal.Item
	}{
		"gone":                        {ours(), nil},
		"seeded again":                {ours(), with(cleanItem(), signal.Item{"globalId": signal.S("other")})},
		"of another seeder by now":    {ours(), with(cleanItem(), signal.Item{"seededBy": signal.S("terraform:other")})},
		"no signal":                   {ours(), with(cleanItem(), signal.Item{"schema": signal.S("product")})},
		"somebody's by now":           {nobodys, cleanItem()},
		"with neither, but has both":  {protocol.Identity{}, cleanItem()},
		"without a globalId, but has": {protocol.Identity{SeededBy: signal.S("terraform:range")}, cleanItem()},
		"nameless, but no signal":     {protocol.Identity{}, signal.Item{"pk": signal.S(key().PK), "sk": signal.S(key().SK)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, protocol.Adopt(key(), tt.id, adoption(), protocol.Change{}, flippedAt), tt.item)
		})
	}
}

// An error about it says what was tried.
func TestAdopt_isCalledThat(t *testing.T) {
	t.Parallel()
	if w := protocol.Adopt(key(), protocol.Identity{GlobalID: seededID}, adoption(), protocol.Change{}, flippedAt); w.Op != protocol.OpAdopt {
		t.Errorf("it is called %q", w.Op)
	}
}
