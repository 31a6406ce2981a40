package check_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A lease is as long for the last signal of a run as for the first.
func TestRun_leaseCountsFromItsClaim(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedMany(3)
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			want := time.Now().Add(w.bucket.Checks.Lease).UnixMilli()
			if got := w.table.item(d.Key()).Int(signal.AttrLeaseUntil); got != want {
				t.Errorf("%s: the lease ends %d ms early", d, want-got)
			}
			time.Sleep(30 * time.Second)
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		w.run()
	})
}

// slow is a table whose claims take that long, or end with their context, as its clean
// finishes do if they hang.
type slow struct {
	*table
	claim time.Duration
	hangs bool
}

func (s slow) Write(ctx context.Context, write protocol.Write) (signal.Item, error) {
	if s.hangs && write.Op == protocol.OpFinishClean {
		<-ctx.Done()
	}
	return s.table.Write(ctx, write)
}

func (s slow) WriteOnce(ctx context.Context, write protocol.Write) (signal.Item, error) {
	select {
	case <-time.After(s.claim):
		return s.table.WriteOnce(ctx, write)
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", dynamo.ErrUnknown, ctx.Err())
	}
}

// The time for asking the source ends at 55 s of a minute, that for writing later:
// what is under way by then is not broken off.
func TestRun_writesAfterTheTimeForTheSource(t *testing.T) {
	t.Run("a claim", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.runner.Store = slow{table: w.table, claim: 56 * time.Second}
			key := w.seed("2026-07-01")
			if report := w.runFor(time.Minute); report.Released != 1 || !w.free(key) {
				t.Errorf("%+v", report.Counts)
			}
		})
	})
	t.Run("a claim whose answer is lost", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpClaim, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
				_, _ = do()
				time.Sleep(56 * time.Second)
				return nil, dynamo.ErrUnknown
			})
			if report := w.runFor(time.Minute); report.Released != 1 || !w.free(key) {
				t.Errorf("%+v", report.Counts)
			}
		})
	})
	t.Run("a finish that has to be repeated", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, 1, func(func() (signal.Item, error)) (signal.Item, error) {
				time.Sleep(56 * time.Second)
				return nil, dynamo.ErrConflict
			})
			if report := w.runFor(time.Minute); report.Cleaned != 1 || w.bit(key) != signal.Clean {
				t.Errorf("%+v", report.Counts)
			}
		})
	})
	t.Run("a finish without an answer, until there is time for the run item alone", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.runner.Store = slow{table: w.table, hangs: true}
			w.seed("2026-07-01")
			if report := w.runFor(time.Minute); report.Abandoned != 1 || report.DurationMS != 58_750 {
				t.Errorf("%d ms, %+v", report.DurationMS, report.Counts)
			}
			if !w.table.item(signal.RunKey("5min"))[protocol.AttrReport].Exists() {
				t.Error("the run item has no report")
			}
		})
	})
	t.Run("what an audit has found", func(t *testing.T) {
		inAudit(t, atOnce, func(w *world) {
			key := w.seed("2026-07-01", valued("9", time.Hour))
			w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
				time.Sleep(56 * time.Second)
				return signal.Estimate{Available: 7, Capacity: 10}, nil
			}
			if report := w.runFor(time.Minute); report.Mismatched != 1 || w.bit(key) != signal.Dirty {
				t.Errorf("%+v", report.Counts)
			}
		})
	})
}

// unread is a table whose items are not read until the context ends.
type unread struct{ *table }

func (u unread) Get(ctx context.Context, _ signal.Key, _ ...string) (signal.Item, error) {
	<-ctx.Done()
	return nil, fmt.Errorf("%w: %w", dynamo.ErrUnknown, ctx.Err())
}

// An audit's reads end with the time for the source: they leave nothing to finish.
func TestAudit_readsInTheTimeForTheSource(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.runner.Store = unread{w.table}
		w.seed("2026-07-01", valued("7", time.Hour))
		if report := w.runFor(time.Minute); report.DurationMS != 55_000 {
			t.Errorf("it took %d ms, want 55 s", report.DurationMS)
		}
	})
}

// Whoever gives up while the source is asked leaves nothing claimed.
func TestCheckNow_cancelled(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01")
		w.table.put(w.bucket.Item())
		ctx, cancel := context.WithCancel(w.Context())
		w.estimate = func(ctx context.Context, _ signal.ProductDate) (signal.Estimate, error) {
			cancel()
			return signal.Estimate{}, ctx.Err()
		}
		report, err := w.runner.CheckNow(ctx, w.bucket.Name, []signal.Key{key}, func(check.Outcome) {})
		if err != nil || report.Released != 1 || !w.free(key) || w.bit(key) != signal.Dirty {
			t.Errorf("%v, %+v", err, report.Counts)
		}
	})
}

// A value that an audit finds right is as of when the source was asked, not of when
// it answered.
func TestAudit_rightAsOfTheQuestion(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		key := w.seed("2026-07-01", valued("7", time.Hour))
		w.table.onRead = func(signal.Key) error {
			time.Sleep(5 * time.Second)
			return nil
		}
		asked := time.Now().Add(5 * time.Second)
		w.takes(10 * time.Second)
		w.run()
		if got := w.table.item(key).Text(signal.AttrLastUpdatedAt); got != signal.FormatInstant(asked) {
			t.Errorf("it is as of %s, want %s", got, signal.FormatInstant(asked))
		}
	})
}

// What an audit finds wrong is dirty from then on, not since the run began.
func TestAudit_dirtySinceItsFlip(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		key := w.seed("2026-07-01", valued("9", time.Hour))
		w.takes(10 * time.Second)
		w.run()
		if got := w.table.item(key).Text(signal.AttrDirtySince); got != signal.FormatInstant(time.Now()) {
			t.Errorf("dirty since %s, want %s", got, signal.FormatInstant(time.Now()))
		}
	})
}

// A check that comes between an audit's read and its source's answer is the newer one,
// and no mismatch.
func TestAudit_checkedMeanwhile(t *testing.T) {
	for _, value := range []string{"7", "9"} {
		inAudit(t, atOnce, func(w *world) {
			key := w.seed("2026-07-01", valued("7", time.Hour))
			var checked signal.Item
			w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
				time.Sleep(time.Second)
				checked = w.table.item(key)
				checked[signal.AttrValue], checked[signal.AttrRev] = signal.S(value), signal.N(checked.Int(signal.AttrRev)+1)
				checked[signal.AttrLastUpdatedAt] = signal.S(signal.FormatInstant(time.Now()))
				w.table.put(checked.Clone())
				return signal.Estimate{Available: 7, Capacity: 10}, nil
			}
			report := w.run()
			if got, want := w.table.item(key).Text(signal.AttrLastUpdatedAt), checked.Text(signal.AttrLastUpdatedAt); got != want || report.Mismatched != 0 || w.bit(key) != signal.Clean {
				t.Errorf("checked as %s: as of %s, want %s; %s, %d mismatched", value, got, want, w.bit(key), report.Mismatched)
			}
		})
	}
}

func TestRun_lastRunAtIsItsEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.takes(3 * time.Second)
		w.run()
		if got := w.table.item(signal.RunKey("5min")).Text(protocol.AttrLastRunAt); got != signal.FormatInstant(time.Now()) {
			t.Errorf("lastRunAt = %s, want %s", got, signal.FormatInstant(time.Now()))
		}
	})
}

// Where a bucket's shards become one, it is that one which must not be written too
// fast.
func TestRun_budgetIsOfTheShardToo(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget = 10
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 150 {
			w.seed(first.AddDays(i).String(), attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", 1+i%15))))
		}
		// Each is one unit of 20 a second there.
		if report := w.run(); report.Cleaned != 150 || report.DurationMS < 7000 {
			t.Errorf("%d are cleaned in %d ms", report.Cleaned, report.DurationMS)
		}
	})
}

// The pauses between repeats double.
func TestRun_pausesBetweenRepeats(t *testing.T) {
	t.Run("to the last", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.runner.Random = func() float64 { return 0.5 }
			w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, always, func(func() (signal.Item, error)) (signal.Item, error) {
				return nil, dynamo.ErrConflict
			})
			// A half of 50, 100, 200, 400 and 800 ms.
			if report := w.run(); report.Abandoned != 1 || report.DurationMS != 775 {
				t.Errorf("%d ms, %+v", report.DurationMS, report.Counts)
			}
		})
	})
	t.Run("after the time for the source too", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.runner.Random = func() float64 { return 0.5 }
			w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, 1, func(func() (signal.Item, error)) (signal.Item, error) {
				time.Sleep(56 * time.Second)
				return nil, dynamo.ErrConflict
			})
			if report := w.runFor(time.Minute); report.Cleaned != 1 || report.DurationMS != 56_025 {
				t.Errorf("%d ms, %+v", report.DurationMS, report.Counts)
			}
		})
	})
}

// Those that others have say nothing about the source.
func TestRun_probesThatAskNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		keys := w.seedMany(30)
		for _, k := range keys[10:25] {
			item := w.table.item(k)
			item[signal.AttrLeaseUntil] = signal.N(time.Now().Add(time.Hour).UnixMilli())
			w.table.put(item)
		}
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			if d.Date.String() <= "2026-07-10" {
				return signal.Estimate{}, dynamo.ErrUnknown
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		w.wantCounts(w.run(), check.Counts{Seen: 30, Due: 30, Claimed: 15, Refused: 15, BackedOff: 10, Computed: 5, Changed: 5, Cleaned: 5})
	})
}

// What shows stale values comes before what nobody looks at any more.
func TestSweep_comesAfterTheChecks(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-06-01", expiredFor(2*time.Hour))
		key := w.seed("2026-07-01")
		w.on(protocol.OpSweep, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
			if w.bit(key) != signal.Clean {
				t.Error("swept before what is dirty was checked")
			}
			return do()
		})
		if report := w.run(); report.Swept != 1 || report.Cleaned != 1 {
			t.Errorf("%+v", report.Counts)
		}
	})
}

// Each shard has a budget of its own, for what is swept and for an audit's flips too.
func TestRun_budgetOfManyShards(t *testing.T) {
	for name, tt := range map[string]struct {
		as with
		// most is what one shard's budget for all of them would exceed.
		most int64
	}{
		"swept":   {expiredFor(2 * time.Hour), 4000},
		"audited": {valued("9", time.Hour), 14_000},
	} {
		t.Run(name, func(t *testing.T) {
			inAudit(t, atOnce, func(w *world) {
				w.bucket.Checks.WriteBudget = 10
				first := signal.Date{Year: 2026, Month: time.July, Day: 1}
				for i := range 150 {
					w.seed(first.AddDays(i).String(), tt.as, attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", 1+i%15))))
				}
				report := w.run()
				if report.Swept+report.Mismatched != 150 || report.DurationMS > tt.most {
					t.Errorf("%d swept, %d flipped, in %d ms", report.Swept, report.Mismatched, report.DurationMS)
				}
			})
		})
	}
}

// Where time does not suffice, it is not always the same shards that wait.
func TestAudit_beginsWithAnyShard(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.runner.Random = func() float64 { return 0.5 }
		w.seed("2026-07-01", valued("7", time.Hour))
		w.seed("2026-07-02", valued("7", time.Hour), attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", 8))))
		w.seed("2026-07-03", valued("7", time.Hour), attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", 3))))
		w.run()
		if len(w.asked) != 3 || w.asked[0].Date.Day != 2 {
			t.Errorf("asked for %v", w.asked)
		}
	})
}

func TestAuditNow_cancelled(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01", valued("9", time.Hour))
		w.table.put(w.bucket.Item())
		ctx, cancel := context.WithCancel(w.Context())
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			cancel()
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		report, _, err := w.runner.AuditNow(ctx, w.bucket.Name, []signal.Key{key}, nil)
		if err != nil || report.Mismatched != 1 || w.bit(key) != signal.Dirty {
			t.Errorf("%v, %+v", err, report.Counts)
		}
	})
}

// One that was flipped meanwhile stays in its shard, and costs the other nothing.
func TestRun_budgetOfWhatDoesNotMove(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget = 10
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 150 {
			w.seed(first.AddDays(i).String(), attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", 1+i%15))))
		}
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			w.flip(d.Key())
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		if report := w.run(); report.Raced != 150 || report.DurationMS > 2000 {
			t.Errorf("%d are raced in %d ms", report.Raced, report.DurationMS)
		}
	})
}
