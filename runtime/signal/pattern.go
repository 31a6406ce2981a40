package signal

import (
	"errors"
	"fmt"
	"slices"
)

// ErrPattern is what an unusable estimation pattern answers to.
var ErrPattern = errors.New("invalid availability estimation pattern")

// Mode is how availability is estimated.
type Mode string

const (
	// Exact caches the number of what is available: "37".
	Exact Mode = "exact"
	// Tiered caches the id of a tier: "high".
	Tiered Mode = "tiered"
)

// Tier is one step of a tiered estimate.
type Tier struct {
	ID string
	// Label is for people; it may be empty.
	Label string
	// MaxPercentage is the inclusive upper bound of available/capacity, as a
	// fraction in [0, 1] in spite of its name.
	MaxPercentage Fraction
}

// Pattern governs how availability is estimated.
type Pattern struct {
	Mode Mode
	// Cadence is a copy of the bucket's, for information: the registry alone
	// decides when checks run.
	Cadence Cadence
	// Tiers are in ascending order, and are those of Tiered alone.
	Tiers []Tier
}

// DefaultTiers are full 0, low 0.25, medium 0.75, high 1.
func DefaultTiers() []Tier {
	return []Tier{
		{ID: "full", Label: "Full"},
		{ID: "low", Label: "Low", MaxPercentage: Fraction{units: 25, scale: 2}},
		{ID: "medium", Label: "Medium", MaxPercentage: Fraction{units: 75, scale: 2}},
		{ID: "high", Label: "High", MaxPercentage: Fraction{units: 1}},
	}
}

// TierError says which tier breaks the rules, and how.
type TierError struct {
	// Index of the tier, or -1 for the list as a whole.
	Index  int
	Reason string
	// bare is Reason without the tier's values, where it has any.
	bare string
}

func (e *TierError) Error() string {
	if e.Index < 0 {
		return "tiers " + e.Reason
	}
	return fmt.Sprintf("tier %d %s", e.Index+1, e.Reason)
}

// Is makes every TierError an ErrPattern.
func (e *TierError) Is(target error) bool { return target == ErrPattern }

// ValidateTiers reports the first tier that breaks the rules as a *TierError:
// at least one, ids unique and not empty, bounds strictly increasing, the last 1.
func ValidateTiers(tiers []Tier) error {
	if len(tiers) == 0 {
		return &TierError{Index: -1, Reason: "must have at least one entry, or be left out for full 0, low 0.25, medium 0.75, high 1"}
	}
	seen := map[string]int{}
	for i, t := range tiers {
		if t.ID == "" {
			return &TierError{Index: i, Reason: "has an empty id"}
		}
		if t.ID == None {
			return &TierError{Index: i, Reason: fmt.Sprintf("has the id %q, which is the value of a date without inventory", t.ID)}
		}
		if j, ok := seen[t.ID]; ok {
			return &TierError{i, fmt.Sprintf("has the id %q of tier %d", t.ID, j+1), fmt.Sprintf("has the id of tier %d", j+1)}
		}
		seen[t.ID] = i
		if i > 0 && t.MaxPercentage.Compare(tiers[i-1].MaxPercentage) <= 0 {
			return &TierError{
				i, fmt.Sprintf("(%s) has the bound %s, which is not above the %s before it", t.ID, t.MaxPercentage, tiers[i-1].MaxPercentage),
				"has a bound that is not above the one before it",
			}
		}
	}
	last := len(tiers) - 1
	if one := (Fraction{units: 1}); tiers[last].MaxPercentage != one {
		return &TierError{
			last, fmt.Sprintf("(%s) is the last and must have the bound 1, not %s", tiers[last].ID, tiers[last].MaxPercentage),
			"is the last and must have the bound 1",
		}
	}
	return nil
}

// Validate reports an unusable pattern as ErrPattern.
func (p Pattern) Validate() error {
	switch p.Mode {
	case Exact:
		return nil
	case Tiered:
		return ValidateTiers(p.Tiers)
	}
	return fmt.Errorf("%w: its estimationMode is neither exact nor tiered", ErrPattern)
}

// Estimates is whether p and q turn every estimate into the same value. The
// cadence and the labels make no difference.
func (p Pattern) Estimates(q Pattern) bool {
	if p.Mode != q.Mode {
		return false
	}
	return p.Mode != Tiered || slices.EqualFunc(p.Tiers, q.Tiers, func(a, b Tier) bool {
		return a.ID == b.ID && a.MaxPercentage == b.MaxPercentage
	})
}

// Value renders the pattern as it is stored.
func (p Pattern) Value() Value {
	m := map[string]Value{"estimationMode": S(string(p.Mode)), "cadence": p.Cadence.Value()}
	if p.Mode == Tiered {
		tiers := make([]Value, len(p.Tiers))
		for i, t := range p.Tiers {
			tier := map[string]Value{"id": S(t.ID), "maxPercentage": Decimal(t.MaxPercentage.String())}
			if t.Label != "" {
				tier["label"] = S(t.Label)
			}
			tiers[i] = M(tier)
		}
		m["tiers"] = L(tiers...)
	}
	return M(m)
}

// ParsePattern reads a pattern as it is stored. Tiers that are absent or null are
// the default ones, and a cadence that cannot be read counts as none, because
// nothing is decided by it. The error is ErrPattern, and has none of the pattern's
// values in it: it goes into logs.
func ParsePattern(v Value) (Pattern, error) {
	m, ok := v.Fields()
	if !ok {
		if !v.Exists() {
			return Pattern{}, fmt.Errorf("%w: the item has none", ErrPattern)
		}
		return Pattern{}, fmt.Errorf("%w: expected a map", ErrPattern)
	}
	mode, ok := m["estimationMode"].Text()
	if !ok {
		return Pattern{}, fmt.Errorf("%w: it has no estimationMode, which is exact or tiered", ErrPattern)
	}
	p := Pattern{Mode: Mode(mode)}
	if c, err := ParseCadence(m["cadence"]); err == nil {
		p.Cadence = c
	}
	if p.Mode == Tiered {
		tiers, err := parseTiers(m["tiers"])
		if err != nil {
			return Pattern{}, err
		}
		p.Tiers = tiers
	}
	return p, withoutValues(p.Validate())
}

func withoutValues(err error) error {
	if e, ok := errors.AsType[*TierError](err); ok && e.bare != "" {
		return &TierError{Index: e.Index, Reason: e.bare}
	}
	return err
}

func parseTiers(v Value) ([]Tier, error) {
	if !v.Exists() || v.IsNull() {
		return DefaultTiers(), nil
	}
	list, ok := v.Elements()
	if !ok {
		return nil, &TierError{Index: -1, Reason: "must be a list"}
	}
	tiers := make([]Tier, len(list))
	for i, e := range list {
		m, ok := e.Fields()
		if !ok {
			return nil, &TierError{Index: i, Reason: "must be a map of id, label and maxPercentage"}
		}
		bound, ok := m["maxPercentage"].Number()
		if !ok {
			return nil, &TierError{Index: i, Reason: "has no number maxPercentage"}
		}
		f, err := ParseFraction(bound)
		if err != nil {
			return nil, &TierError{Index: i, Reason: "has a maxPercentage that cannot be used: expected a decimal from 0 to 1, such as 0.25"}
		}
		tiers[i].MaxPercentage = f
		tiers[i].ID, _ = m["id"].Text()
		tiers[i].Label, _ = m["label"].Text()
	}
	return tiers, nil
}
