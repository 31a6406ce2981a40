package operate

import (
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Verdict is why a signal shows what it shows.
type Verdict string

// The verdicts. An explanation has the first of those that hold.
const (
	// Missing: there is no such signal. NoSignal: another item stands there.
	Missing  Verdict = "missing"
	NoSignal Verdict = "no signal"
	// Expired: its date is over.
	Expired Verdict = "expired"
	// Malformed: an attribute keeps it from ever being claimed, or cleaned.
	Malformed Verdict = "malformed"

	// It is dirty or has no value, and nobody checks its bucket:
	Unregistered Verdict = "bucket not registered"
	Disabled     Verdict = "bucket disabled"
	NotRunning   Verdict = "bucket not running"

	// It is dirty:
	BeingChecked Verdict = "being checked"
	Quarantined  Verdict = "quarantined"
	Settling     Verdict = "settling"
	BackingOff   Verdict = "backing off"
	Dirty        Verdict = "dirty"

	// It is clean:
	Valueless Verdict = "without a value"
	Unknown   Verdict = "cannot be compared"
	// Unflipped: the inventory says something else, although nobody has flipped.
	Unflipped Verdict = "changed without a flip"
	// LookAtReader: the value is right, and is not what was shown.
	LookAtReader Verdict = "look at the reader"
	Right        Verdict = "right"
)

// Findings is whether somebody has to see to it: a signal that is right, or will be
// at its next check, is none.
func (e *Explanation) Findings() bool {
	switch e.Verdict {
	case Right, Dirty, BeingChecked, Settling:
		return false
	}
	return true
}

// facts are what a verdict rests on.
type facts struct {
	item signal.Item
	// nothing is whether there is nothing of its product either.
	nothing bool
	bucket  *read.Bucket
	// moving is whether the item has changed whenever it was looked at.
	moving bool
	// shows is what somebody was shown, or "".
	shows string
	// most is the bucket's max_attempts.
	most int64
}

func (e *Explanation) judge(f facts) {
	if f.item == nil {
		e.Verdict, e.Says = Missing, "there is no such signal: nothing was seeded for this date, or it was deleted"
		e.Do = "see whether the key is right; seed it with Terraform, or with sync if the stream keeps this product's signals"
		if f.nothing {
			e.unknown()
		}
		return
	}
	if schema := f.item.Text(signal.AttrSchema); schema != signal.SchemaSignal {
		e.Verdict, e.Says = NoSignal, fmt.Sprintf("an item of schema %q stands at its key, which is no signal", schema)
		if schema == "" {
			e.Says = "an item without a schema stands at its key, which is no signal"
		}
		e.Do = "find out who wrote it; nothing of this project touches it"
		return
	}
	e.Item = viewItem(f.item)
	if f.bucket != nil {
		e.Bucket = viewBucket(*f.bucket, e.At)
	}
	switch {
	case isOver(f.item, e.At):
		e.Verdict, e.Says = Expired, "its date is over: it is not checked any more, and has no value to show"
		e.Do = "a reader must not show it; if the date is not over, its expiry is wrong: correct it where it was seeded"
	case e.malformed(f):
	case (e.Item.Bit != signal.Clean || e.Item.Value == "") && e.unattended(f):
	case e.Item.Bit != signal.Clean:
		e.dirty(f)
	default:
		e.clean(f)
	}
	e.note(f)
}

// unknown is a name of which there is nothing but, it may be, inventory.
func (e *Explanation) unknown() {
	switch v := e.Inventory; {
	case v.Error != "":
		e.Says = "nothing is known under this name: no signal of any date, no product and no date; whether there is inventory cannot be told"
	case v.NoInventory:
		e.Says = "nothing is known under this name: no signal of any date, no product, no date and no inventory"
	default:
		e.Says = "there is inventory of this date, and nothing else under this name: no signal of any date, no product and no date"
		return
	}
	e.Do = "see whether the name is right, and whether this is the table"
}

func (e *Explanation) malformed(f facts) bool {
	attr, fault, ok := protocol.Malformed(f.item, e.At)
	rev := f.item[signal.AttrRev]
	_, whole := rev.Int()
	switch {
	case ok:
		e.Says = fmt.Sprintf("its %s %s, so that no check can ever claim it", attr, fault)
		e.Do = "correct or remove the attribute"
	case protocol.Lost(f.item):
		e.Says = fmt.Sprintf("its %s is neither dirty nor clean, so that no run and no audit ever finds it", signal.AttrGSISK)
		e.Do = "check it, which flips it; find out who wrote that"
	case rev.Exists() && !whole:
		e.Says = fmt.Sprintf("its %s is not a whole number of type Number, so that no check can ever clean it", signal.AttrRev)
		e.Do = "remove the attribute, then check it"
	default:
		return false
	}
	e.Verdict = Malformed
	return true
}

// unattended is whether nobody checks its bucket.
func (e *Explanation) unattended(f facts) bool {
	switch b := f.bucket; {
	case b == nil:
		e.Verdict, e.Says = Unregistered, fmt.Sprintf("its gsipk %q is no bucket's, so that nobody ever checks it", e.Item.GSIPK)
		e.Do = "move it to a bucket: change it where it was seeded"
	case !b.Registered:
		e.Verdict, e.Says = Unregistered, fmt.Sprintf("its bucket %q is not registered, so that nobody ever checks it", b.Name)
		e.Do = fmt.Sprintf("apply availability_cadence_bucket %q for this table, or move the signal to another bucket", b.Name)
	case !b.Enabled:
		e.Verdict, e.Says = Disabled, fmt.Sprintf("its bucket %q is disabled: its rule fires no more", b.Name)
		e.Do = "set enabled = true on the bucket and apply, or check it once with check"
	case b.Stale(e.At):
		e.Verdict, e.Says = NotRunning, fmt.Sprintf("its bucket %q has had no run that came to its end, %s", b.Name, lastRun(*b))
		e.Do = "doctor finds out whether the rule, its target, the permission to invoke the function, or the function is at fault; the function's log says why a run failed"
		if b.LastRunAt.IsZero() {
			e.Do = "a new bucket's first tick comes after one interval: wait for it, or check it once with check; after that, " + e.Do
		}
	default:
		return false
	}
	return true
}

func lastRun(b read.Bucket) string {
	if b.LastRunAt.IsZero() {
		return "ever"
	}
	return "for more than three cadences: the last one ended " + instant(b.LastRunAt)
}

func (e *Explanation) dirty(f facts) {
	e.Due = nextCheck(f.bucket, e.Item, e.At)
	now, failures := "the source answers by now", ""
	if e.Inventory.Error != "" {
		now = "asked now, it says: " + e.Inventory.Error
	}
	switch n := e.Item.Attempts; {
	case n == 1:
		failures = " after a failed check"
	case n > 1:
		failures = fmt.Sprintf(" after %d failed checks in a row", n)
	}
	switch {
	case e.Item.LeaseUntil.After(e.At):
		e.Verdict, e.Says = BeingChecked, "a check has it right now, until "+instant(e.Item.LeaseUntil)+" at the latest"
		e.Due = time.Time{}
	case e.Item.Quarantined || e.Item.Attempts >= f.most:
		e.Verdict = Quarantined
		e.Says = fmt.Sprintf("it is in quarantine%s, and tried every six hours, next %s; %s", failures, when(e.Due), now)
		e.Do = "correct what the error names, then check it: a success ends the quarantine"
	case e.Item.NotBefore.After(e.At) && protocol.IsSettling(f.item):
		e.Verdict, e.Says = Settling, "it has its new value, and is checked once more "+when(e.Due)+", because the source lags"
		if f.item.Int(signal.AttrRev) > f.item.Int(signal.AttrClaimedRev) {
			e.Says = "it has the value of an earlier change, of which the source lags; a later one waits for its check, due " + when(e.Due)
		}
	case e.Item.NotBefore.After(e.At):
		e.Verdict = BackingOff
		e.Says = fmt.Sprintf("it backs off%s, until %s; %s", failures, instant(e.Item.NotBefore), now)
		e.Do = "correct what the error names (the log of the bucket's last run has it too), then check it, or wait"
	default:
		e.Verdict, e.Says = Dirty, "a change waits for its check, due "+when(e.Due)
		if !e.Item.DirtySince.IsZero() {
			e.Says = fmt.Sprintf("a change of %s waits for its check, due %s", instant(e.Item.DirtySince), when(e.Due))
		}
		if failures != "" {
			e.Says += failures + "; " + now
		}
	}
}

func (e *Explanation) clean(f facts) {
	v := e.Inventory
	switch {
	case e.Item.Value == "":
		e.Verdict, e.Says = Valueless, "it was seeded clean and has never been computed: it reads as unknown until the first change, or the audit"
		e.Do = "check it, or mark it dirty"
	case v.Error != "":
		e.Verdict, e.Says = Unknown, "it is clean, and whether its value is right cannot be told: "+v.Error
		e.Do = "correct what the error names, then explain again"
	case v.Value != e.Item.Value:
		e.Verdict = Unflipped
		e.Says = fmt.Sprintf("the inventory says %s, the signal %s as of %s, and rev is still %d: somebody changed the inventory and did not flip", v.Value, e.Item.Value, instant(e.Item.AsOf), e.Item.Rev)
		e.Do = "check it, which mends this one; find the writer that does not flip after its commit (where a stream flips: see its lag first); audit finds the others"
	case f.shows != "" && f.shows != e.Item.Value:
		e.Verdict, e.Says = LookAtReader, fmt.Sprintf("the value %s is right, and %s was shown", e.Item.Value, f.shows)
		e.Do = "look for a cache in front of the table, another table or region, another product or date, or a page that was loaded before"
	default:
		e.Verdict, e.Says = Right, fmt.Sprintf("the value %s is right, as of now", e.Item.Value)
		if f.shows == "" {
			e.Notes = append(e.Notes, "if somebody was shown another value, look at the reader: its cache, its table, its date")
		}
	}
}

// note adds what the verdict does not say.
func (e *Explanation) note(f facts) {
	if f.moving {
		e.Notes = append(e.Notes, "it changed whenever it was looked at: it is booked right now; explain again")
	}
	if e.Verdict == Right || e.Verdict == LookAtReader || e.Verdict == Unflipped {
		var other Explanation
		other.At, other.Item = e.At, e.Item
		if other.unattended(f) {
			e.Notes = append(e.Notes, "the next change will not be seen: "+other.Says)
		}
	}
	if b := f.bucket; e.Verdict == Dirty && b != nil && !e.Item.DirtySince.IsZero() && b.Interval() > 0 && e.At.Sub(e.Item.DirtySince) > 3*b.Interval() {
		e.Notes = append(e.Notes, "it has waited for more than three cadences: the bucket does not keep up; see remaining, throttles and failed in the log of its runs")
	}
	if e.Item.Bit != signal.Clean && f.shows != "" && e.Item.Value != "" && f.shows != e.Item.Value {
		e.Notes = append(e.Notes, fmt.Sprintf("%s was shown, and the signal has %s: the reader is behind, too", f.shows, e.Item.Value))
	}
	for _, p := range e.Inventory.Parts {
		if p.Fault != "" {
			e.Notes = append(e.Notes, p.Fault)
		}
	}
}

// nextCheck is the tick at which a dirty signal will be due; zero if the bucket's
// ticks cannot be told.
func nextCheck(b *read.Bucket, item *ItemView, now time.Time) time.Time {
	from := now
	if item.NotBefore.After(from) {
		from = item.NotBefore
	}
	if item.LeaseUntil.After(from) {
		from = item.LeaseUntil
	}
	if b == nil || b.Interval() == 0 || b.StartedAt.IsZero() {
		return time.Time{}
	}
	interval := b.Interval()
	ticks := (from.Sub(b.StartedAt) + interval - 1) / interval
	return b.StartedAt.Add(ticks * interval)
}

func when(due time.Time) string {
	if due.IsZero() {
		return "at the bucket's next tick"
	}
	return "about " + instant(due)
}

func instant(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
