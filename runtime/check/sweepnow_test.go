package check_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// entries are the table's own items.
func (w *world) entries(keys []signal.Key, then error) func(yield func(signal.Item, error) bool) {
	return func(yield func(signal.Item, error) bool) {
		for _, k := range keys {
			if !yield(w.table.item(k), nil) {
				return
			}
		}
		if then != nil {
			yield(nil, then)
		}
	}
}

func (w *world) seedExpired(n int) []signal.Key {
	first := signal.Date{Year: 2026, Month: time.July, Day: 1}
	keys := make([]signal.Key, n)
	for i := range keys {
		keys[i] = w.seed(first.AddDays(i).String(), expiredFor(2*time.Hour))
	}
	return keys
}

// What may not be deleted is not tried hundreds of times, and the cause is said.
func TestSweepNow_denied(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(450)
		w.on(protocol.OpSweep, always, func(func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(time.Second)
			return nil, dynamo.ErrAccessDenied
		})
		report, err := w.runner.SweepNow(w.Context(), w.entries(keys, nil))
		if err != nil || report.Expired != 450 || report.Swept != 0 || !strings.Contains(report.SweepError, dynamo.ErrAccessDenied.Error()) {
			t.Errorf("%v, %+v", err, report)
		}
		if n := len(w.table.sent(protocol.OpSweep)); n > 8 {
			t.Errorf("%d deletions were tried", n)
		}
	})
}

// One that cannot be deleted keeps no other from being, nor from being tried.
func TestSweepNow_oneFails(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(450)
		first := errors.New("no route")
		w.on(protocol.OpSweep, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, first })
		report, err := w.runner.SweepNow(w.Context(), w.entries(keys, nil))
		if err != nil || report.Expired != 450 || report.Swept != 449 || report.SweepError != first.Error() {
			t.Errorf("%v, %+v", err, report)
		}
		lines := w.logged("expired signal not swept")
		if len(lines) != 1 {
			t.Fatalf("log: %v", lines)
		}
		if bucket, ok := lines[0]["bucket"]; ok {
			t.Errorf("the log names bucket %q, of which the sweep knows nothing", bucket)
		}
	})
}

// A listing that breaks off is an error, and what it has met before is gone.
func TestSweepNow_listingFails(t *testing.T) {
	inWorld(t, func(w *world) {
		live := w.seed("2028-01-01")
		keys := append(w.seedExpired(450), live)
		report, err := w.runner.SweepNow(w.Context(), w.entries(keys, dynamo.ErrThrottled))
		if !errors.Is(err, dynamo.ErrThrottled) || report.Expired != 450 || report.Swept != 450 || w.table.item(live) == nil {
			t.Errorf("%v, %+v", err, report)
		}
	})
}

// Several are deleted at once.
func TestSweepNow_atOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(400)
		w.on(protocol.OpSweep, always, func(do func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(time.Second)
			return do()
		})
		report, err := w.runner.SweepNow(w.Context(), w.entries(keys, nil))
		if err != nil || report.Swept != 400 || report.DurationMS != 50_000 {
			t.Errorf("%v, %+v: want eight at once", err, report)
		}
	})
}

// Whoever gives up deletes no more.
func TestSweepNow_cancelled(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(20)
		ctx, cancel := context.WithCancel(w.Context())
		cancel()
		report, err := w.runner.SweepNow(ctx, w.entries(keys, nil))
		if err != nil || report.Expired != 20 || report.Swept != 0 || w.table.item(keys[0]) == nil {
			t.Errorf("%v, %+v", err, report)
		}
	})
}

// A function's answer is there before its time is over.
func TestSweepNow_endsInTime(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(1000)
		w.on(protocol.OpSweep, always, func(do func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(time.Second)
			return do()
		})
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		report, err := w.runner.SweepNow(ctx, w.entries(keys, nil))
		if err != nil || ctx.Err() != nil || report.Swept == 0 || report.Swept == 1000 || report.DurationMS > 58_000 {
			t.Errorf("%v, %v, %+v", err, ctx.Err(), report)
		}
	})
}

// What is met is not kept until the end of the listing: a table may have millions.
func TestSweepNow_deletesWhileItLists(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(450)
		listed := func(yield func(signal.Item, error) bool) {
			for i, k := range keys {
				if n := len(w.table.sent(protocol.OpSweep)); i == 400 && n != 400 {
					t.Errorf("%d are deleted when 400 have been listed", n)
				}
				if !yield(w.table.item(k), nil) {
					return
				}
			}
		}
		report, err := w.runner.SweepNow(w.Context(), listed)
		if err != nil || report.Swept != 450 {
			t.Errorf("%v, %+v", err, report)
		}
	})
}
