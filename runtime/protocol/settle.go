package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Attributes that only a lagging source's checks write; a clean finish removes
// them whoever wrote them.
const (
	attrSettleRev  = "settleRev"
	attrSettleFrom = "settleFrom"
)

// settles is whether a check before this one has begun to settle the very rev
// that this one has claimed.
func (c Check) settles() bool {
	rev, ok := c.claimed[attrSettleRev].Int()
	return ok && rev == c.rev
}

// IsSettling is whether an item has its new value and only waits for a source that
// lags: the last rev that was claimed has begun to settle.
func IsSettling(item signal.Item) bool {
	rev, begun := item[attrSettleRev].Int()
	claimed, ever := item[signal.AttrClaimedRev].Int()
	return begun && ever && rev == claimed && item.Int(signal.AttrAttempts) == 0
}

// settled is whether this check's read of the source surely saw every change that
// may have left no flip since the rev it claimed. Those were committed before the
// first check of that rev claimed it, so before its read: from then on, the signal
// was dirty and claimed, and every flip moved rev. That dirtySince is as old would
// not do: coalesced flips leave no trace on a signal that nobody has claimed.
func (c Check) settled() bool {
	if c.settle <= 0 {
		return true
	}
	from, err := signal.ParseInstant(c.claimed.Text(attrSettleFrom))
	return err == nil && c.settles() && !c.outcome.AsOf.Before(from.Add(c.settle))
}

// finishSettling stores a value that may be from before the last change, and
// leaves the signal dirty, and claimed as far as flips can tell (claimedRev). The
// first check of a rev notes when its read began.
func finishSettling(key signal.Key, claim string, rev int64, o Outcome, claimed time.Time, settles bool) Write {
	w := finish(OpFinishSettling, key, claim)
	w.If = append(w.If, equal(signal.AttrRev, signal.N(rev)))
	w.store(o.Value, o.AsOf)
	w.Set = append(w.Set,
		set(signal.AttrNotBefore, putOff(o.NotBefore, false)),
		set(signal.AttrDirtySince, signal.S(signal.FormatInstant(claimed))))
	if !settles {
		w.Set = append(w.Set,
			set(attrSettleRev, signal.N(rev)),
			set(attrSettleFrom, signal.S(signal.FormatInstant(o.AsOf))))
	}
	w.Remove = append(w.Remove, signal.AttrAttempts)
	return w
}
