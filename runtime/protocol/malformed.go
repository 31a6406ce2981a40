package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Malformed is the attribute, and what is wrong with it, for which DynamoDB refuses
// every claim of an item, or of an entry of the index, whatever the time: somebody
// else's doing, which stays until somebody corrects it. ok is false if there is none.
func Malformed(item signal.Item, now time.Time) (attr, fault string, ok bool) {
	for _, attr := range []string{signal.AttrTTL, signal.AttrNotBefore, signal.AttrLeaseUntil} {
		if v := item[attr]; v.Exists() && v.Kind() != signal.KindNumber {
			return attr, "is not of type Number", true
		}
	}
	// One whose ttl is over has expired, whatever its expiry says.
	if blank(item) && ttlAhead(now).Holds(item) {
		return signal.AttrExpiry, "is no text with an instant", true
	}
	return "", "", false
}

// Timeless is whether it cannot be told when a signal expires, or has: what it has
// for that is of another type. Expired counts it as over.
func Timeless(item signal.Item, now time.Time) bool {
	attr, _, _ := Malformed(item, now)
	return attr == signal.AttrTTL || attr == signal.AttrExpiry
}

// Lost is whether a signal's bit is neither dirty nor clean, so that no run and no
// audit lists it. A flip mends that.
func Lost(item signal.Item) bool {
	bit := item.Text(signal.AttrGSISK)
	return bit != signal.Dirty && bit != signal.Clean
}

// blank is whether an item has an expiry that can be no instant, and that compares
// as if it were over, or not at all.
func blank(item signal.Item) bool {
	return item[signal.AttrExpiry].Exists() && item.Text(signal.AttrExpiry) == ""
}
