package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestRetakeRun(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	const nowText = "2026-06-30T12:00:00.000Z"
	started := func(v signal.Value) signal.Item {
		return signal.Item{"startedAt": v, "previousStartedAt": signal.S("2026-06-30T11:50:00.000Z")}
	}
	until := func(v signal.Value) signal.Item { return signal.Item{"runUntil": v} }
	for name, tt := range map[string]struct {
		item signal.Item
		want string
	}{
		"none":                          {nil, ""},
		"started a while ago":           {started(signal.S("2026-06-30T11:55:00.000Z")), ""},
		"started by another clock":      {started(signal.S("2026-06-30T13:00:00.000Z")), ""},
		"started more than an hour on":  {started(signal.S("2026-06-30T13:00:00.001Z")), "startedAt"},
		"started at a number":           {started(signal.N(1)), "startedAt"},
		"held":                          {until(signal.N(now.Add(time.Minute).UnixMilli())), ""},
		"held for more than an hour":    {until(signal.N(now.Add(time.Hour).UnixMilli() + 1)), "runUntil"},
		"held until something like now": {until(signal.S(nowText)), "runUntil"},
	} {
		what, ok := protocol.Astray(tt.item, now)
		if what != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: Astray() = %q, %t, want %q", name, what, ok, tt.want)
		}
		if !ok {
			continue
		}
		if _, held := protocol.RunHeld(tt.item, now); held {
			t.Errorf("%s: it is held", name)
		}
		refused(t, protocol.TakeRun("5min", "a", now), tt.item)
		retake := protocol.RetakeRun("5min", "a", now, tt.item)
		wantItem(t, applied(t, retake, tt.item), with(tt.item, signal.Item{
			"startedAt": signal.S(nowText), "previousStartedAt": signal.S(nowText),
			"runBy": signal.S("a"), "runUntil": signal.N(now.UnixMilli() + 60_000),
		}))
		// Of two that have read it, one gets it.
		refused(t, protocol.RetakeRun("5min", "b", now, tt.item), applied(t, retake, tt.item))
	}
}
