package protocol_test

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// explored is a state that was reached, and from where.
type explored struct {
	state  state
	parent uint32
}

// frontier is every state reached so far, in the order of reaching, each once.
type frontier struct {
	seed   maphash.Seed
	states []explored
	// slots is an open-addressed hash table of positions in states, plus one.
	slots []uint32
}

func newFrontier() *frontier {
	return &frontier{seed: maphash.MakeSeed(), slots: make([]uint32, 1<<12)}
}

// add keeps a state unless it is known.
func (f *frontier) add(s state, parent uint32) (isNew bool) {
	if 2*len(f.states) >= len(f.slots) {
		f.slots = make([]uint32, 2*len(f.slots))
		for i := range f.states {
			f.slots[f.slot(f.states[i].state)] = uint32(i) + 1
		}
	}
	at := f.slot(s)
	if f.slots[at] != 0 {
		return false
	}
	f.states = append(f.states, explored{s, parent})
	f.slots[at] = uint32(len(f.states))
	return true
}

// slot is where a state is, or where it belongs.
func (f *frontier) slot(s state) uint64 {
	mask := uint64(len(f.slots) - 1)
	at := maphash.Comparable(f.seed, s) & mask
	for f.slots[at] != 0 && f.states[f.slots[at]-1].state != s {
		at = (at + 1) & mask
	}
	return at
}

// finding is what an exploration ends with.
type finding struct {
	states int
	// broken is the invariant that does not hold, or "" if all hold everywhere.
	broken string
	// first is the item at the beginning, and way the shortest to the breach.
	first itemID
	way   []step
	// trace is that in words, a line for each step.
	trace string
}

// explore visits every state that a model can reach, the nearest first, and stops
// at the first in which an invariant does not hold: any of them, or those whose
// breach begins with want.
func explore(m *model, want string) finding {
	f := newFrontier()
	first := m.initial()
	f.add(first, 0)
	wanted := func(broken string) bool { return broken != "" && strings.HasPrefix(broken, want) }
	if broken := m.judge(first); wanted(broken) {
		return m.finding(f, broken, 0, nil)
	}
	for at := 0; at < len(f.states); at++ {
		var found *finding
		m.yield = func(via move, next state, broken string) {
			if found != nil {
				return
			}
			if !wanted(broken) {
				if !f.add(next, uint32(at)) {
					return
				}
				broken = m.judge(next)
			}
			if wanted(broken) {
				is := m.finding(f, broken, uint32(at), &step{via, next})
				found = &is
			}
		}
		m.successors(f.states[at].state)
		if found != nil {
			found.states = len(f.states)
			return *found
		}
	}
	return finding{states: len(f.states)}
}

// step is a move and where it leads.
type step struct {
	via  move
	next state
}

// finding is what was found on the way to a state, and one step further if there is
// one.
func (m *model) finding(f *frontier, broken string, to uint32, further *step) finding {
	is := finding{states: len(f.states), broken: broken, first: f.states[0].state.item}
	if further != nil {
		is.way = append(is.way, *further)
	}
	for to != 0 {
		from := f.states[to].parent
		is.way = append(is.way, m.stepBetween(f.states[from].state, f.states[to].state))
		to = from
	}
	slices.Reverse(is.way)
	is.trace = m.trace(is.first, is.way)
	return is
}

// trace tells a way in words.
func (m *model) trace(item itemID, way []step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "       at first: %s\n", describe(m.items[item]))
	for i, s := range way {
		fmt.Fprintf(&b, "  %3d. %s\n", i+1, s.via)
		if s.next.item != item {
			item = s.next.item
			fmt.Fprintf(&b, "       now: %s\n", describe(m.items[item]))
		}
	}
	return b.String()
}

// String is the move in words, with who made it.
func (v move) String() string { return strings.ReplaceAll(v.words, "%d", strconv.Itoa(v.who+1)) }

// stepBetween finds the step again that led from one state to another.
func (m *model) stepBetween(from, to state) (found step) {
	m.yield = func(via move, next state, _ string) {
		if next == to {
			found = step{via, next}
		}
	}
	m.successors(from)
	return found
}
