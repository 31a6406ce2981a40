// Package adopting is how a calendar goes over to signals, and back.
package adopting

import (
	"context"

	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Calendar says what is left of a product on each date.
type Calendar struct {
	// Count is what you have: it counts the inventory of one date.
	Count func(context.Context, signal.Product, signal.Date) (string, error)
	// Signals reads them. Enabled is the flag: it is asked each time, so that it can
	// be turned off without a deployment.
	Signals *read.Reader
	Enabled func() bool
}

// Show returns the values of the dates from first to last. A date whose signal says
// nothing that can be shown is counted, as before.
func (c Calendar) Show(ctx context.Context, p signal.Product, first, last signal.Date) (map[signal.Date]string, error) {
	values := map[signal.Date]string{}
	if c.Enabled() {
		// An error is as good as no signals: the calendar is there all the same.
		readings, _ := c.Signals.Range(ctx, p, first, last)
		for _, r := range readings {
			if !r.Unknown && !r.Stale && !r.Expired {
				values[r.Date] = r.Value
			}
		}
	}
	for d := first; d.Compare(last) <= 0; d = d.AddDays(1) {
		if _, ok := values[d]; ok {
			continue
		}
		value, err := c.Count(ctx, p, d)
		if err != nil {
			return nil, err
		}
		values[d] = value
	}
	return values, nil
}
