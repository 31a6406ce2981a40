package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A run that has lost its bucket says so, once, and leaves it to the other; one that
// cannot renew for the moment tries again.
func TestRun_renewals(t *testing.T) {
	for name, test := range map[string]struct {
		answer   error
		renewals int
		warning  string
	}{
		"lost":      {nil, 1, "the bucket is another run's by now; this one goes on, because no check is made twice"},
		"throttled": {dynamo.ErrThrottled, 6, "hold of the bucket not renewed; another run may begin"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.seed("2026-07-01")
				w.takes(100 * time.Second)
				w.on(protocol.OpRenewRun, always, func(do func() (signal.Item, error)) (signal.Item, error) {
					if test.answer != nil {
						return nil, test.answer
					}
					w.takeOver("another", time.Now())
					return do()
				})
				w.run()
				warnings := w.warnings()
				if n := len(w.table.sent(protocol.OpRenewRun)); n != test.renewals || len(warnings) != n || warnings[0] != test.warning {
					t.Errorf("%d renewals, warnings %q", n, warnings)
				}
			})
		})
	}
}

// The bucket is not given back while a renewal of it is still under way, which would
// take it again; nor is it a fault that this came to nothing.
func TestRun_renewalUnderWayAtTheEnd(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.takes(16 * time.Second)
		renewing := false
		w.on(protocol.OpRenewRun, 1, func(func() (signal.Item, error)) (signal.Item, error) {
			renewing = true
			time.Sleep(5 * time.Second)
			renewing = false
			return nil, dynamo.ErrUnknown
		})
		w.on(protocol.OpEndRun, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
			if renewing {
				t.Error("the bucket is given back during a renewal")
			}
			return do()
		})
		w.run()
		if warnings := w.warnings(); len(warnings) != 0 {
			t.Errorf("warnings: %q", warnings)
		}
	})
}

// What keeps the run item from being taken for the moment keeps no run from its work.
func TestRun_goesOnWithoutItsRunItem(t *testing.T) {
	for _, passing := range []error{dynamo.ErrThrottled, dynamo.ErrConflict, dynamo.ErrUnknown} {
		inWorld(t, func(w *world) {
			w.seed("2026-07-01")
			w.on(protocol.OpTakeRun, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, passing })
			if report := w.run(); report.Cleaned != 1 {
				t.Errorf("%v: %+v", passing, report)
			}
		})
	}
}

// Where it is not known when the runs before began, a signal is not put off by longer
// than the shortest cadence.
func TestRun_unknownCadence(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Cadence, w.bucket.ScheduleExpression = signal.Cadence{ID: "nightly"}, "cron(0 3 * * ? *)"
		key := signal.RunKey(w.bucket.Name)
		later := signal.FormatInstant(time.Now().Add(time.Second))
		w.table.put(signal.Item{signal.AttrPK: signal.S(key.PK), signal.AttrSK: signal.S(key.SK), protocol.AttrStartedAt: signal.S(later)})
		bad := w.seed("2026-07-01", attr(signal.AttrPattern, signal.S("?")))
		w.run()
		if got := w.putOff(bad).Round(time.Second); got != time.Minute {
			t.Errorf("put off by %s, want a minute", got)
		}
	})
}

// What ends with the invocation is told apart from what was cut off for its lease.
func TestRun_saysWhyTheSourceWasCutOff(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.takes(time.Hour)
		report := w.runFor(time.Minute)
		if want := "no answer for 55s, until the invocation ended; give the source a shorter time-out, or the function a longer one: " + context.DeadlineExceeded.Error(); report.SourceError != want {
			t.Errorf("source error %q, want %q", report.SourceError, want)
		}
	})
}

// A run that begins in the same millisecond as another that is noted already is not
// missing: they are one to whoever looks.
func TestRun_besideOneOfTheSameMillisecond(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.previousRun(0, 1, 0, 0)
		if report := w.run(); report.Cleaned != 1 || len(w.warnings()) != 0 {
			t.Errorf("%+v, warnings %q", report.Counts, w.warnings())
		}
	})
}
