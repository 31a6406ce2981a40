package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// finish is what every finish has in common: it applies once, to the claim it
// belongs to, and ends that claim.
func finish(op Op, key signal.Key, claim string) Write {
	w := Write{
		Op:  op,
		Key: key,
		// With room for what the clean finish adds, which is by far the most frequent.
		If:     make([]Cond, 0, 2),
		Set:    make([]Assignment, 0, 3),
		Remove: make([]string, 0, 7),
	}
	w.If = append(w.If, equal(signal.AttrClaimedBy, signal.S(claim)))
	w.Remove = append(w.Remove, signal.AttrClaimedBy, signal.AttrLeaseUntil)
	return w
}

func (w *Write) store(value string, asOf time.Time) {
	w.Set = append(w.Set,
		set(signal.AttrValue, signal.S(value)),
		set(signal.AttrLastUpdatedAt, signal.S(signal.FormatInstant(asOf))))
}

// finishClean stores a value and cleans the bit, if no flip came since the claim.
// asOf is when the inventory read behind the value began. Where the gsipk as
// claimed (from) is not where the signal belongs (to), it is moved along.
func finishClean(key signal.Key, claim string, rev int64, value string, asOf time.Time, from, to string) Write {
	w := finish(OpFinishClean, key, claim)
	w.If = append(w.If, equal(signal.AttrRev, signal.N(rev)))
	w.store(value, asOf)
	w.Set = append(w.Set, set(signal.AttrGSISK, signal.S(signal.Clean)))
	if from != to {
		w.If = append(w.If, equal(signal.AttrGSIPK, signal.S(from)))
		w.Set = append(w.Set, set(signal.AttrGSIPK, signal.S(to)))
	}
	w.Remove = append(w.Remove, signal.AttrDirtySince, signal.AttrAttempts, signal.AttrNotBefore, attrSettleRev, attrSettleFrom)
	return w
}

// finishRaced stores a value and leaves the signal dirty, because a flip came
// since the claim. The value is still newer than the one before.
func finishRaced(key signal.Key, claim, value string, asOf, claimed time.Time) Write {
	w := finish(OpFinishRaced, key, claim)
	w.store(value, asOf)
	w.Set = append(w.Set, set(signal.AttrDirtySince, signal.S(signal.FormatInstant(claimed))))
	w.Remove = append(w.Remove, signal.AttrAttempts, signal.AttrNotBefore)
	return w
}

// finishFailed counts a failed check and puts the next one off.
func finishFailed(key signal.Key, claim string, notBefore signal.Value) Write {
	w := finish(OpFinishFailed, key, claim)
	w.Set = append(w.Set, set(signal.AttrNotBefore, notBefore))
	w.Add = append(w.Add, Addition{signal.AttrAttempts, 1})
	return w
}

// finishBackedOff puts the next check off without counting a failure: the source
// failed, which is not the signal's fault.
func finishBackedOff(key signal.Key, claim string, notBefore signal.Value) Write {
	w := finish(OpFinishBackOff, key, claim)
	w.Set = append(w.Set, set(signal.AttrNotBefore, notBefore))
	return w
}

// finishReleased gives a claim back unused.
func finishReleased(key signal.Key, claim string) Write {
	return finish(OpFinishReleased, key, claim)
}
