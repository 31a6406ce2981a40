package goals_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// reportOf is what a run reports, and when it started.
type reportOf struct {
	check.Counts
	inQuarantine []string
	started      time.Time
}

// quarantined are the signals that are, by number.
func (p *platform) quarantined(signals int) (numbers []int) {
	for n := range signals {
		if protocol.Quarantined(p.item(n)[signal.AttrNotBefore]) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// One in a hundred fails always: the others are checked as fast as without them,
// and those are quarantined and named.
func TestR3_oneInAHundredFails(t *testing.T) {
	const ticks = 64
	signals := atScale(500, 200)
	// The rate of the healthy ones, all told.
	measure := func(t *testing.T, fails func(n int) bool) (rate float64) {
		inWorld(t, simulator.Config{Seed: 5}, func(w *simulator.World, p *platform) {
			p.register()
			p.seed(0, signals, false)
			var healthy atomic.Int64
			p.source = func(ctx context.Context, n int) (signal.Estimate, error) {
				if err := rest(ctx, 20*time.Millisecond); err != nil {
					return signal.Estimate{}, err
				}
				if fails(n) {
					return signal.Estimate{}, &source.ItemError{Item: "inventory pool", Reason: "cannot be counted"}
				}
				healthy.Add(1)
				return signal.Estimate{Available: 7, Capacity: 10}, nil
			}
			c := w.Client("application")
			var busy int64
			var last reportOf
			p.flip(c, 0, signals)
			p.schedule(w, ticks, func(_ int, r reportOf) {
				busy += r.DurationMS
				last = r
				p.flip(c, 0, signals)
			})
			rate = float64(healthy.Load()) / float64(busy)
			var want []int
			for n := range signals {
				if fails(n) {
					want = append(want, n)
				}
			}
			if got := p.quarantined(signals); !slices.Equal(got, want) {
				w.Errorf("quarantined: %v, want %v", got, want)
			}
			named := slices.Sorted(slices.Values(last.inQuarantine))
			var names []string
			for _, n := range want {
				names = append(names, day(n).Key().String())
			}
			slices.Sort(names)
			if !slices.Equal(named, names) || last.Quarantined != int64(len(want)) {
				w.Errorf("the report names %v of %d, want %v", named, last.Quarantined, names)
			}
		})
		return rate
	}
	without := measure(t, func(int) bool { return false })
	with := measure(t, func(n int) bool { return n%100 == 7 })
	t.Logf("healthy checks: %.0f a second without, %.0f beside those that fail", 1000*without, 1000*with)
	if with < 0.98*without {
		t.Errorf("%.1f %% fewer healthy checks a second", 100*(1-with/without))
	}
}

// A source that is gone for hours, or turns nine of ten away, quarantines nothing,
// and all is well soon after.
func TestR3_outage(t *testing.T) {
	for what, fails := range map[string]func(jitter float64) error{
		"three hours without an answer": func(float64) error { return errDown },
		"nine of ten turned away": func(jitter float64) error {
			if jitter < 0.9 {
				return fmt.Errorf("429: %w", source.ErrBusy)
			}
			return nil
		},
	} {
		t.Run(what, func(t *testing.T) {
			const signals = 300
			inWorld(t, simulator.Config{Seed: 6}, func(w *simulator.World, p *platform) {
				p.register()
				p.seed(0, signals, false)
				began := time.Now()
				c := w.Client("application")
				p.source = func(ctx context.Context, n int) (signal.Estimate, error) {
					// Not all alike: it must not be one time's chance.
					if err := rest(ctx, 20*time.Millisecond+time.Duration(n)*time.Microsecond); err != nil {
						return signal.Estimate{}, err
					}
					if time.Since(began) > time.Hour && time.Since(began) < 4*time.Hour {
						if err := fails(c.Jitter()); err != nil {
							return signal.Estimate{}, err
						}
					}
					return signal.Estimate{Available: 7, Capacity: 10}, nil
				}
				p.flip(c, 0, signals)
				var last reportOf
				p.schedule(w, 12*6, func(tick int, r reportOf) {
					if got := p.quarantined(signals); len(got) > 0 || r.Quarantined > 0 {
						w.Errorf("tick %d: %d quarantined", tick, len(got))
					}
					if time.Since(began) < 5*time.Hour-cadence {
						p.flip(c, 0, signals)
					}
					last = r
				})
				if last.Seen != 0 {
					w.Errorf("two hours after, %d are dirty", last.Seen)
				}
			})
		})
	}
}

// What fails, be it one signal or every date of a product, delays the others by a
// tick at most.
func TestR3_whatFailsDelaysNobody(t *testing.T) {
	const signals, ticks = 5 * dates, 12
	for what, fails := range map[string]func(n int) error{
		"one poisoned signal": func(n int) error {
			if n == 5 {
				return &source.ItemError{Item: "inventory pool", Reason: "cannot be counted"}
			}
			return nil
		},
		"a product whose every date fails": func(n int) error {
			if n < dates {
				return errDown
			}
			return nil
		},
	} {
		t.Run(what, func(t *testing.T) {
			inWorld(t, simulator.Config{Seed: 7}, func(w *simulator.World, p *platform) {
				p.register()
				p.seed(0, signals, false)
				p.source = func(ctx context.Context, n int) (signal.Estimate, error) {
					if err := rest(ctx, 20*time.Millisecond); err != nil {
						return signal.Estimate{}, err
					}
					return signal.Estimate{Available: 7, Capacity: 10}, fails(n)
				}
				c := w.Client("application")
				since := map[int]int{}
				flip := func(tick int) {
					for n := range signals {
						if _, waits := since[n]; !waits {
							since[n] = tick
						}
					}
					p.flip(c, 0, signals)
				}
				flip(0)
				worst := 0
				p.schedule(w, ticks, func(tick int, _ reportOf) {
					for n := range signals {
						if fails(n) != nil {
							continue
						}
						if p.item(n).Text(signal.AttrGSISK) == signal.Clean {
							worst = max(worst, tick-since[n])
							delete(since, n)
						} else {
							worst = max(worst, tick-since[n]+1)
						}
					}
					flip(tick + 1)
				})
				w.Logf("the others waited %d ticks more at the most", worst)
				if worst > 1 {
					w.Errorf("one of the others waited %d ticks", worst)
				}
			})
		})
	}
}
