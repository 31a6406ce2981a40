package protocol_test

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	maxWriters = 3
	maxRunners = 2
	maxActors  = 2
)

// state is all that a moment of the model is. It is small and comparable, because
// millions of them are kept.
type state struct {
	item    itemID
	visible uint8 // the changes that a read of the inventory sees, a bit per pool
	flipped uint8 // those whose flip has completed
	home    uint8 // the bucket that its seeder last put the signal into
	over    bool  // the signal's day has ended
	lost    uint8 // answers lost, and copies left on their way, so far
	clock   uint8 // ticks passed; only where the source lags
	ticks   uint8 // when each of them was committed, two bits for each
	audit   patrol
	sweep   itemID // the signal that is about to be swept, as it was read
	writers [maxWriters]writerStep
	actors  [maxActors]uint8 // steps done
	runners [maxRunners]runner
}

// runner is one of the overlapping runs of a bucket.
type runner struct {
	check  checkID
	late   writeID // a write of it that is still on its way
	claims uint8   // claims begun
	begun  bool    // has read a part of the inventory, or, as a mutant, all too early
	saw    uint8   // what it saw then
	at     uint8   // when that was, as instant counts
}

// scenario is what takes part in an exploration.
type scenario struct {
	name    string
	start   protocol.Write
	writers []writer
	actors  [][]act
	// runners are the buckets as each run has read them from the registry.
	runners []signal.Bucket
	// claims is how many checks each run begins.
	claims [maxRunners]uint8
	// outcomes are what a check can come to, beside a value.
	outcomes []protocol.OutcomeKind
	// losses is how many answers get lost, or copies of writes arrive late.
	losses uint8
	// pages is whether the inventory is read in two pages: the pool of the first
	// writer, and at another moment those of the others.
	pages bool
	// conflicts is whether writes meet transactions.
	conflicts bool
	// ends is whether the signal's day ends.
	ends bool
	// lags is for how many ticks a source that lags is watched; 0 is one that does
	// not.
	lags uint8
	// audits is how many audits there are, sweeps whether expired signals are swept.
	audits uint8
	sweeps bool
	// onDemand is whether the last run's checks do not wait until a signal is due.
	onDemand bool
}

// act is one step of a seeder, or of TTL.
type act struct {
	words string
	write protocol.Write
	// incarnation is the one that the write is meant for, "" for any.
	incarnation string
}

// rules are what the protocol says beyond its writes and steps. Mutants bend them.
type rules struct {
	rewrite   func(protocol.Write) protocol.Write
	needsFlip func(signal.Item) bool
	readBack  func(signal.Item) signal.Item
	claimID   func(run, n int) string
	flipping  flipRules
	// audit is what an audit writes.
	audit func(a protocol.Audit, value string, asOf, now time.Time) protocol.Write
	// claimedAs is what a check takes the item for that it has claimed.
	claimedAs func(signal.Item) signal.Item
	// noSettle: checks take a source that lags for one that does not.
	noSettle bool
	// readsFirst: the source is read before the claim.
	readsFirst bool
	// repeatsClaims: a claim may be sent twice, and the copy arrive late.
	repeatsClaims bool
	// readsAtOnce: the pools that were found are read in a transaction of their own,
	// which sees those of another transaction together.
	readsAtOnce bool
}

func theProtocol() rules {
	return rules{
		rewrite:   func(w protocol.Write) protocol.Write { return w },
		needsFlip: protocol.NeedsFlip,
		readBack:  func(i signal.Item) signal.Item { return i },
		audit:     protocol.Audit.Write,
		claimedAs: func(i signal.Item) signal.Item { return i },
		claimID:   func(run, n int) string { return fmt.Sprintf("run %d claim %d", run+1, n+1) },
	}
}

// model is a scenario under rules.
type model struct {
	scenario
	rules
	*table

	flips   []writeID // by the clock
	acts    [][]writeID
	fresh   map[freshKey]checkID
	audited map[auditKey]writeID
	settled map[settledKey]string

	// yield takes a successor, and why it cannot be.
	yield func(via move, next state, broken string)
}

// move is a step in words, with who made it. The words are constants, because
// most moves are never printed.
type move struct {
	words string
	who   int
	write writeID
}

func newModel(sc scenario, r rules) *model {
	m := &model{
		scenario: sc, rules: r, table: newTable(),
		fresh: map[freshKey]checkID{}, audited: map[auditKey]writeID{}, settled: map[settledKey]string{},
	}
	m.table.lags = sc.lags > 0
	for n := range sc.lags + 1 {
		m.flips = append(m.flips, m.write(r.rewrite(protocol.Flip(modelDay.Key(), instant(n))), ""))
	}
	for _, steps := range sc.actors {
		var ids []writeID
		for _, a := range steps {
			ids = append(ids, m.write(r.rewrite(a.write), a.incarnation))
		}
		m.acts = append(m.acts, ids)
	}
	return m
}

func (m *model) initial() state {
	var s state
	if m.start.Kind == protocol.Put {
		item, _ := m.start.Apply(nil)
		s.item = m.item(item)
		s.home = homeOf(m.facts[s.item].bucket)
	}
	for w := range s.writers {
		s.writers[w] = finished
		if w < len(m.writers) {
			s.writers[w] = m.writers[w].begin(m.flipping)
		}
	}
	return s
}

// successors yields every state that one step leads to.
func (m *model) successors(s state) {
	for w := range m.writers {
		m.stepWriter(s, w)
	}
	for a := range m.acts {
		m.stepActor(s, a)
	}
	if m.ends && !s.over {
		next := s
		next.over = true
		m.yield(move{words: "the signal's day ends"}, next, "")
	}
	if s.clock < m.scenario.lags {
		next := s
		next.clock++
		m.yield(move{words: "time passes: the source shows all that was committed until now"}, next, "")
	}
	for r := range m.runners {
		m.stepRunner(s, r)
	}
	m.stepAudit(s)
	m.stepSweep(s)
}

// sendApplied sends a write in a state and yields what it leads to; change adds what
// else comes with it. Nothing is yielded if the condition does not hold.
func (m *model) sendApplied(s state, via move, change func(*state)) {
	e := m.send(s.item, via.write)
	if !e.applied {
		return
	}
	s.item = e.item
	change(&s)
	m.yield(via, s, e.broken)
}

func (m *model) stepActor(s state, a int) {
	step := int(s.actors[a])
	if step == len(m.acts[a]) {
		return
	}
	write := m.acts[a][step]
	e := m.send(s.item, write)
	next := s
	next.item = e.item
	next.actors[a]++
	if e.applied && e.item != 0 {
		switch m.writes[write].Op {
		case protocol.OpSeed, protocol.OpUpdate, protocol.OpAdopt:
			next.home = homeOf(m.facts[e.item].bucket)
		}
	}
	m.yield(move{words: m.scenario.actors[a][step].words, write: write}, next, e.broken)
}

func homeOf(bucket string) uint8 {
	switch bucket {
	case "5min":
		return 1
	case "1h":
		return 2
	}
	return 0
}

// mayLose is whether one more answer can be lost.
func (m *model) mayLose(s state) bool { return s.lost < m.losses }

// now is a run's clock when it begins a claim.
func (s state) now() time.Time {
	if s.over {
		return modelEnd
	}
	return instant(s.clock)
}

// commit makes a pool's change visible.
func (s *state) commit(bit int) {
	s.visible |= 1 << bit
	s.ticks |= s.clock << (2 * bit)
}

// at is when a read of the source begins, as instant counts.
func (m *model) at(s state) uint8 {
	if m.scenario.lags > 0 {
		return s.clock
	}
	return uint8(bits.OnesCount8(s.visible))
}

// reads yields everything that a read of the source may see.
func (m *model) reads(s state) func(yield func(seen uint8) bool) {
	return func(yield func(uint8) bool) {
		if m.readsAtOnce {
			yield(s.visible | m.underWay(s))
			return
		}
		if m.scenario.lags == 0 {
			yield(s.visible)
			return
		}
		var unsure uint8
		for bit := range addedPool + 1 {
			if s.visible>>bit&1 == 1 && s.ticks>>(2*bit)&3 == s.clock {
				unsure |= 1 << bit
			}
		}
		// Every part of what it may or may not show, the whole of it first.
		for part := unsure; ; part = (part - 1) & unsure {
			if !yield(s.visible&^unsure|part) || part == 0 {
				return
			}
		}
	}
}

// claimClock is a claim's clock: in the model a lease ends as it begins.
func claimClock(w protocol.Write) time.Time {
	for _, a := range w.Set {
		if a.Attr == signal.AttrLeaseUntil {
			ms, _ := a.Value.Int()
			return time.UnixMilli(ms)
		}
	}
	return time.Time{}
}
