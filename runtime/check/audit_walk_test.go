package check_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// walked is the shards whose audit has been begun.
func (w *world) walked() int {
	n := 0
	for shard := range signal.MaxShards {
		if w.table.item(signal.AuditKey(w.bucket.Name, shard)) != nil {
			n++
		}
	}
	return n
}

// Where the source is gone, or time is up, no other shard is begun.
func TestAudit_beginsNoShardInVain(t *testing.T) {
	t.Run("source gone", func(t *testing.T) {
		inAudit(t, atOnce, func(w *world) {
			w.bucket.Checks.Concurrency = 1
			w.seedClean(100)
			w.estimate = failing(errDown)
			w.run()
			if n := w.walked(); n != 1 {
				t.Errorf("%d shards were begun", n)
			}
		})
	})
	t.Run("time up", func(t *testing.T) {
		inAudit(t, atOnce, func(w *world) {
			w.bucket.Checks.Concurrency = 1
			w.seedClean(100)
			w.takes(10 * time.Second)
			w.run()
			if n := w.walked(); n != 1 {
				t.Errorf("%d shards were begun", n)
			}
		})
	})
}

// A pass takes three quarters of max_staleness; the next begins with that very tick.
func TestAudit_nextPass(t *testing.T) {
	inAudit(t, 20*time.Minute, func(w *world) {
		w.seedClean(1)
		for tick, want := range []int64{1, 0, 0, 1, 0, 0, 1} {
			if report := w.run(); report.Audited != want {
				t.Errorf("tick %d: audited %d, want %d", tick, report.Audited, want)
			}
			time.Sleep(5 * time.Minute)
		}
	})
}

// One answer to the audit itself shows that the source works.
func TestAudit_oneAnswerIsEnough(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedClean(20)
		asked := 0
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			if asked++; asked > 1 && asked < 17 {
				return signal.Estimate{}, errDown
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		w.wantCounts(w.run(), check.Counts{Audited: 5, AuditFailed: 15})
	})
}

// surveys is how often clean signals are counted.
func (w *world) surveys() *int {
	n := 0
	w.table.onQuery = func(_ context.Context, q dynamo.Query) error {
		if q.Equals == signal.Clean && q.Limit == 0 {
			n++
		}
		return nil
	}
	return &n
}

// Each shard is counted once for a pass, the empty ones too, and a tick at which
// nothing is due writes nothing.
func TestAudit_countsAndWritesNoMoreThanItMust(t *testing.T) {
	inAudit(t, 24*time.Hour, func(w *world) {
		w.seedClean(3)
		surveys := w.surveys()
		w.run()
		if n := w.walked(); n != 16 || *surveys != 16 {
			t.Errorf("%d shards were begun, %d counted", n, *surveys)
		}
		before := len(w.table.sent(protocol.OpAdvance))
		if before != 16 {
			t.Errorf("%d cursors were written, want one for each shard", before)
		}
		time.Sleep(5 * time.Minute)
		report := w.run()
		if n := len(w.table.sent(protocol.OpAdvance)) - before; n != 0 || *surveys != 16 || report.Audited != 0 {
			t.Errorf("%d writes, %d counts, %d audits at a tick at which nothing is due", n, *surveys-16, report.Audited)
		}
	})
}

// A pass ends where there is nothing more, though more had been counted.
func TestAudit_passEndsThoughSomeAreGone(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		keys := w.seedClean(3)
		surveys := w.surveys()
		count := w.table.onQuery
		w.table.onQuery = func(ctx context.Context, q dynamo.Query) error {
			if q.Limit > 0 {
				for _, k := range keys[1:] {
					w.seed(k.SK, attr(signal.AttrNotBefore, signal.N(time.Now().Add(time.Hour).UnixMilli())))
				}
			}
			return count(ctx, q)
		}
		w.wantCounts(w.run(), check.Counts{Audited: 1})
		if c := w.cursor(); !c.Ended || c.Passed != 1 || *surveys != 16 {
			t.Errorf("cursor %+v after %d counts", c, *surveys)
		}
	})
}

// A pass that began after now, by a clock that was wrong, is begun again.
func TestAudit_passOfAWrongClock(t *testing.T) {
	inAudit(t, 20*time.Minute, func(w *world) {
		w.seedClean(1)
		ahead := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
		write, _ := protocol.Advance("5min", 0, protocol.Cursor{PassStarted: ahead, Counted: ahead, Entries: 1})
		if _, err := w.table.apply(write); err != nil {
			t.Fatal(err)
		}
		w.wantCounts(w.run(), check.Counts{Audited: 1})
		if c := w.cursor(); c.PassStarted.After(time.Now()) {
			t.Errorf("cursor %+v", c)
		}
	})
}

// A cursor's advance whose answer was lost is its own.
func TestAudit_advanceWhoseAnswerIsLost(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.seedClean(3)
		w.on(protocol.OpAdvance, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
			if _, err := do(); err != nil {
				return nil, err
			}
			return do()
		})
		w.run()
		if n := w.walked(); n != 16 || len(w.warnings()) != 0 {
			t.Errorf("%d shards were begun, warnings %q", n, w.warnings())
		}
	})
}

// What was added during a pass has until the end of max_staleness, at an even pace.
func TestAudit_spreadsWhatWasAdded(t *testing.T) {
	inAudit(t, 24*time.Hour, func(w *world) {
		w.seedClean(61)
		began := time.Now().Add(-18 * time.Hour)
		write, _ := protocol.Advance("5min", 0, protocol.Cursor{PassStarted: began, Counted: began, Entries: 1})
		if _, err := w.table.apply(write); err != nil {
			t.Fatal(err)
		}
		// The one that was counted, and the first of sixty in six hours.
		w.wantCounts(w.run(), check.Counts{Audited: 2})
	})
}

// No page is listed that is not looked at, and none is longer than what was counted.
func TestAudit_listsNoMoreThanItLooksAt(t *testing.T) {
	for name, test := range map[string]struct {
		entries int
		source  func(w *world)
		limits  []int32
	}{
		"time is up": {130, func(w *world) { w.takes(1875 * time.Millisecond) }, []int32{128}},
		"the source is gone": {130, func(w *world) {
			asked := 0
			w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
				if asked++; asked <= 118 {
					return signal.Estimate{}, &source.ItemError{Item: "pool", Reason: "broken"}
				}
				return signal.Estimate{}, errDown
			}
		}, []int32{128}},
		"all": {130, func(*world) {}, []int32{128, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			inAudit(t, atOnce, func(w *world) {
				w.bucket.Checks.Concurrency = 1
				w.seedClean(test.entries)
				test.source(w)
				var limits []int32
				w.table.onQuery = func(_ context.Context, q dynamo.Query) error {
					if q.Limit > 0 {
						limits = append(limits, q.Limit)
					}
					return nil
				}
				w.run()
				if !slices.Equal(limits, test.limits) {
					t.Errorf("pages of %v, want %v", limits, test.limits)
				}
			})
		})
	}
}

// Where ticks come more often from now on, more has been passed than is due: the walk
// waits, and goes on from there.
func TestAudit_cadenceBecomesShorter(t *testing.T) {
	inAudit(t, 24*time.Hour, func(w *world) {
		w.bucket.Cadence = signal.Cadence{Hours: 1}
		w.seedClean(180)
		// A pass takes 18 hours: ten an hour.
		w.wantCounts(w.run(), check.Counts{Audited: 10})
		w.bucket.Cadence = signal.Cadence{Minutes: 5}
		time.Sleep(5 * time.Minute)
		w.wantCounts(w.run(), check.Counts{})
		time.Sleep(time.Hour)
		// Due are those of 70 minutes.
		w.wantCounts(w.run(), check.Counts{Audited: 2})
	})
}
