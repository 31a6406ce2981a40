package season

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// longestCadence is in minutes.
const longestCadence = 365 * 24 * 60

// timed is a cadence's duration in its largest whole unit. A cadence that only
// names a bucket is read from the name, such as 5min, 1h or 2d.
func timed(c signal.Cadence) (signal.Cadence, error) {
	minutes := c.Minutes + 60*(c.Hours+24*c.Days)
	if minutes == 0 {
		for suffix, unit := range map[string]int{"min": 1, "h": 60, "d": 24 * 60} {
			digits, ok := strings.CutSuffix(c.ID, suffix)
			if n, err := strconv.Atoi(digits); ok && err == nil && n > 0 && n <= longestCadence {
				minutes = n * unit
			}
		}
	}
	switch {
	case minutes == 0:
		return signal.Cadence{}, fmt.Errorf("bucket %q does not say how often it is checked: expected minutes, hours or days beside its id", c.ID)
	case minutes > longestCadence:
		return signal.Cadence{}, errors.New("is more than the 365 days that a bucket takes")
	case minutes%(24*60) == 0:
		return signal.Cadence{Days: minutes / (24 * 60)}, nil
	case minutes%60 == 0:
		return signal.Cadence{Hours: minutes / 60}, nil
	}
	return signal.Cadence{Minutes: minutes}, nil
}

func bucketNames(products []Product) []string {
	byCadence := slices.Clone(products)
	slices.SortStableFunc(byCadence, func(a, b Product) int {
		return cmp.Or(
			cmp.Compare(a.Pattern.Cadence.Duration(), b.Pattern.Cadence.Duration()),
			strings.Compare(a.Bucket, b.Bucket))
	})
	var names []string
	for _, p := range byCadence {
		if !slices.Contains(names, p.Bucket) {
			names = append(names, p.Bucket)
		}
	}
	return names
}
