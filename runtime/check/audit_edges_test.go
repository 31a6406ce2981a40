package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// cursor is how far the audit of the first shard is.
func (w *world) cursor() protocol.Cursor {
	return protocol.ParseCursor(w.table.item(signal.AuditKey(w.bucket.Name, 0)))
}

// What the index still calls clean, and is not any more, is passed.
func TestAudit_passesWhatIsNotCleanAnyMore(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		keys := w.seedClean(3)
		late := w.seed("2026-07-02", attr(signal.AttrNotBefore, signal.N(time.Now().Add(time.Hour).UnixMilli())))
		ghost := w.table.item(late)
		clean(ghost)
		w.table.ghosts = []signal.Item{ghost}
		w.wantCounts(w.run(), check.Counts{Seen: 1, NotDue: 1, Audited: 2})
		if c := w.cursor(); !c.Ended || c.After != keys[2] {
			t.Errorf("cursor: %+v, want it past all three", c)
		}
	})
}

// What has no usable pattern has not kept the source waiting, however late it is.
func TestAudit_unusableItemReadTooLate(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.seed("2026-07-01", valued("7", time.Hour), attr(signal.AttrPattern, signal.S("?")))
		w.table.onRead = func(signal.Key) error {
			time.Sleep(57 * time.Second)
			return nil
		}
		w.wantCounts(w.runFor(time.Minute), check.Counts{})
	})
}

// A source that answers now and then is not gone, even where nothing can be written
// of it.
func TestAudit_sourceThatAnswersNowAndThen(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedClean(40)
		w.on(protocol.OpAuditSame, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrThrottled })
		asked := 0
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			if asked++; asked%8 != 0 {
				return signal.Estimate{}, errDown
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		w.wantCounts(w.run(), check.Counts{AuditFailed: 40, Throttles: 5})
	})
}

// That the source is gone is said once, however many were asking.
func TestAudit_saysOnceThatTheSourceIsGone(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 8
		w.seedClean(100)
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			time.Sleep(time.Second)
			return signal.Estimate{}, errDown
		}
		if report := w.run(); report.AuditFailed < 10 || report.AuditFailed > 17 {
			t.Errorf("report: %+v", report)
		}
		if lines := w.logged("the source fails: no more is audited in this run"); len(lines) != 1 {
			t.Errorf("log: %v", lines)
		}
	})
}

// What no source can be asked for is reported, and nothing is asked.
func TestAudit_unusableKey(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		key := w.seed("2026-07-01", valued("7", time.Hour), attr(signal.AttrSK, signal.S("the first of July")))
		w.wantCounts(w.run(), check.Counts{AuditFailed: 1})
		lines := w.logged("signal not audited")
		if len(lines) != 1 || lines[0]["key"] != key.String() || !strings.Contains(fmt.Sprint(lines[0]["reason"]), `invalid date "the first of July"`) {
			t.Errorf("log: %v", lines)
		}
		if len(w.asked) != 0 {
			t.Errorf("the source was asked for %v", w.asked)
		}
	})
}

// Of two that time is up for, the first is where the next run begins; and that time is
// up is no error of the source.
func TestAudit_twoCutOff(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 2
		w.seedClean(2)
		w.table.onQuery = func(_ context.Context, q dynamo.Query) error {
			// Too late for the source to have had time enough.
			if q.Limit > 0 {
				time.Sleep(33 * time.Second)
			}
			return nil
		}
		w.estimate = func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
			<-ctx.Done()
			time.Sleep(time.Duration(d.Date.Day) * time.Millisecond)
			return signal.Estimate{}, errDown
		}
		report := w.runFor(40 * time.Second)
		w.wantCounts(report, check.Counts{})
		if report.SourceError != "" {
			t.Errorf("source error: %s", report.SourceError)
		}
		w.table.onQuery = nil
		w.takes(0)
		w.wantCounts(w.run(), check.Counts{Audited: 2})
	})
}

// Where it cannot be read how far the audit is, or what there is to audit, it stops, and
// the next run goes on.
func TestAudit_queryThatFails(t *testing.T) {
	for says, fails := range map[string]func(q dynamo.Query, counts int) bool{
		"read how far the audit is": func(q dynamo.Query, _ int) bool { return q.From == signal.AuditPrefix },
		"list clean signals":        func(q dynamo.Query, _ int) bool { return q.Limit > 0 },
		// They are counted again once as many have been passed.
		"count clean signals": func(_ dynamo.Query, counts int) bool { return counts == 2 },
	} {
		t.Run(says, func(t *testing.T) {
			inAudit(t, atOnce, func(w *world) {
				w.seedClean(3)
				counts, failed := 0, false
				w.table.onQuery = func(_ context.Context, q dynamo.Query) error {
					if q.Equals == signal.Clean && q.Limit == 0 {
						counts++
					}
					if !failed && fails(q, counts) {
						failed = true
						return dynamo.ErrThrottled
					}
					return nil
				}
				w.run()
				lines := w.logged("audit stopped; the next run goes on with it")
				if len(lines) != 1 || lines[0]["error"] != says+": "+dynamo.ErrThrottled.Error() {
					t.Errorf("log: %v", lines)
				}
				time.Sleep(5 * time.Minute)
				if w.run(); !w.cursor().Ended {
					t.Errorf("cursor: %+v, want the pass ended", w.cursor())
				}
			})
		})
	}
}

// A source that hangs is cut off in an audit as in a check.
func TestAudit_cutsOffWhatHangs(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Lease = time.Minute
		w.seedClean(1)
		w.takes(time.Hour)
		report := w.runFor(15 * time.Minute)
		w.wantCounts(report, check.Counts{AuditFailed: 1})
		if report.DurationMS != 50_000 || !strings.HasPrefix(report.SourceError, "cut off 50s after the claim") {
			t.Errorf("after %d ms: %s", report.DurationMS, report.SourceError)
		}
	})
}
