package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Audit is the comparison of a clean signal's value with what the source says, to
// find changes that nobody has flipped for. It never writes a value.
type Audit struct {
	key  signal.Key
	read signal.Item
}

// NewAudit begins an audit of a signal as a strongly consistent read found it. ok
// is false if there is nothing to audit: it is gone, dirty or expired. The source
// is read after that.
func NewAudit(key signal.Key, item signal.Item, now time.Time) (a Audit, ok bool) {
	if item.Text(signal.AttrGSISK) != signal.Clean || Expired(item, now) {
		return Audit{}, false
	}
	return Audit{key: key, read: item}, true
}

// Write is what to do about the value that the source's answer makes, and asOf,
// when its read began. A value that is right is as of then, if the signal still is
// as it was read; any other, and none at all, is a change that nobody told of.
func (a Audit) Write(value string, asOf, now time.Time) Write {
	if !a.read[signal.AttrValue].Equal(signal.S(value)) {
		w := Flip(a.key, now)
		w.Op = OpAuditFlip
		return w
	}
	return Write{
		Op:  OpAuditSame,
		Key: a.key,
		If: []Cond{
			equal(signal.AttrGSISK, signal.S(signal.Clean)),
			a.asRead(signal.AttrRev),
			a.asRead(signal.AttrLastUpdatedAt),
			a.asRead(signal.AttrGlobalID),
		},
		Set: []Assignment{set(signal.AttrLastUpdatedAt, signal.S(signal.FormatInstant(asOf)))},
	}
}

func (a Audit) asRead(attr string) Cond { return equalOrAbsent(attr, a.read[attr]) }

// Mismatch is whether an audit's flip, after which the item is as given, has found
// a value that was wrong: not one that somebody has flipped or checked meanwhile,
// and not a signal that never had one.
func (a Audit) Mismatch(after signal.Item) bool {
	return a.read[signal.AttrValue].Exists() &&
		after.Int(signal.AttrRev) == a.read.Int(signal.AttrRev)+1 &&
		after[signal.AttrLastUpdatedAt].Equal(a.read[signal.AttrLastUpdatedAt]) &&
		after[signal.AttrGlobalID].Equal(a.read[signal.AttrGlobalID])
}
