package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// seedIn seeds a dirty signal in one of sixteen shards that belongs to another, which
// may be the same, on the first such date that is free.
func (w *world) seedIn(from, to int, changes ...with) signal.Key {
	w.Helper()
	w.bucket.Shards = 16
	for day := (signal.Date{Year: 2026, Month: time.July, Day: 1}); ; day = day.AddDays(1) {
		key := signal.Key{PK: loop.PK(), SK: day.String()}
		if signal.Shard(key, 16) == to && w.table.item(key) == nil {
			return w.seed(key.SK, append(changes, attr(signal.AttrGSIPK, signal.S(signal.ShardKey(w.bucket.Name, from))))...)
		}
	}
}

// began records when each signal's reading of the source begins.
func (w *world) began() map[signal.Key]time.Duration {
	started, began, answer := time.Now(), map[signal.Key]time.Duration{}, w.estimate
	w.estimate = func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
		began[d.Key()] = time.Since(started)
		return answer(ctx, d)
	}
	return began
}

// A signal that leaves its shard for another costs a unit of each: at two units a
// second, the next of that shard waits for half a second.
func TestRun_movingCostsBothShards(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 1, 1
		w.seedIn(0, 5, dirtyFor(2*time.Minute))
		next := w.seedIn(0, 0, dirtyFor(time.Minute))
		began := w.began()
		w.run()
		if began[next] != 500*time.Millisecond {
			t.Errorf("the next one began after %s", began[next])
		}
	})
}

// The same after one that was picked at random.
func TestRun_movingCostsBothShardsAfterAProbe(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 1, 1
		asked := 0
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			if asked++; asked <= 10 {
				return signal.Estimate{}, errDown
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		for i := range 11 {
			w.seedIn(0, 0, dirtyFor(time.Duration(100-i)*time.Minute))
		}
		moves, last := w.seedIn(0, 5, dirtyFor(2*time.Minute)), w.seedIn(0, 0, dirtyFor(time.Minute))
		began := w.began()
		w.run()
		// Ten that fail, half a second for each; the probe; one that moves; one more.
		if began[moves] != 5500*time.Millisecond || began[last] != 6500*time.Millisecond {
			t.Errorf("after the probe they began after %s and %s", began[moves], began[last])
		}
	})
}

// A signal that is picked at random waits for a unit of the shard that it leaves and of
// the one that it goes to, and takes both: at two a second, the next that wants two of
// either waits for a second more.
func TestRun_probesWithinTheBudgetOfBothShards(t *testing.T) {
	const leaves, goes = 3, 5
	for name, emptied := range map[string]int{"the one it leaves": leaves, "the one it goes to": goes} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 1, 1
				// The first takes all that a shard has; then ten of other shards fail.
				w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
					if signal.Shard(d.Key(), 16) > goes {
						return signal.Estimate{}, errDown
					}
					return signal.Estimate{Available: 7, Capacity: 10}, nil
				}
				w.seedIn(emptied, emptied, dirtyFor(2*time.Hour))
				for shard := goes + 1; shard < 16; shard++ {
					w.seedIn(shard, shard, dirtyFor(time.Hour))
				}
				probe, last := w.seedIn(leaves, goes, dirtyFor(2*time.Minute)), w.seedIn(emptied, emptied, dirtyFor(time.Minute))
				began := w.began()
				w.run()
				if began[probe] != 500*time.Millisecond || began[last] != 1500*time.Millisecond {
					t.Errorf("the probe began after %s, and the next after %s; want half a second, and a second more", began[probe], began[last])
				}
			})
		})
	}
}

// A claim that is refused gives back to either shard what it has taken of it.
func TestRun_refusedClaimGivesBackToBothShards(t *testing.T) {
	const leaves, goes = 3, 5
	for name, emptied := range map[string]int{"the one it leaves": leaves, "the one it goes to": goes} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 1, 1
				moves, next := w.seedIn(leaves, goes, dirtyFor(time.Hour)), w.seedIn(emptied, emptied)
				w.table.ghosts = append(w.table.ghosts, w.table.item(moves))
				clean(w.table.items[moves])
				began := w.began()
				if report := w.run(); report.Refused != 1 || began[next] != 0 {
					t.Errorf("the next began after %s: %+v", began[next], report)
				}
			})
		})
	}
}

// What another has taken of that shard's budget meanwhile is waited for anew.
func TestRun_samplesOfOneShardWaitForOneAnother(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 2, 1
		slow := w.seedIn(15, 15, dirtyFor(2*time.Hour))
		for shard := 5; shard < 15; shard++ {
			w.seedIn(shard, shard, dirtyFor(time.Hour))
		}
		first := w.seedIn(0, 5)
		w.seedIn(1, 1, dirtyFor(time.Minute))
		second := w.seedIn(1, 5)
		started, claimed := time.Now(), map[signal.Key]time.Duration{}
		w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
			if write.Op != protocol.OpClaim {
				return do()
			}
			w.mu.Lock()
			claimed[write.Key] = time.Since(started)
			w.mu.Unlock()
			if write.Key == slow {
				time.Sleep(200 * time.Millisecond)
			}
			return nil, dynamo.ErrRejected
		}
		w.run()
		// One of two that check waits for a unit of shard 5 from the beginning, the other
		// until 700 ms for one of shard 1, when shard 5 is short of it again.
		if claimed[first] != 500*time.Millisecond || claimed[second] != time.Second {
			t.Errorf("claimed after %s and %s, want half a second and a second", claimed[first], claimed[second])
		}
	})
}

// Whose budget is filled first is checked first.
func TestRun_waitsForTheShardThatIsReadyFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency, w.bucket.Checks.WriteBudget = 1, 1
		w.seedIn(1, 1, dirtyFor(time.Hour))
		late := w.seedIn(1, 1, dirtyFor(time.Minute))
		w.seedIn(2, 3, dirtyFor(time.Hour))
		early := w.seedIn(2, 2, dirtyFor(time.Minute))
		began := w.began()
		w.run()
		if began[early] != 500*time.Millisecond || began[late] != time.Second {
			t.Errorf("they began after %s and %s, want half a second and a second", began[early], began[late])
		}
	})
}

// Probes are picked from all shards.
func TestRun_probesEveryShard(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		for shard := range 16 {
			for range 3 {
				w.seedIn(shard, shard)
			}
		}
		n := 0
		w.runner.Random = func() float64 {
			n++
			return float64(n%10) / 10
		}
		w.estimate = failing(errDown)
		report := w.run()
		if report.BackedOff != 20 || report.Remaining != 28 {
			t.Errorf("report: %+v", report)
		}
		shards := map[int]bool{}
		for _, d := range w.asked[10:] {
			shards[signal.Shard(d.Key(), 16)] = true
		}
		if len(shards) < 6 {
			t.Errorf("ten probes of %d shards", len(shards))
		}
	})
}
