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

// slow is a table whose claims take that long, or end with their context.
type slow struct {
	*table
	claim time.Duration
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
			w.runner.Store = slow{w.table, 56 * time.Second}
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
		asked := time.Now()
		w.takes(10 * time.Second)
		w.run()
		if got := w.table.item(key).Text(signal.AttrLastUpdatedAt); got != signal.FormatInstant(asked) {
			t.Errorf("it is as of %s, want %s", got, signal.FormatInstant(asked))
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
