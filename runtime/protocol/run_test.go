package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestRunItem(t *testing.T) {
	t.Parallel()
	const (
		first  = "2026-06-30T12:00:00.000Z"
		second = "2026-06-30T12:05:00.000Z"
		ended  = "2026-06-30T12:05:09.000Z"
	)
	at := func(text string) time.Time {
		instant, err := signal.ParseInstant(text)
		if err != nil {
			t.Fatal(err)
		}
		return instant
	}
	report := signal.M(map[string]signal.Value{"seen": signal.N(3)})

	item := applied(t, protocol.BeginRun("5min", at(first)), nil)
	wantItem(t, item, signal.Item{
		"pk": signal.S("cadenceBucket::5min"), "sk": signal.S("run"),
		"startedAt": signal.S(first), "previousStartedAt": signal.S(first),
	})

	// A run that was never begun has no end.
	refused(t, protocol.EndRun("5min", at(second), at(ended), report), item)

	item = applied(t, protocol.BeginRun("5min", at(second)), item)
	began := signal.Item{
		"pk": signal.S("cadenceBucket::5min"), "sk": signal.S("run"),
		"startedAt": signal.S(second), "previousStartedAt": signal.S(first),
	}
	wantItem(t, item, began)

	// The one before is not begun again, nor does its end replace anything.
	refused(t, protocol.BeginRun("5min", at(first)), item)
	refused(t, protocol.BeginRun("5min", at(second)), item)
	refused(t, protocol.EndRun("5min", at(first), at(ended), report), item)
	// A bucket's own items are gone when it is destroyed: a run's end makes none.
	refused(t, protocol.EndRun("5min", at(second), at(ended), report), nil)

	wantItem(t, applied(t, protocol.EndRun("5min", at(second), at(ended), report), item),
		with(began, signal.Item{"lastRunAt": signal.S(ended), "report": report}))
}
