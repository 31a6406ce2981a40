package protocol_test

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

type (
	itemID  uint16 // 0 is no item
	writeID uint16 // 0 is no write
	checkID uint32 // 0 is no check
)

// table numbers the distinct items, writes and checks of an exploration, and
// remembers what the production code made of each: every effect and every step of
// a check is computed once by protocol itself, however many interleavings reach it.
type table struct {
	items   []signal.Item
	facts   []facts
	itemIDs map[string]itemID

	writes   []sending
	writeIDs map[string]writeID

	checks   []checkEntry
	checkIDs map[string]checkID

	effects map[uint32]effect
	steps   map[checkStep]checkID

	// lags is whether the source does, so that a later read may show an older state.
	lags bool
}

// sending is a write, and which incarnation it was meant for ("" for any).
type sending struct {
	protocol.Write
	incarnation string
}

type checkEntry struct {
	protocol.Check
	write writeID
}

// effect is what became of an item by a write.
type effect struct {
	item    itemID
	applied bool
	broken  string // the invariant that this broke, if any
}

// checkStep is one step of a check: what it was told.
type checkStep struct {
	check checkID
	event checkEvent
	item  itemID
	about uint16
	at    uint8 // when, as instant counts
}

type checkEvent uint8

const (
	wasApplied checkEvent = iota
	wasRefused
	wasLost
	wasReadBack
	wasConflict
	wasComputed
)

func newTable() *table {
	return &table{
		items: make([]signal.Item, 1), facts: make([]facts, 1), itemIDs: map[string]itemID{},
		writes: make([]sending, 1), writeIDs: map[string]writeID{},
		checks: make([]checkEntry, 1), checkIDs: map[string]checkID{},
		effects: map[uint32]effect{}, steps: map[checkStep]checkID{},
	}
}

func (t *table) item(item signal.Item) itemID {
	if item == nil {
		return 0
	}
	// Maps are printed in the order of their keys, so this is the item's identity.
	key := fmt.Sprint(item)
	id, ok := t.itemIDs[key]
	if !ok {
		id = itemID(len(t.items))
		if int(id) != len(t.items) {
			panic("more items than an itemID can number")
		}
		t.items, t.facts, t.itemIDs[key] = append(t.items, item), append(t.facts, factsOf(item)), id
	}
	return id
}

func (t *table) write(w protocol.Write, incarnation string) writeID {
	key := fmt.Sprint(w) + incarnation
	id, ok := t.writeIDs[key]
	if !ok {
		id = writeID(len(t.writes))
		if int(id) != len(t.writes) {
			panic("more writes than a writeID can number")
		}
		t.writes, t.writeIDs[key] = append(t.writes, sending{w, incarnation}), id
	}
	return id
}

// check numbers a check, with the write that it sends next as the rules have it.
// One that is done is no check any more.
func (t *table) check(c protocol.Check, r *rules) checkID {
	if c.Action() == protocol.Done {
		return 0
	}
	// The whole value, unexported fields included, is the check's identity.
	key := fmt.Sprintf("%+v", c)
	id, ok := t.checkIDs[key]
	if !ok {
		e := checkEntry{Check: c}
		if a := c.Action(); a == protocol.SendOnce || a == protocol.Send {
			e.write = t.write(r.rewrite(c.Write()), c.Claimed().Text(signal.AttrGlobalID))
		}
		id = checkID(len(t.checks))
		t.checks, t.checkIDs[key] = append(t.checks, e), id
	}
	return id
}

// send is what a write does to an item, judged.
func (t *table) send(item itemID, w writeID) effect {
	key := uint32(item)<<16 | uint32(w)
	e, ok := t.effects[key]
	if !ok {
		next, done := t.writes[w].Apply(t.items[item])
		e = effect{item: item, applied: done}
		if done {
			e.item = t.item(next)
			e.broken = t.judgeWrite(item, e.item, t.writes[w])
		}
		t.effects[key] = e
	}
	return e
}

// judgeWrite says which invariant a write that was applied has broken.
func (t *table) judgeWrite(before, after itemID, w sending) string {
	was, is := t.facts[before], t.facts[after]
	isSeed := w.Op == protocol.OpSeed
	switch {
	case before == 0 && after != 0 && !isSeed:
		return "I5 no resurrection: " + string(w.Op) + " created an item"
	case before != 0 && isSeed:
		return "I7 one incarnation: a seed replaced another incarnation"
	case w.incarnation != "" && before != 0 && w.incarnation != was.globalID:
		return fmt.Sprintf("I7 one incarnation: %s meant for %s was applied to %s", w.Op, w.incarnation, was.globalID)
	case w.Op == protocol.OpClaim && protocol.Expired(t.items[before], claimClock(w.Write)):
		return "I6 nothing expired is checked: an expired signal was claimed"
	case w.Op == protocol.OpSweep && !protocol.Overdue(t.items[before], sweepAt):
		return "I6 nothing live is swept: a signal was that has not expired"
	case !t.lags && was.hasValue && is.hasValue && was.globalID == is.globalID && was.seen&^is.seen != 0:
		return fmt.Sprintf("I2 no going back: the value saw %s, the one before it %s", changes(is.seen), changes(was.seen))
	case was.globalID == is.globalID && is.asOf < was.asOf:
		return fmt.Sprintf("I2 no going back: lastUpdatedAt went back from %d to %d", was.asOf, is.asOf)
	case !t.lags && is.hasValue && bits.OnesCount8(is.seen) < int(is.asOf):
		return fmt.Sprintf("I2 no going back: the value is said to be as of a read that saw %d changes, and it saw %s", is.asOf, changes(is.seen))
	}
	return ""
}

// changes names the changes of a bit set.
func changes(seen uint8) string {
	if seen == 0 {
		return "no change"
	}
	var names []string
	for w := range 8 {
		if seen>>w&1 == 1 {
			names = append(names, fmt.Sprintf("change %d", w+1))
		}
	}
	return strings.Join(names, " and ")
}
