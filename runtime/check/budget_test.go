package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// indexWrites records what is written to each shard of the cadence index: when, a
// unit at a time.
func (w *world) indexWrites() map[string][]time.Time {
	writes := map[string][]time.Time{}
	before := w.table.onWrite
	w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
		from := w.table.item(write.Key).Text(signal.AttrGSIPK)
		item, err := do()
		if before != nil {
			item, err = before(write, func() (signal.Item, error) { return item, err })
		}
		if err != nil {
			return item, err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		switch write.Op {
		case protocol.OpFinishClean, protocol.OpAuditFlip:
			to := w.table.item(write.Key).Text(signal.AttrGSIPK)
			writes[from] = append(writes[from], time.Now())
			writes[to] = append(writes[to], time.Now())
		case protocol.OpFinishRaced, protocol.OpFinishSettling, protocol.OpFinishFailed, protocol.OpFinishBackOff, protocol.OpSweep:
			writes[from] = append(writes[from], time.Now())
		}
		return item, err
	}
	return writes
}

// most is the most of them in any second.
func most(times []time.Time) int {
	n, first := 0, 0
	for i, at := range times {
		for at.Sub(times[first]) >= time.Second {
			first++
		}
		n = max(n, i-first+1)
	}
	return n
}

// An index shard takes 1,000 units a second, and a clean costs two of them.
func TestRun_keepsTheWriteBudgetOfEachShard(t *testing.T) {
	for _, test := range []struct {
		name          string
		shards        int
		seededIn      func(i int) int
		atLeast, most time.Duration
	}{
		// 2,000 cleans at 100 a second.
		{"one shard", 1, func(int) int { return 0 }, 19 * time.Second, 20 * time.Second},
		// Each of 16 has some 125; they go on side by side.
		{"sixteen shards", 16, nil, time.Second, 2 * time.Second},
		// They leave one shard for sixteen: half of each clean is written there.
		{"seeded under the bare ID", 16, func(int) int { return 0 }, 9 * time.Second, 11 * time.Second},
		{"back to one shard", 1, func(i int) int { return i % 16 }, 9 * time.Second, 11 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Shards, w.bucket.Checks.WriteBudget = test.shards, 100
				first := signal.Date{Year: 2026, Month: time.July, Day: 1}
				for i := range 2000 {
					date := first.AddDays(i).String()
					shard := signal.Shard(signal.Key{PK: loop.PK(), SK: date}, test.shards)
					if test.seededIn != nil {
						shard = test.seededIn(i)
					}
					w.seed(date, attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", shard))))
				}
				writes := w.indexWrites()
				began := time.Now()
				if report := w.run(); report.Cleaned != 2000 {
					t.Fatalf("cleaned %d", report.Cleaned)
				}
				for shard, times := range writes {
					if n := most(times); n > 210 {
						t.Errorf("%d units in a second of %s, want the 200 of its budget and no more than 5 %% above", n, shard)
					}
				}
				if took := time.Since(began); took < test.atLeast || took > test.most {
					t.Errorf("it took %s, want %s to %s", took, test.atLeast, test.most)
				}
			})
		})
	}
}

// What another run has cleaned already costs nothing.
func TestRun_budgetIsForWritesAlone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget = 10
		for i := range 500 {
			k := w.seed(signal.Date{Year: 2026, Month: time.July, Day: 1}.AddDays(i).String())
			w.table.ghosts = append(w.table.ghosts, w.table.item(k))
			clean(w.table.items[k])
		}
		if report := w.run(); report.Refused != 500 || report.DurationMS > 1000 {
			t.Errorf("report: %+v", report)
		}
	})
}

func TestRun_oneShardsBudgetDoesNotDelayTheOthers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Shards, w.bucket.Checks.WriteBudget, w.bucket.Checks.Concurrency = 16, 10, 4
		var slow, quick []signal.Key
		day := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for ; len(slow) < 100 || len(quick) < 5; day = day.AddDays(1) {
			k := signal.Key{PK: loop.PK(), SK: day.String()}
			in := attr(signal.AttrGSIPK, signal.S(w.bucket.GSIPK(k)))
			switch shard := signal.Shard(k, 16); {
			case shard == 3 && len(slow) < 100:
				slow = append(slow, w.seed(k.SK, dirtyFor(time.Hour), in))
			case shard == 4 && len(quick) < 5:
				quick = append(quick, w.seed(k.SK, in))
			}
		}
		report := w.runFor(10 * time.Second)
		for _, k := range quick {
			if w.bit(k) != signal.Clean {
				t.Errorf("%s waits for another shard's budget", k)
			}
		}
		if report.Cleaned < 60 || report.Cleaned > 95 || report.Remaining == 0 {
			t.Errorf("want ten a second of the slow shard: %+v", report)
		}
	})
}

func TestRun_budgetOfTheNextTickIsTheRegistrys(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, test := range []struct {
			budget int
			want   time.Duration
		}{{50, 10 * time.Second}, {250, 2 * time.Second}} {
			w.bucket.Checks.WriteBudget = test.budget
			for i := range 500 {
				w.seed(signal.Date{Year: 2026, Month: time.July, Day: 1}.AddDays(i).String())
			}
			report := w.run()
			if got := time.Duration(report.DurationMS) * time.Millisecond; got > test.want || got < test.want*9/10 {
				t.Errorf("with a budget of %d it took %s, want %s", test.budget, got, test.want)
			}
		}
	})
}

// What is saved up in quiet times is no more than a twentieth of a second's, so that no
// second after them has much more than its budget.
func TestRun_savesLittleOfItsBudgetUp(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget, w.bucket.Checks.Concurrency = 100, 1
		w.seedMany(500)
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			if w.askedSoFar() == 1 {
				time.Sleep(10 * time.Second)
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		writes := w.indexWrites()
		w.run()
		times := writes[signal.ShardKey("5min", 0)]
		if n := most(times); len(times) != 1000 || n > 210 {
			t.Errorf("%d units in a second of %d, want the 200 of its budget and no more than 5 %% above", n, len(times))
		}
	})
}

// A claim that is refused gives back what it has taken, and no more.
func TestRun_refusedClaimsAreNoBudgetForOthers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget, w.bucket.Checks.Concurrency = 50, 1
		for i, k := range w.seedMany(1000) {
			if i%2 == 0 {
				w.table.ghosts = append(w.table.ghosts, w.table.item(k))
				clean(w.table.items[k])
			}
		}
		// 500 at 50 a second.
		if report := w.run(); report.Cleaned != 500 || report.Refused != 500 || report.DurationMS < 9900 || report.DurationMS > 10_000 {
			t.Errorf("report: %+v", report)
		}
	})
}
