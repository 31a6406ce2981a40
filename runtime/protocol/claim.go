package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Claim takes a dirty signal for one check. Others leave it alone until the
// lease is over, but that is for pace alone: id is the fence, because every claim
// replaces it and every finish requires it. It must be random and new for every
// claim, and the write must be sent once: a repeat that arrives late would revive
// the id after its finish.
func Claim(key signal.Key, id string, now time.Time, lease time.Duration) Write {
	w := ClaimOnDemand(key, id, now, lease)
	w.If = append(w.If, reached(signal.AttrNotBefore, now))
	return w
}

// ClaimOnDemand is Claim for a signal that somebody wants checked now, whatever
// its back-off says. Its lease is respected: two checks at once would only be one
// of them in vain.
func ClaimOnDemand(key signal.Key, id string, now time.Time, lease time.Duration) Write {
	zero := signal.N(0)
	return Write{
		Op:  OpClaim,
		Key: key,
		// With room for what a run's own claims ask beside.
		If: append(make([]Cond, 0, 6),
			itemExists(),
			equal(signal.AttrGSISK, signal.S(signal.Dirty)),
			ttlAhead(now),
			expiryAhead(now),
			reached(signal.AttrLeaseUntil, now),
		),
		Set: []Assignment{
			set(signal.AttrClaimedBy, signal.S(id)),
			// An absent rev must not stay absent: the first flip of a claimed
			// signal would then find nothing to compare with.
			setIfAbsent(signal.AttrRev, zero),
			{Attr: signal.AttrClaimedRev, From: signal.AttrRev, Value: zero},
			set(signal.AttrLeaseUntil, signal.N(now.Add(lease).UnixMilli())),
		},
	}
}

// Expired is whether an item is past its expiry. An item that has none never is.
func Expired(item signal.Item, now time.Time) bool {
	return !ttlAhead(now).Holds(item) || !expiryAhead(now).Holds(item)
}

// PutOff is whether an item, or an entry of the index, is not to be claimed yet.
func PutOff(item signal.Item, now time.Time) bool {
	return !reached(signal.AttrNotBefore, now).Holds(item)
}

func reached(attr string, now time.Time) Cond {
	return anyOf(absent(attr), atMost(attr, signal.N(now.UnixMilli())))
}

func ttlAhead(now time.Time) Cond {
	return anyOf(absent(signal.AttrTTL), above(signal.AttrTTL, signal.N(now.Unix())))
}

func expiryAhead(now time.Time) Cond {
	return anyOf(absent(signal.AttrExpiry), above(signal.AttrExpiry, signal.S(signal.FormatInstant(now))))
}
