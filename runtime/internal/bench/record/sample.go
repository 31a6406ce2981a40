package record

import (
	"fmt"
	"slices"
)

// Median is the middle one of the values, or the mean of the middle two; 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Pair is what two sides have measured, round by round.
type Pair struct{ Ours, Theirs []float64 }

// Alternate measures both sides in every round, the one after the other, and in
// the next round the other one first.
func Alternate(rounds int, ours, theirs func() (float64, error)) (Pair, error) {
	var p Pair
	for round := range rounds {
		sides := []func() error{
			func() error { return into(&p.Ours, ours) },
			func() error { return into(&p.Theirs, theirs) },
		}
		if round%2 == 1 {
			slices.Reverse(sides)
		}
		for _, measure := range sides {
			if err := measure(); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

func into(values *[]float64, measure func() (float64, error)) error {
	v, err := measure()
	*values = append(*values, v)
	return err
}

// Ratio is our median by theirs.
func (p Pair) Ratio() float64 { return Median(p.Ours) / Median(p.Theirs) }

// Spread is the least and the greatest ratio of a single round.
func (p Pair) Spread() (least, greatest float64) {
	for i := range p.Ours {
		ratio := p.Ours[i] / p.Theirs[i]
		if i == 0 || ratio < least {
			least = ratio
		}
		greatest = max(greatest, ratio)
	}
	return least, greatest
}

// Line is the ratio as a line: how many times theirs ours is.
func (p Pair) Line(what, unit string, goal Goal) Line {
	least, greatest := p.Spread()
	detail := fmt.Sprintf("%s against %s", Quantity(Median(p.Ours), unit), Quantity(Median(p.Theirs), unit))
	if len(p.Ours) > 1 {
		detail += fmt.Sprintf("; single rounds %s to %s", Quantity(least, "x"), Quantity(greatest, "x"))
	}
	return Line{What: what, Value: p.Ratio(), Unit: "x", Goal: goal, Detail: detail}
}

// Inverse is the same with the sides changed.
func (p Pair) Inverse() Pair { return Pair{Ours: p.Theirs, Theirs: p.Ours} }
