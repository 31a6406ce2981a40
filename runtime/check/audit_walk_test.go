package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
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
