package goals_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// schedule runs the bucket at every tick, with jitter, and calls after each.
func (p *platform) schedule(w *simulator.World, ticks int, after func(tick int, r reportOf)) {
	c := w.Client("function")
	began := time.Now()
	for n := range ticks {
		jitter := time.Duration(c.Jitter() * float64(time.Second))
		time.Sleep(time.Until(began.Add(time.Duration(n)*cadence + jitter)))
		started := time.Now()
		report := p.run(c)
		if after != nil {
			after(n, reportOf{report.Counts, report.InQuarantine, started})
		}
	}
}

// A change shows within a cadence, the trigger's jitter, the index's lag and the
// time that a run takes.
func TestR2_freshness(t *testing.T) {
	const lag, signals, ticks = time.Minute, 200, 12
	inWorld(t, simulator.Config{Seed: 2, IndexLag: simulator.Between(0, lag)}, func(w *simulator.World, p *platform) {
		p.register()
		p.seed(0, signals, false)
		var truth, shown [signals]atomic.Int64
		var changed [signals]atomic.Int64
		var worst, longest atomic.Int64
		p.source = func(ctx context.Context, n int) (signal.Estimate, error) {
			// What is there when it is asked, which is not answered at once.
			is, at := truth[n].Load(), changed[n].Load()
			if err := rest(ctx, 100*time.Millisecond); err != nil {
				return signal.Estimate{}, err
			}
			if shown[n].Swap(is) != is {
				worst.Store(max(worst.Load(), time.Now().UnixNano()-at))
			}
			return signal.Estimate{Available: is, Capacity: 1_000_000}, nil
		}
		var over atomic.Bool
		var bookings sync.WaitGroup
		bookings.Go(func() {
			c := w.Client("application")
			for i := 0; !over.Load(); i++ {
				n := int(c.Jitter() * signals)
				// Only one change at a time: then it is known since when it is due.
				if truth[n].Load() == shown[n].Load() {
					changed[n].Store(time.Now().UnixNano())
					truth[n].Add(1)
					p.flip(c, n, n+1)
				}
				time.Sleep(time.Second)
			}
		})
		p.schedule(w, ticks, func(_ int, r reportOf) { longest.Store(max(longest.Load(), r.DurationMS)) })
		over.Store(true)
		bookings.Wait()
		run := time.Duration(longest.Load()) * time.Millisecond
		bound := cadence + time.Second + lag + run
		w.Logf("a change showed after %s at the latest, bound %s", time.Duration(worst.Load()), bound)
		if time.Duration(worst.Load()) > bound || worst.Load() == 0 {
			w.Errorf("a change showed after %s, bound %s", time.Duration(worst.Load()), bound)
		}
	})
}

// A signal that is flipped without pause is refreshed at every tick, errors that
// are not in a row do not quarantine it, and the others are not kept waiting.
func TestR2_hotSignal(t *testing.T) {
	const signals, ticks = 100, 24
	inWorld(t, simulator.Config{Seed: 3}, func(w *simulator.World, p *platform) {
		p.bucket.Checks.Concurrency = 4
		p.register()
		p.seed(0, signals, false)
		var asked atomic.Int64
		p.source = func(ctx context.Context, n int) (signal.Estimate, error) {
			if err := rest(ctx, 300*time.Millisecond); err != nil {
				return signal.Estimate{}, err
			}
			if n == 0 && asked.Add(1)%2 == 0 {
				return signal.Estimate{}, errDown
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		var over atomic.Bool
		var writers sync.WaitGroup
		writers.Go(func() {
			c := w.Client("hot")
			for !over.Load() {
				p.flip(c, 0, 1)
				time.Sleep(200 * time.Millisecond)
			}
		})
		others := w.Client("others")
		refreshed := 0
		p.flip(others, 1, signals)
		last := ""
		p.schedule(w, ticks, func(tick int, r reportOf) {
			if r.Cleaned != signals-1 || r.Quarantined != 0 {
				w.Errorf("tick %d: %d of the others cleaned, %d quarantined", tick, r.Cleaned, r.Quarantined)
			}
			hot := p.item(0)
			if is := hot.Text(signal.AttrLastUpdatedAt); is != last {
				refreshed++
				last = is
			}
			if hot.Int(signal.AttrAttempts) > 1 || protocol.Quarantined(hot[signal.AttrNotBefore]) {
				w.Errorf("tick %d: %d attempts in a row", tick, hot.Int(signal.AttrAttempts))
			}
			p.flip(others, 1, signals)
		})
		over.Store(true)
		writers.Wait()
		w.Logf("refreshed in %d of %d ticks, asked for %d times", refreshed, ticks, asked.Load())
		// Each time that it was asked for, but for the errors.
		if failed := int(asked.Load() / 2); refreshed != int(asked.Load())-failed || refreshed < ticks/3 {
			w.Errorf("refreshed in %d of %d ticks, failing %d times", refreshed, ticks, failed)
		}
	})
}

// Without errors, it is every tick.
func TestR2_hotSignalEveryTick(t *testing.T) {
	const ticks = 12
	inWorld(t, simulator.Config{Seed: 4}, func(w *simulator.World, p *platform) {
		p.register()
		p.seed(0, 1, false)
		p.source = takes(300 * time.Millisecond)
		var over atomic.Bool
		var writers sync.WaitGroup
		writers.Go(func() {
			c := w.Client("hot")
			for !over.Load() {
				p.flip(c, 0, 1)
				time.Sleep(100 * time.Millisecond)
			}
		})
		time.Sleep(time.Second)
		p.schedule(w, ticks, func(tick int, r reportOf) {
			at, err := signal.ParseInstant(p.item(0).Text(signal.AttrLastUpdatedAt))
			if err != nil || at.Before(r.started.Truncate(time.Millisecond)) || r.Raced != 1 {
				w.Errorf("tick %d, which began %s: as of %v, %+v", tick, r.started, at, r.Counts)
			}
		})
		over.Store(true)
		writers.Wait()
	})
}
