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

	take := func(by, started string) protocol.Write { return protocol.TakeRun("5min", by, at(started)) }
	end := func(by, started string) protocol.Write {
		return protocol.EndRun("5min", by, at(started), at(ended), report)
	}

	item := applied(t, take("a", first), nil)
	wantItem(t, item, signal.Item{
		"pk": signal.S("cadenceBucket::5min"), "sk": signal.S("run"),
		"startedAt": signal.S(first), "previousStartedAt": signal.S(first),
		"runBy": signal.S("a"), "runUntil": signal.N(at(first).UnixMilli() + 60_000),
	})
	if until, held := protocol.RunHeld(item, at(first).Add(59*time.Second)); !held || !until.Equal(at(first).Add(time.Minute)) {
		t.Errorf("held: %v until %s", held, until)
	}
	if _, held := protocol.RunHeld(item, at(first).Add(time.Minute)); held {
		t.Error("still held after a minute")
	}

	// While it has the item, nobody else gets it; nor does another give it back.
	soon := signal.FormatInstant(at(first).Add(59 * time.Second))
	refused(t, take("b", soon), item)
	refused(t, protocol.TakeRunUnnoted("5min", "b", at(soon)), item)
	refused(t, protocol.RenewRun("5min", "b", at(soon)), item)
	refused(t, protocol.ReleaseRun("5min", "b"), item)
	renewed := applied(t, protocol.RenewRun("5min", "a", at(soon)), item)
	wantItem(t, renewed, with(item, signal.Item{"runUntil": signal.N(at(soon).UnixMilli() + 60_000)}))

	// It did not renew that for a minute: another run takes it.
	item = applied(t, take("b", second), item)
	began := signal.Item{
		"pk": signal.S("cadenceBucket::5min"), "sk": signal.S("run"),
		"startedAt": signal.S(second), "previousStartedAt": signal.S(first),
	}
	wantItem(t, item, with(began, signal.Item{"runBy": signal.S("b"), "runUntil": signal.N(at(second).UnixMilli() + 60_000)}))

	// The run that lost it replaces nothing.
	refused(t, end("a", first), item)
	refused(t, protocol.RenewRun("5min", "a", at(second)), item)
	// A bucket's own items are gone when it is destroyed: a run's end makes none.
	refused(t, end("b", second), nil)
	refused(t, protocol.RenewRun("5min", "b", at(second)), nil)
	refused(t, protocol.ReleaseRun("5min", "b"), nil)

	wantItem(t, applied(t, protocol.ReleaseRun("5min", "b"), item), began)
	item = applied(t, end("b", second), item)
	wantItem(t, item, with(began, signal.Item{"lastRunAt": signal.S(ended), "report": report}))

	// Given back, it is free at once; but one that started before is not noted.
	refused(t, take("c", first), item)
	refused(t, take("c", second), item)
	wantItem(t, applied(t, protocol.TakeRunUnnoted("5min", "c", at(first)), item),
		with(item, signal.Item{"runBy": signal.S("c"), "runUntil": signal.N(at(first).UnixMilli() + 60_000)}))
}
