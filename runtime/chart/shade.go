package chart

import (
	"strconv"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// ShadeOf is the shade of a value that was made by a pattern: of a tier, by its
// upper bound; of a count, by the most that any date of the product has.
func ShadeOf(p signal.Pattern, value string, most int64) (Shade, bool) {
	if p.Mode == signal.Tiered {
		for _, t := range p.Tiers {
			if t.ID == value {
				return shadeOfText(t.MaxPercentage.String())
			}
		}
	}
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err == nil && n <= 0:
		return 0, true
	case err == nil && most > 0:
		return shadeOf(float64(n) / float64(most)), true
	}
	// "full", of tiers of which none has the bound 0, and what others have written.
	return 0, value == "full"
}

func shadeOfText(fraction string) (Shade, bool) {
	f, err := strconv.ParseFloat(fraction, 64)
	return shadeOf(f), err == nil
}

func shadeOf(fraction float64) Shade {
	switch {
	case fraction <= 0:
		return 0
	case fraction <= 0.25:
		return 1
	case fraction <= 0.5:
		return 2
	case fraction <= 0.75:
		return 3
	}
	return 4
}

// shadeNames say the shades in words.
func shadeNames() [Shades]string {
	return [Shades]string{"nothing left", "up to a quarter", "up to half", "up to three quarters", "more than that"}
}
