package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Flip marks a signal dirty: something about its availability has changed. It
// must start after the change has been committed. Refused means that there is no
// such signal (any more), which is success.
func Flip(key signal.Key, now time.Time) Write {
	w := Write{Op: OpFlip, Key: key, If: []Cond{itemExists()}}
	w.flip(now)
	return w
}

// flip makes a write mark the signal dirty as well.
func (w *Write) flip(now time.Time) {
	w.Set = append(w.Set,
		set(signal.AttrGSISK, signal.S(signal.Dirty)),
		setIfAbsent(signal.AttrDirtySince, signal.S(signal.FormatInstant(now))))
	w.Add = append(w.Add, Addition{signal.AttrRev, 1})
}

// NeedsFlip is whether a change must be written, given the item as a strongly
// consistent read that began after the change found it (nil if there is none).
// A signal that is dirty and that nobody has claimed since its last flip will be
// checked anyway, from an inventory read that is still to come.
func NeedsFlip(item signal.Item) bool {
	if item == nil {
		return false
	}
	if item.Text(signal.AttrGSISK) != signal.Dirty {
		return true
	}
	return item[signal.AttrClaimedRev].Exists() && item.Int(signal.AttrClaimedRev) == item.Int(signal.AttrRev)
}
