package goals_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Within a second, a run writes no more to a shard of the index than its budget
// allows.
func TestP5_writesOfAShard(t *testing.T) {
	inWorld(t, simulator.Config{}, func(w *simulator.World, p *platform) {
		const shards = 4
		signals := atScale(8000, 2000)
		p.bucket.Shards, p.bucket.Checks.WriteBudget = shards, signal.DefaultChecks().WriteBudget
		p.register()
		p.seed(0, signals, true)
		p.db.ResetUsage()
		report := p.run(w.Client("function"))
		if report.Cleaned != int64(signals) {
			w.Errorf("%d cleaned", report.Cleaned)
		}
		for shard := range shards {
			peak := p.db.Peak(table, simulator.CadenceIndex, signal.ShardKey(name, shard)).Write
			w.Logf("shard %d: at most %v write units in a second", shard, peak)
			// A clean costs two.
			if budget := 2 * float64(p.bucket.Checks.WriteBudget); peak > 1.05*budget {
				w.Errorf("shard %d: %v write units in a second, of a budget of %v", shard, peak, budget)
			}
		}
		allowed := time.Duration(signals/shards/p.bucket.Checks.WriteBudget) * time.Second
		if took := time.Duration(report.DurationMS) * time.Millisecond; took > allowed*13/10 {
			w.Errorf("it took %s, and the budget allows for %s", took, allowed)
		}
	})
}

// Applications are not throttled beside a run that has much to do, and would be
// if it kept no pace.
func TestP5_writersBesideARun(t *testing.T) {
	signals, shards := atScale(100_000, 4000), atScale(signal.MaxShards, 1)
	throttled, flips := besideARun(t, signals, shards, signal.DefaultChecks().WriteBudget)
	t.Logf("at its pace: %d of %d flips were throttled", throttled, flips)
	if throttled > 0 || flips < 1000 {
		t.Errorf("%d of %d flips were throttled", throttled, flips)
	}
	throttled, flips = besideARun(t, 8000, 1, 1_000_000)
	t.Logf("unpaced: %d of %d flips were throttled", throttled, flips)
	if 10*throttled < flips {
		t.Errorf("unpaced, only %d of %d flips were throttled: the limits are not what they should be", throttled, flips)
	}
}

// besideARun is how many of an application's flips are throttled while a run
// drains its bucket.
func besideARun(t *testing.T, signals, shards, budget int) (throttled, flips int64) {
	config := simulator.Config{OnCall: func(o simulator.Outcome) {
		if o.Client != "application" || o.Operation != "UpdateItem" {
			return
		}
		flips++
		if o.Err != nil {
			throttled++
		}
	}}
	inWorld(t, config, func(w *simulator.World, p *platform) {
		// Bookings are of others in the same shards, each of them clean.
		const booked, writers = 8000, 8
		p.bucket.Shards, p.bucket.Checks.WriteBudget, p.bucket.Checks.Concurrency = shards, budget, 256
		p.register()
		p.seed(0, signals, true)
		p.seed(signals, signals+booked, false)
		p.db.SetLimits(simulator.PartitionLimits())
		p.source = takes(20 * time.Millisecond)
		paced := budget < 1000
		application, function := w.Client("application"), w.Client("function")
		var over atomic.Bool
		var all sync.WaitGroup
		for n := range writers {
			all.Go(func() {
				for i := n; i < booked && !over.Load(); i += writers {
					if err := p.flips(application).Blind(w.Context(), day(signals+i).Key()); err != nil && paced {
						w.Error(err)
					}
					time.Sleep(50 * time.Millisecond)
				}
			})
		}
		report := p.runFor(p.runner(function), function, 14*time.Minute)
		over.Store(true)
		all.Wait()
		// Unpaced, it is throttled itself.
		if paced && report.Cleaned < int64(signals) {
			w.Errorf("%d of %d cleaned: %+v", report.Cleaned, signals, report.Counts)
		}
	})
	return throttled, flips
}
