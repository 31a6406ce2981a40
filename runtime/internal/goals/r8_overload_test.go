package goals_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// With twice as much to do as there is time for, nobody waits for more than three
// ticks.
func TestR8_halfTheCapacity(t *testing.T) {
	const signals, ticks, concurrency = 800, 16, 4
	inWorld(t, simulator.Config{Seed: 10}, func(w *simulator.World, p *platform) {
		p.bucket.Checks.Concurrency = concurrency
		p.register()
		p.seed(0, signals, false)
		p.source = takes(time.Second)
		application := w.Client("application")
		c := w.Client("function")
		since := map[int]int{}
		worst, done := 0, 0
		for tick := range ticks {
			for n := range signals {
				if _, waits := since[n]; !waits {
					since[n] = tick
				}
			}
			p.flip(application, 0, signals)
			next := time.Now().Add(cadence)
			// A half of them, and what a run keeps at its end.
			report := p.runFor(p.runner(c), c, signals/2/concurrency*time.Second+6*time.Second)
			done += int(report.Cleaned)
			for n := range signals {
				if p.item(n).Text(signal.AttrGSISK) == signal.Clean {
					worst = max(worst, tick-since[n])
					delete(since, n)
				} else {
					worst = max(worst, tick-since[n]+1)
				}
			}
			time.Sleep(time.Until(next))
		}
		w.Logf("%d of %d a tick, and nobody waited more than %d ticks", done/ticks, signals, worst)
		if worst > 3 || done/ticks > signals*6/10 || done/ticks < signals*4/10 {
			w.Errorf("%d of %d a tick, one waited %d ticks", done/ticks, signals, worst)
		}
	})
}
