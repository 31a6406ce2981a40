package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestMalformed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		item signal.Item
		want string
	}{
		"well-formed":                 {dirtyItem(), ""},
		"nothing":                     {nil, ""},
		"without times":               {with(dirtyItem(), signal.Item{"ttl": {}, "expiry": {}}), ""},
		"a ttl that is text":          {with(dirtyItem(), signal.Item{"ttl": signal.S("1")}), "ttl"},
		"a notBefore that is null":    {with(dirtyItem(), signal.Item{"notBefore": signal.Null()}), "notBefore"},
		"a leaseUntil that is text":   {with(dirtyItem(), signal.Item{"leaseUntil": signal.S("1")}), "leaseUntil"},
		"a leaseUntil with fractions": {with(dirtyItem(), signal.Item{"leaseUntil": signal.Decimal("1.5")}), ""},
		"an expiry that is a number":  {with(dirtyItem(), signal.Item{"expiry": signal.N(1)}), "expiry"},
		"an expiry that is null":      {with(dirtyItem(), signal.Item{"expiry": signal.Null(), "ttl": {}}), "expiry"},
		"an expiry that is empty":     {with(dirtyItem(), signal.Item{"expiry": signal.S("")}), "expiry"},
		"one that is over by its ttl": {with(dirtyItem(), signal.Item{"expiry": signal.N(1), "ttl": signal.N(1)}), ""},
	} {
		attr, _, ok := protocol.Malformed(tt.item, claimedAt)
		if attr != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: Malformed() = %q, %t, want %q", name, attr, ok, tt.want)
		}
		if ok {
			refused(t, protocol.Claim(key(), "ours", claimedAt, lease), tt.item)
		}
	}
}

// Only of these it cannot be told whether their date is over: nobody may pass them by as
// if it were.
func TestTimeless(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		item signal.Item
		want bool
	}{
		"well-formed":                 {dirtyItem(), false},
		"nothing":                     {nil, false},
		"over":                        {with(dirtyItem(), signal.Item{"ttl": signal.N(1)}), false},
		"a ttl that is text":          {with(dirtyItem(), signal.Item{"ttl": signal.S("1")}), true},
		"an expiry that is a number":  {with(dirtyItem(), signal.Item{"expiry": signal.N(1)}), true},
		"a notBefore that is text":    {with(dirtyItem(), signal.Item{"notBefore": signal.S("1")}), false},
		"one that is over by its ttl": {with(dirtyItem(), signal.Item{"expiry": signal.N(1), "ttl": signal.N(1)}), false},
	} {
		if got := protocol.Timeless(tt.item, claimedAt); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

// What is unreadable is no reason to delete a signal.
func TestOverdue_byTTLAloneWhereThereIsNoInstant(t *testing.T) {
	t.Parallel()
	past, future := signal.N(claimedAtMS/1000-7200), signal.N(claimedAtMS/1000+7200)
	for _, expiry := range []signal.Value{signal.S(""), signal.N(1), signal.Null()} {
		for _, tt := range []struct {
			ttl  signal.Value
			want bool
		}{{past, true}, {future, false}, {signal.Value{}, false}} {
			item := with(dirtyItem(), signal.Item{"expiry": expiry, "ttl": tt.ttl})
			if got := protocol.Overdue(item, claimedAt.Add(time.Second)); got != tt.want {
				t.Errorf("Overdue() with expiry %v and ttl %v = %t, want %t", expiry, tt.ttl, got, tt.want)
			}
		}
	}
}
