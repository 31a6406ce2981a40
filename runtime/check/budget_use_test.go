package check_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// However a check ends, it costs the budget what it has written, or may have.
func TestRun_budgetIsForWhatIsWritten(t *testing.T) {
	answer := signal.Estimate{Available: 7, Capacity: 10}
	for name, test := range map[string]struct {
		prepare func(w *world)
		took    time.Duration
	}{
		// 500 at 100 units a second: those that stay dirty write one each, a clean
		// finish two.
		"raced": {func(w *world) {
			w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
				w.flip(d.Key())
				return answer, nil
			}
		}, 5 * time.Second},
		"settling": {func(w *world) { w.runner.Settle = time.Minute }, 5 * time.Second},
		// It is given back when they end, not as of when they began.
		"settling, a second later": {func(w *world) {
			w.runner.Settle, w.bucket.Checks.Concurrency = time.Minute, 500
			w.takes(time.Second)
		}, 7 * time.Second},
		"failed": {func(w *world) { w.estimate = failing(&source.ItemError{Item: "pool", Reason: "broken"}) }, 5 * time.Second},
		"backed off, every other": {func(w *world) {
			asked := 0
			w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if asked++; asked%2 == 0 {
					return signal.Estimate{}, fmt.Errorf("answered 429: %w", source.ErrBusy)
				}
				return answer, nil
			}
		}, 7500 * time.Millisecond},
		"of unknown outcome": {func(w *world) {
			w.on(protocol.OpFinishClean, always, func(do func() (signal.Item, error)) (signal.Item, error) {
				_, _ = do()
				return nil, dynamo.ErrUnknown
			})
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.WriteBudget = 50
				test.prepare(w)
				w.seedMany(500)
				took := time.Duration(w.run().DurationMS) * time.Millisecond
				if took > test.took || took < test.took*9/10 {
					t.Errorf("it took %s, want the %s of its budget", took, test.took)
				}
			})
		})
	}
}

// To confirm a value writes nothing that an index has.
func TestAudit_confirmationsCostNoBudget(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.WriteBudget = 1
		w.seedClean(300)
		if report := w.run(); report.Audited != 300 || report.DurationMS != 0 {
			t.Errorf("report: %+v", report)
		}
	})
}
