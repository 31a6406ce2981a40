package signal_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestPattern_cacheTiered(t *testing.T) {
	t.Parallel()
	pattern := func(pairs ...string) signal.Pattern {
		return signal.Pattern{Mode: signal.Tiered, Tiers: tiers(t, pairs...)}
	}
	standard := signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}
	tests := []struct {
		name      string
		pattern   signal.Pattern
		available int64
		capacity  int64
		want      string
	}{
		{"nothing left", standard, 0, 60, "full"},
		{"1 of 400 is not full", standard, 1, 400, "low"},
		{"1 of very many is not full", standard, 1, math.MaxInt64, "low"},
		{"a bound is inclusive", standard, 15, 60, "low"},
		{"just above it", standard, 16, 60, "medium"},
		{"the next bound", standard, 45, 60, "medium"},
		{"just above that", standard, 46, 60, "high"},
		{"all", standard, 60, 60, "high"},
		{"one of one", standard, 1, 1, "high"},
		{"just above a quarter of very many", standard, math.MaxInt64/4 + 1, math.MaxInt64, "medium"},
		{"all of very many", standard, math.MaxInt64, math.MaxInt64, "high"},

		{"nothing left, no tier for it", pattern("few", "0.5", "many", "1"), 0, 60, "full"},
		{"the least there is, no tier for nothing", pattern("few", "0.5", "many", "1"), 1, 1_000_000, "few"},
		{"one tier", pattern("open", "1"), 1, 60, "open"},
		{"nothing left, one tier", pattern("open", "1"), 0, 60, "full"},
		{"another name for nothing left", pattern("sold-out", "0", "open", "1"), 0, 60, "sold-out"},
		{"a bound close to 0 is not 0", pattern("last", "0.000000000000000001", "open", "1"), 0, 60, "full"},

		// 0.1 is no float: in floats, 3 of 30 would be above 0.1 x 30 or not by luck.
		{"a tenth", pattern("full", "0", "tenth", "0.1", "rest", "1"), 3, 30, "tenth"},
		{"three tenths", pattern("full", "0", "three", "0.3", "rest", "1"), 3, 10, "three"},
		{"below the sum of floats", pattern("full", "0", "three", "0.30000000000000004", "rest", "1"), 3, 10, "three"},
		{"a third is above 0.333", pattern("full", "0", "third", "0.333", "rest", "1"), 1, 3, "rest"},
		{"a third is below 0.334", pattern("full", "0", "third", "0.334", "rest", "1"), 1, 3, "third"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, anomalies := tt.pattern.Cache(signal.Estimate{Available: tt.available, Capacity: tt.capacity})
			if got != tt.want || anomalies != nil {
				t.Errorf("Cache(%d of %d) = %q, %v, want %q", tt.available, tt.capacity, got, anomalies, tt.want)
			}
		})
	}
}

func TestPattern_cacheExact(t *testing.T) {
	t.Parallel()
	exact := signal.Pattern{Mode: signal.Exact}
	for _, tt := range []struct {
		estimate signal.Estimate
		want     string
	}{
		{signal.Estimate{Available: 37, Capacity: 60}, "37"},
		{signal.Estimate{Available: 0, Capacity: 60}, "0"},
		{signal.Estimate{Available: 60, Capacity: 60}, "60"},
		{signal.Estimate{Available: math.MaxInt64, Capacity: math.MaxInt64}, "9223372036854775807"},
	} {
		if got, anomalies := exact.Cache(tt.estimate); got != tt.want || anomalies != nil {
			t.Errorf("Cache(%+v) = %q, %v, want %q", tt.estimate, got, anomalies, tt.want)
		}
	}
}

func TestPattern_cacheWhatIsOdd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		estimate  signal.Estimate
		exact     string
		tiered    string
		anomalies []signal.Anomaly
	}{
		{"no inventory is not sold out", signal.Estimate{NoInventory: true}, "none", "none", nil},
		{"none in service is not sold out", signal.Estimate{}, "none", "none", nil},
		{"negative counts as 0", signal.Estimate{Available: -3, Capacity: 60}, "0", "full", []signal.Anomaly{signal.NegativeAvailable}},
		{"above capacity counts as capacity", signal.Estimate{Available: 61, Capacity: 60}, "60", "high", []signal.Anomaly{signal.AboveCapacity}},
		{"above no capacity", signal.Estimate{Available: 1}, "none", "none", []signal.Anomaly{signal.AboveCapacity}},
		{"negative capacity", signal.Estimate{Capacity: -1}, "none", "none", []signal.Anomaly{signal.NegativeCapacity}},
		{
			"all negative",
			signal.Estimate{Available: -1, Capacity: -1},
			"none", "none",
			[]signal.Anomaly{signal.NegativeAvailable, signal.NegativeCapacity},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for pattern, want := range map[*signal.Pattern]string{
				{Mode: signal.Exact}: tt.exact,
				{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}: tt.tiered,
			} {
				got, anomalies := pattern.Cache(tt.estimate)
				if got != want {
					t.Errorf("%s: Cache() = %q, want %q", pattern.Mode, got, want)
				}
				if diff := cmp.Diff(tt.anomalies, anomalies); diff != "" {
					t.Errorf("%s: anomalies (-want +got):\n%s", pattern.Mode, diff)
				}
			}
		})
	}
}

// The tier is the first whose bound is not below available/capacity, as rationals
// of any size have it; nothing left and something left are never the same.
func TestPattern_cacheIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := decimals().Draw(t, "bound")
		bound, err := signal.ParseFraction(text)
		if err != nil {
			t.Fatal(err)
		}
		pattern := signal.Pattern{Mode: signal.Tiered, Tiers: []signal.Tier{{ID: "up to the bound", MaxPercentage: bound}}}
		if bound.String() != "1" {
			one, _ := signal.ParseFraction("1")
			pattern.Tiers = append(pattern.Tiers, signal.Tier{ID: "above", MaxPercentage: one})
		}
		capacity := rapid.Int64Range(1, math.MaxInt64).Draw(t, "capacity")
		available := rapid.Int64Range(0, capacity).Draw(t, "available")
		r, _ := rational(text)
		if rapid.Bool().Draw(t, "at the bound") {
			// As near to the bound as units go.
			product := new(big.Rat).Mul(r, new(big.Rat).SetInt64(capacity))
			near := new(big.Int).Quo(product.Num(), product.Denom()).Int64()
			available = near + min(rapid.Int64Range(0, 1).Draw(t, "above"), capacity-near)
		}
		want := "above"
		switch share := big.NewRat(available, capacity); {
		case available == 0 && r.Sign() == 0:
			want = "up to the bound"
		case available == 0:
			want = "full"
		case share.Cmp(r) <= 0:
			want = "up to the bound"
		}
		if got, _ := pattern.Cache(signal.Estimate{Available: available, Capacity: capacity}); got != want {
			t.Errorf("%d of %d with the bound %s is %q, want %q", available, capacity, text, got, want)
		}
	})
}
