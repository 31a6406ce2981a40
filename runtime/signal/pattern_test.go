package signal_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func tier(t testing.TB, id, bound string) signal.Tier {
	t.Helper()
	return signal.Tier{ID: id, MaxPercentage: fraction(t, bound)}
}

func tiers(t testing.TB, pairs ...string) []signal.Tier {
	t.Helper()
	var list []signal.Tier
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, tier(t, pairs[i], pairs[i+1]))
	}
	return list
}

func TestDefaultTiers(t *testing.T) {
	t.Parallel()
	want := []signal.Tier{
		{ID: "full", Label: "Full", MaxPercentage: fraction(t, "0")},
		{ID: "low", Label: "Low", MaxPercentage: fraction(t, "0.25")},
		{ID: "medium", Label: "Medium", MaxPercentage: fraction(t, "0.75")},
		{ID: "high", Label: "High", MaxPercentage: fraction(t, "1")},
	}
	if diff := cmp.Diff(want, signal.DefaultTiers(), exactFractions); diff != "" {
		t.Errorf("DefaultTiers() (-want +got):\n%s", diff)
	}
	if err := signal.ValidateTiers(signal.DefaultTiers()); err != nil {
		t.Errorf("ValidateTiers() of the default = %v", err)
	}
}

func TestValidateTiers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		tiers []signal.Tier
		want  string
	}{
		{"one", tiers(t, "any", "1"), ""},
		{"without one for nothing left", tiers(t, "few", "0.5", "many", "1"), ""},
		{"none", nil, "tiers must have at least one entry, or be left out for full 0, low 0.25, medium 0.75, high 1"},
		{"an empty id", tiers(t, "low", "0.5", "", "1"), "tier 2 has an empty id"},
		{"an id twice", tiers(t, "low", "0.5", "high", "0.7", "low", "1"), `tier 3 has the id "low" of tier 1`},
		{"the id of no inventory", tiers(t, "none", "0", "high", "1"), `tier 1 has the id "none", which is the value of a date without inventory`},
		{"equal bounds", tiers(t, "low", "0.5", "medium", "0.50", "high", "1"), "tier 2 (medium) has the bound 0.5, which is not above the 0.5 before it"},
		{"falling bounds", tiers(t, "low", "0.5", "medium", "0.3", "high", "1"), "tier 2 (medium) has the bound 0.3, which is not above the 0.5 before it"},
		{"last below 1", tiers(t, "low", "0.5", "high", "0.99"), "tier 2 (high) is the last and must have the bound 1, not 0.99"},
		{"1 before the last", tiers(t, "low", "1", "high", "1"), "tier 2 (high) has the bound 1, which is not above the 1 before it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := signal.ValidateTiers(tt.tiers)
			if tt.want == "" {
				if err != nil {
					t.Errorf("ValidateTiers() = %v", err)
				}
				return
			}
			var tierErr *signal.TierError
			if !errors.As(err, &tierErr) || !errors.Is(err, signal.ErrPattern) {
				t.Fatalf("ValidateTiers() = %v, want a TierError that is ErrPattern", err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPattern_estimates(t *testing.T) {
	t.Parallel()
	tiered := signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}
	change := func(change func(*signal.Pattern)) signal.Pattern {
		p := signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}
		change(&p)
		return p
	}
	tests := []struct {
		name  string
		other signal.Pattern
		want  bool
	}{
		{"itself", tiered, true},
		{"another cadence", change(func(p *signal.Pattern) { p.Cadence = signal.Cadence{Hours: 1} }), true},
		{"another label", change(func(p *signal.Pattern) { p.Tiers[1].Label = "Few" }), true},
		{"another id", change(func(p *signal.Pattern) { p.Tiers[1].ID = "few" }), false},
		{"another bound", change(func(p *signal.Pattern) { p.Tiers[1].MaxPercentage = fraction(t, "0.3") }), false},
		{"a tier less", change(func(p *signal.Pattern) { p.Tiers = p.Tiers[1:] }), false},
		{"another mode", signal.Pattern{Mode: signal.Exact}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tiered.Estimates(tt.other); got != tt.want {
				t.Errorf("Estimates() = %t, want %t", got, tt.want)
			}
			if got := tt.other.Estimates(tiered); got != tt.want {
				t.Errorf("the other way round, Estimates() = %t, want %t", got, tt.want)
			}
		})
	}
	if !(signal.Pattern{Mode: signal.Exact}).Estimates(signal.Pattern{Mode: signal.Exact, Tiers: signal.DefaultTiers()}) {
		t.Error("tiers make a difference to an exact pattern")
	}
}

func TestParsePattern(t *testing.T) {
	t.Parallel()
	tierValue := func(id, bound string) signal.Value {
		return fields("id", signal.S(id), "maxPercentage", signal.Decimal(bound))
	}
	cadence := fields("minutes", signal.N(5))
	tests := []struct {
		name  string
		value signal.Value
		want  signal.Pattern
	}{
		{
			"exact", fields("estimationMode", signal.S("exact"), "cadence", cadence),
			signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{Minutes: 5}},
		},
		{
			"exact, with tiers that it does not use", fields("estimationMode", signal.S("exact"), "tiers", signal.L(tierValue("x", "7"))),
			signal.Pattern{Mode: signal.Exact},
		},
		{
			"tiered", fields("estimationMode", signal.S("tiered"), "cadence", signal.S("5min"), "tiers", signal.L(tierValue("few", "0.10"), tierValue("many", "1.0"))),
			signal.Pattern{Mode: signal.Tiered, Cadence: signal.Cadence{ID: "5min"}, Tiers: tiers(t, "few", "0.1", "many", "1")},
		},
		{
			"tiered, by default", fields("estimationMode", signal.S("tiered"), "cadence", cadence),
			signal.Pattern{Mode: signal.Tiered, Cadence: signal.Cadence{Minutes: 5}, Tiers: signal.DefaultTiers()},
		},
		{
			"tiered, null tiers", fields("estimationMode", signal.S("tiered"), "tiers", signal.Null()),
			signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()},
		},
		{
			"a cadence that cannot be read decides nothing", fields("estimationMode", signal.S("exact"), "cadence", fields("minutes", signal.N(-1))),
			signal.Pattern{Mode: signal.Exact},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := signal.ParsePattern(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, exactFractions); diff != "" {
				t.Errorf("pattern (-want +got):\n%s", diff)
			}
			again, err := signal.ParsePattern(got.Value())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, again, exactFractions); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParsePattern_invalid(t *testing.T) {
	t.Parallel()
	withTiers := func(list signal.Value) signal.Value {
		return fields("estimationMode", signal.S("tiered"), "tiers", list)
	}
	stored := func(id, bound string) signal.Value {
		return fields("id", signal.S(id), "maxPercentage", signal.Decimal(bound))
	}
	const invalid = "invalid availability estimation pattern: "
	tests := []struct {
		name  string
		value signal.Value
		want  string
	}{
		{"absent", signal.Value{}, invalid + "the item has none"},
		{"text", signal.S("exact"), invalid + "expected a map"},
		{"without a mode", fields("cadence", fields("minutes", signal.N(5))), invalid + "it has no estimationMode, which is exact or tiered"},
		{"a mode that is no text", fields("estimationMode", signal.N(1)), invalid + "it has no estimationMode, which is exact or tiered"},
		{"another mode", fields("estimationMode", signal.S("rough")), invalid + "its estimationMode is neither exact nor tiered"},
		{"tiers that are no list", withTiers(fields()), "tiers must be a list"},
		{"no tiers", withTiers(signal.L()), "tiers must have at least one entry, or be left out for full 0, low 0.25, medium 0.75, high 1"},
		{"a tier that is no map", withTiers(signal.L(signal.S("high"))), "tier 1 must be a map of id, label and maxPercentage"},
		{"a tier without a bound", withTiers(signal.L(fields("id", signal.S("high")))), "tier 1 has no number maxPercentage"},
		{
			"a bound above 1", withTiers(signal.L(fields("id", signal.S("high"), "maxPercentage", signal.N(100)))),
			"tier 1 has a maxPercentage that cannot be used: expected a decimal from 0 to 1, such as 0.25",
		},
		{"an id twice", withTiers(signal.L(stored("canary", "0.5"), stored("canary", "1"))), "tier 2 has the id of tier 1"},
		{"falling bounds", withTiers(signal.L(stored("a", "0.5"), stored("canary", "0.25"))), "tier 2 has a bound that is not above the one before it"},
		{"last below 1", withTiers(signal.L(stored("canary", "0.25"))), "tier 1 is the last and must have the bound 1"},
		{
			"an id that is no text", withTiers(signal.L(fields("id", signal.N(1), "maxPercentage", signal.N(1)))),
			"tier 1 has an empty id",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := signal.ParsePattern(tt.value)
			if !errors.Is(err, signal.ErrPattern) {
				t.Fatalf("ParsePattern() = %+v, %v, want ErrPattern", got, err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParsePattern(f *testing.F) {
	f.Add("exact", "", "", "", "", uint8(0))
	f.Add("tiered", "", "", "", "", uint8(0))
	f.Add("tiered", "low", "0.5", "high", "1", uint8(2))
	f.Add("tiered", "low", "5e-1", "high", "10e-1", uint8(2))
	f.Add("tiered", "low", "x", "", "1", uint8(3))
	f.Add("", "low", "1", "low", "1", uint8(7))
	f.Fuzz(func(t *testing.T, mode, id, bound, id2, bound2 string, shape uint8) {
		m := map[string]signal.Value{"estimationMode": signal.S(mode), "cadence": signal.S(id)}
		tier := func(id, bound string) signal.Value {
			return fields("id", signal.S(id), "label", signal.S(id2), "maxPercentage", signal.Decimal(bound))
		}
		switch shape % 5 {
		case 1:
			m["tiers"] = signal.L(tier(id, bound))
		case 2:
			m["tiers"] = signal.L(tier(id, bound), tier(id2, bound2))
		case 3:
			m["tiers"] = signal.L(signal.S(id), tier(id2, bound2))
		case 4:
			m["tiers"] = tier(id, bound)
		}
		p, err := signal.ParsePattern(signal.M(m))
		if err != nil {
			if !errors.Is(err, signal.ErrPattern) {
				t.Errorf("ParsePattern() = %v, want ErrPattern", err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("ParsePattern() = %+v, which is invalid: %v", p, err)
		}
		again, err := signal.ParsePattern(p.Value())
		if err != nil || !again.Estimates(p) || !again.Value().Equal(p.Value()) {
			t.Errorf("%+v reads back as %+v, %v", p, again, err)
		}
		for _, e := range []signal.Estimate{{}, {NoInventory: true}, {Available: -1, Capacity: 7}, {Available: 9, Capacity: 7}, {Available: 3, Capacity: 7}} {
			if value, _ := p.Cache(e); value == "" {
				t.Errorf("%+v makes no value of %+v", p, e)
			}
		}
	})
}
