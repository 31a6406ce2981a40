package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// sweepAfter is how long after its expiry a signal is swept: whoever reads it, by
// a clock that is a little behind, must not miss it.
const sweepAfter = time.Hour

// Overdue is whether a signal, or an entry of the index, has been expired for so
// long that it is swept. One whose expiry can be no instant is by its ttl alone.
func Overdue(item signal.Item, now time.Time) bool {
	if blank(item) {
		return overdueByTTL(now).Holds(item)
	}
	return overdue(now).Holds(item)
}

// Sweep deletes an expired signal that TTL has left; item is as a strongly
// consistent read found it. Refused means that it is gone, another incarnation, or
// not expired any more.
func Sweep(key signal.Key, item signal.Item, now time.Time) Write {
	return Write{
		Op: OpSweep, Kind: Delete, Key: key,
		If: []Cond{
			itemExists(),
			equalOrAbsent(signal.AttrGlobalID, item[signal.AttrGlobalID]),
			overdue(now),
		},
	}
}

func overdue(now time.Time) Cond {
	return anyOf(overdueByTTL(now), atMost(signal.AttrExpiry, signal.S(signal.FormatInstant(now.Add(-sweepAfter)))))
}

func overdueByTTL(now time.Time) Cond {
	return atMost(signal.AttrTTL, signal.N(now.Add(-sweepAfter).Unix()))
}
