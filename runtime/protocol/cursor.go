package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Attribute names of the items in which a bucket's runs keep how far the audit has
// got, one for each shard.
const (
	attrPassStartedAt = "passStartedAt"
	attrCountedAt     = "countedAt"
	attrEntries       = "entries"
	attrPassed        = "passed"
	attrEnded         = "ended"
	attrAfterPK       = "afterPk"
	attrAfterSK       = "afterSk"
	attrAdvances      = "advances"
)

// Cursor is how far the audit has got in its present pass over the clean entries
// of a shard. The zero Cursor is that of a shard that was never walked.
type Cursor struct {
	// PassStarted is when the pass began.
	PassStarted time.Time
	// Counted is when Entries were ahead, of which Passed have been passed since.
	Counted         time.Time
	Entries, Passed int64
	// Ended is whether the pass is over.
	Ended bool
	// After is the last entry passed, the zero Key at the beginning.
	After signal.Key

	advances int64
	stored   bool
	// spoiled is whether advances is no whole number, which no run has written.
	spoiled bool
}

// ParseCursor reads a cursor's item. One that cannot be used begins a new pass.
func ParseCursor(item signal.Item) Cursor {
	c := Cursor{stored: item[attrAdvances].Exists()}
	n, whole := item[attrAdvances].Int()
	c.advances, c.spoiled = n, c.stored && !whole
	started, err := signal.ParseInstant(item.Text(attrPassStartedAt))
	counted, err2 := signal.ParseInstant(item.Text(attrCountedAt))
	if err != nil || err2 != nil {
		return c
	}
	c.PassStarted, c.Counted = started, counted
	c.Entries, c.Passed = item.Int(attrEntries), item.Int(attrPassed)
	c.Ended, _ = item[attrEnded].Bool()
	c.After = signal.Key{PK: item.Text(attrAfterPK), SK: item.Text(attrAfterSK)}
	return c
}

// Advance stores a cursor that was made from one as read, if it still is as read;
// refused means that another run walks the shard. next is the cursor to go on with
// once it is applied.
func Advance(bucket string, shard int, c Cursor) (w Write, next Cursor) {
	w = Write{
		Op:  OpAdvance,
		Key: signal.AuditKey(bucket, shard),
		If:  []Cond{absent(attrAdvances)},
		Set: []Assignment{
			set(attrPassStartedAt, signal.S(signal.FormatInstant(c.PassStarted))),
			set(attrCountedAt, signal.S(signal.FormatInstant(c.Counted))),
			set(attrEntries, signal.N(c.Entries)),
			set(attrPassed, signal.N(c.Passed)),
			set(attrEnded, signal.Bool(c.Ended)),
			set(attrAdvances, signal.N(c.advances+1)),
		},
	}
	switch {
	case c.spoiled:
		// Or the shard would never be audited again. Two runs that do it at once
		// audit some entries twice.
		w.If = []Cond{{Test: Exists, Attr: attrAdvances}}
	case c.stored:
		w.If = []Cond{equal(attrAdvances, signal.N(c.advances))}
	}
	if c.After == (signal.Key{}) {
		w.Remove = []string{attrAfterPK, attrAfterSK}
	} else {
		w.Set = append(w.Set, set(attrAfterPK, signal.S(c.After.PK)), set(attrAfterSK, signal.S(c.After.SK)))
	}
	c.advances, c.stored, c.spoiled = c.advances+1, true, false
	return w, c
}
