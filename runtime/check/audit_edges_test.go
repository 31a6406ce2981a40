package check_test

import (
	"context"
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
