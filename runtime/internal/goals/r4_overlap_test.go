package goals_test

import (
	"sync"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// atOnce has three runs of a bucket begin at one time.
func (p *platform) atOnce(w *simulator.World, held bool) [3]check.Report {
	var reports [3]check.Report
	var runs sync.WaitGroup
	for i := range reports {
		c := w.Client("function")
		r := p.runner(c)
		if !held {
			r.Store = unheld{r.Store}
		}
		runs.Go(func() { reports[i] = p.runFor(r, c, tick) })
	}
	runs.Wait()
	return reports
}

// Three runs that do not know of each other repeat next to no check.
func TestR4_threeRunsWithoutTheHold(t *testing.T) {
	const signals = 2000
	inWorld(t, simulator.Config{Seed: 8, IndexLag: simulator.Between(0, time.Minute)}, func(w *simulator.World, p *platform) {
		p.source = takes(20 * time.Millisecond)
		p.register()
		p.seed(0, signals, true)
		p.db.Settle()
		var cleaned int64
		for _, r := range p.atOnce(w, false) {
			cleaned += r.Cleaned
		}
		w.Logf("%d checks of %d signals", p.asked, signals)
		if cleaned != signals || float64(p.asked) > 1.02*signals {
			w.Errorf("%d cleaned by %d checks, of %d", cleaned, p.asked, signals)
		}
	})
}

// With it one of them does all, within the write budget.
func TestR4_threeRunsWithTheHold(t *testing.T) {
	const signals = 2000
	inWorld(t, simulator.Config{Seed: 9}, func(w *simulator.World, p *platform) {
		p.source = takes(20 * time.Millisecond)
		p.bucket.Checks.WriteBudget = signal.DefaultChecks().WriteBudget
		p.register()
		p.seed(0, signals, true)
		p.db.ResetUsage()
		drained := 0
		for _, r := range p.atOnce(w, true) {
			switch {
			case r.Cleaned == signals:
				drained++
			case r.HeldUntil.IsZero() || r.Seen > 0:
				w.Errorf("one that did not drain: %+v", r)
			}
		}
		peak := p.db.Peak(table, simulator.CadenceIndex, signal.ShardKey(name, 0)).Write
		w.Logf("%d drained, with at most %v write units a second", drained, peak)
		if drained != 1 || p.asked != signals || peak > 1.05*2*float64(p.bucket.Checks.WriteBudget) {
			w.Errorf("%d drained, by %d checks, with %v write units a second", drained, p.asked, peak)
		}
	})
}
