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

// seedClean puts clean signals with a value into the table, for dates in order.
func (w *world) seedClean(n int) []signal.Key {
	first := signal.Date{Year: 2026, Month: time.July, Day: 1}
	keys := make([]signal.Key, n)
	for i := range keys {
		keys[i] = w.seed(first.AddDays(i).String(), valued("7", time.Hour))
	}
	return keys
}

// A bucket whose checks take all of its time is audited all the same, a little.
func TestAudit_getsOnHoweverLongTheChecksTake(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency, w.bucket.Checks.Lease = 1, time.Hour
		w.seedClean(100)
		w.seed("2027-07-01")
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			time.Sleep(10 * time.Second)
			if d.Date.Year == 2027 {
				time.Sleep(290 * time.Second)
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		// A tenth of the five minutes, for checks of ten seconds.
		if report := w.run(); report.Cleaned != 1 || report.Audited != 3 {
			t.Errorf("report: %+v", report)
		}
	})
}

// What was begun and not got through is what the next run begins with.
func TestAudit_goesOnWithWhatItWasCutOffIn(t *testing.T) {
	for _, late := range []int{0, 1, 2} {
		t.Run(fmt.Sprint(late), func(t *testing.T) {
			inAudit(t, atOnce, func(w *world) {
				w.bucket.Checks.Concurrency = 3
				keys := w.seedClean(3)
				w.table.onRead = func(k signal.Key) error {
					if k == keys[late] {
						time.Sleep(57 * time.Second)
						return context.DeadlineExceeded
					}
					return nil
				}
				// What there was no time for has not failed.
				w.wantCounts(w.runFor(time.Minute), check.Counts{Audited: 2})
				if lines := w.logged("audit stopped; the next run goes on with it"); len(lines) != 0 {
					t.Errorf("log: %v", lines)
				}
				if c := w.cursor(); c.Passed != int64(late) {
					t.Errorf("cursor %+v, want %d passed", c, late)
				}
				w.table.onRead = nil
				w.asked = nil
				w.run()
				if len(w.asked) == 0 || len(w.asked) != 3-late {
					t.Errorf("the next run audited %d, want the last %d", len(w.asked), 3-late)
				}
			})
		})
	}
}

// So is what the source was still asked for when the time was up, and what the source
// has answered for and could not be written any more.
func TestAudit_goesOnWithWhatWasNotWritten(t *testing.T) {
	for name, prepare := range map[string]func(w *world){
		"asked too late": func(w *world) {
			w.table.onRead = func(signal.Key) error {
				time.Sleep(54 * time.Second)
				return nil
			}
			w.takes(time.Hour)
		},
		"answered too late": func(w *world) {
			w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
				time.Sleep(56 * time.Second)
				return signal.Estimate{Available: 7, Capacity: 10}, nil
			}
			w.on(protocol.OpAuditFlip, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrUnknown })
		},
	} {
		t.Run(name, func(t *testing.T) {
			// The next pass is far.
			inAudit(t, 20*time.Minute, func(w *world) {
				key := w.seed("2026-07-01", valued("9", time.Hour))
				prepare(w)
				w.wantCounts(w.runFor(time.Minute), check.Counts{})
				w.table.onRead = nil
				w.takes(0)
				if report := w.run(); report.Mismatched != 1 || w.bit(key) != signal.Dirty {
					t.Errorf("the next run: %+v", report.Counts)
				}
			})
		})
	}
}

// An item that cannot be read is reported, and the audit goes on.
func TestAudit_itemThatCannotBeRead(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		keys := w.seedClean(3)
		w.table.onRead = func(k signal.Key) error {
			if k == keys[1] {
				return dynamo.ErrThrottled
			}
			return nil
		}
		w.wantCounts(w.run(), check.Counts{Audited: 2, AuditFailed: 1, Throttles: 1})
		c := protocol.ParseCursor(w.table.item(signal.AuditKey("5min", 0)))
		if !c.Ended || c.After != keys[2] {
			t.Errorf("cursor: %+v, want it past all three", c)
		}
	})
}

// That time is up is no fault to report.
func TestAudit_endsInSilence(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.seedClean(3)
		w.table.onQuery = func(ctx context.Context, q dynamo.Query) error {
			if q.Equals == signal.Clean {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		w.runFor(time.Minute)
		if lines := w.logged("audit stopped; the next run goes on with it"); len(lines) != 0 {
			t.Errorf("log: %v", lines)
		}
	})
}

// That others have gone from the index meanwhile does not end the pass before what it
// was cut off in.
func TestAudit_goesOnThoughOthersAreGone(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 3
		keys := w.seedClean(4)
		w.table.onQuery = func(_ context.Context, q dynamo.Query) error {
			if q.Equals == signal.Clean && q.Limit > 0 {
				w.seed(keys[3].SK, attr(signal.AttrNotBefore, signal.N(time.Now().Add(time.Hour).UnixMilli())))
			}
			return nil
		}
		w.table.onRead = func(k signal.Key) error {
			if k == keys[1] {
				time.Sleep(57 * time.Second)
				return context.DeadlineExceeded
			}
			return nil
		}
		w.wantCounts(w.runFor(time.Minute), check.Counts{Audited: 2})
		w.table.onRead, w.asked = nil, nil
		w.run()
		if len(w.asked) != 2 {
			t.Errorf("the next run audited %v, want the two after the first", w.asked)
		}
	})
}
