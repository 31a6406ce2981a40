package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 2, 8, 0, 0, 0, time.UTC) // an hour after its expiry
	for name, tt := range map[string]struct {
		item signal.Item
		at   time.Time
		want bool
	}{
		"expired for an hour":       {cleanItem(), now, true},
		"dirty":                     {dirtyItem(), now, true},
		"claimed":                   {claimedItem(), now, true},
		"not quite":                 {cleanItem(), now.Add(-time.Millisecond), false},
		"without ttl":               {with(cleanItem(), signal.Item{"ttl": {}}), now, true},
		"without expiry":            {with(cleanItem(), signal.Item{"expiry": {}}), now, true},
		"with neither":              {with(cleanItem(), signal.Item{"expiry": {}, "ttl": {}}), now, false},
		"another incarnation":       {with(cleanItem(), signal.Item{"globalId": signal.S("other")}), now, false},
		"with another id than none": {with(cleanItem(), signal.Item{"globalId": {}}), now, false},
		"its expiry was put off":    {with(cleanItem(), signal.Item{"expiry": signal.S("2026-07-03T07:00:00.000Z"), "ttl": signal.N(1783062000)}), now, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := protocol.Sweep(key(), cleanItem(), tt.at)
			if !tt.want {
				refused(t, w, tt.item)
				return
			}
			wantItem(t, applied(t, w, tt.item), nil)
		})
	}
	refused(t, protocol.Sweep(key(), cleanItem(), now), nil)
	bare := with(cleanItem(), signal.Item{"globalId": {}})
	wantItem(t, applied(t, protocol.Sweep(key(), bare, now), bare), nil)
	refused(t, protocol.Sweep(key(), bare, now), cleanItem())
}
