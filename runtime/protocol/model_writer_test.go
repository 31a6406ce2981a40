package protocol_test

// writer is an application's way of making a change and flipping the signal.
type writer uint8

const (
	// blind commits, then flips.
	blind writer = iota
	// coalesced commits, then reads strongly, then flips where it must.
	coalesced
	// inside flips within its transaction, and again, blind, once it has answered.
	inside
	// forgetful commits, and dies before it flips: no flip of its ever completes.
	forgetful
	// insideCoalesced flips within its transaction, and again as coalesced does.
	insideCoalesced
	// adding is insideCoalesced with a transaction that adds a pool as well, which no
	// read finds before it is visible. A scenario has one such writer.
	adding
)

// addedPool is the bit of the pool that a transaction adds, beside those of the
// writers' own.
const addedPool = maxWriters

func (w writer) transacts() bool { return w == inside || w == insideCoalesced || w == adding }
func (w writer) reads() bool     { return w == coalesced || w == insideCoalesced || w == adding }

// pools are the bits of the pools that the w-th writer changes.
func (m *model) pools(w int) (bits uint8) {
	if bits = 1 << w; m.writers[w] == adding {
		bits |= 1 << addedPool
	}
	return bits
}

// underWay are the pools of transactions of which something is visible, but for those
// that they add.
func (m *model) underWay(s state) (bits uint8) {
	for w := range m.writers {
		if step := s.writers[w]; step == transactPool || step == transactSignal {
			bits |= 1 << w
		}
	}
	return bits
}

// flipRules are the variants of when writers flip; the zero one is the protocol's.
type flipRules struct {
	beforeCommit    bool // the flip is made, then the change
	staleRead       bool // the read that coalesces may be older than the commit
	onlyInside      bool // no flip once the transaction has answered
	notAfterMissing bool // no flip once it was sent again without its own
}

// writerStep is what a writer does next.
type writerStep uint8

const (
	finished writerStep = iota
	commit
	read
	flip
	flipRepeated // the flip was applied, but its answer was lost
	lateCopy     // the flip has completed, but a copy of it is still on its way
	transact
	transactPool   // of the transaction, a pool is visible and the flip is not yet
	transactSignal // the flip is visible and a pool is not yet
	withoutFlip    // cancelled for a missing signal: the change alone is to be sent

	// Only mutants get to these.
	flipBefore
	readBefore
	commitThenFlip
	commitThenNothing
)

func (w writer) begin(f flipRules) writerStep {
	switch {
	case f.beforeCommit:
		return flipBefore
	case f.staleRead:
		return readBefore
	case w.transacts():
		return transact
	}
	return commit
}

// committed is what a writer does once its change is visible and answered.
func (w writer) committed() writerStep {
	if w.reads() {
		return read
	}
	return flip
}

func (m *model) stepWriter(s state, w int) {
	kind := m.writers[w]
	become := func(words string, step writerStep) {
		next := s
		next.writers[w] = step
		if step == finished {
			next.flipped |= m.pools(w)
		}
		m.yield(move{words: words, who: w}, next, "")
	}
	commitAnd := func(words string, step writerStep) {
		s.commit(w)
		become(words, step)
	}
	// A flip that finds no item is done too.
	sendFlip := func(words string, step writerStep) {
		e := m.send(s.item, m.flips[s.clock])
		next := s
		if step == flipRepeated || step == lateCopy {
			next.lost++
		}
		next.item, next.writers[w] = e.item, step
		if step == finished || step == lateCopy {
			next.flipped |= m.pools(w)
		}
		m.yield(move{words: words, who: w, write: m.flips[s.clock]}, next, e.broken)
	}

	switch s.writers[w] {
	case commit:
		if kind == forgetful {
			next := s
			next.commit(w)
			next.writers[w] = finished
			m.yield(move{words: "writer %d commits its change, and dies before it flips", who: w}, next, "")
			return
		}
		commitAnd("writer %d commits its change", kind.committed())
	case read:
		if m.needsFlip(m.items[s.item]) {
			become("writer %d reads the signal and must flip it", flip)
		} else {
			become("writer %d reads the signal and need not flip it", finished)
		}
	case flip:
		sendFlip("writer %d flips", finished)
		if m.mayLose(s) {
			sendFlip("writer %d flips, and the answer is lost", flipRepeated)
			sendFlip("writer %d flips, and a copy of the flip is still on its way", lateCopy)
		}
	case flipRepeated:
		sendFlip("writer %d sends its flip again", finished)
	case lateCopy:
		sendFlip("the copy of writer %d's flip arrives", finished)
	case transact:
		if s.item == 0 {
			become("writer %d's transaction is cancelled: there is no signal", withoutFlip)
			return
		}
		m.commitEach(s, w, transactPool, transactPool, "writer %d's transaction commits; its pool is visible first")
		sendFlip("writer %d's transaction commits; its flip is visible first", transactSignal)
	case transactPool:
		if s.visible&m.pools(w) != m.pools(w) {
			m.commitEach(s, w, transactPool, transactPool, "another pool of writer %d's transaction is visible too")
			sendFlip("the flip of writer %d's transaction is visible too", transactSignal)
			return
		}
		sendFlip("the flip of writer %d's transaction is visible too; it answers", m.answered(kind))
	case transactSignal:
		m.commitEach(s, w, m.answered(kind), transactSignal, "the pool of writer %d's transaction is visible too; it answers")
	case withoutFlip:
		step := kind.committed()
		if m.flipping.notAfterMissing {
			step = finished
		}
		m.commitEach(s, w, step, withoutFlip, "writer %d sends its transaction again without the flip, and it commits")
	case flipBefore:
		sendFlip("writer %d flips before it commits", commitThenNothing)
	case readBefore:
		step := commitThenNothing
		if m.needsFlip(m.items[s.item]) {
			step = commitThenFlip
		}
		become("writer %d will be answered from what the signal is now", step)
	case commitThenFlip:
		commitAnd("writer %d commits its change, and must flip", flip)
	case commitThenNothing:
		commitAnd("writer %d commits its change, and need not flip any more", finished)
	}
}

// commitEach makes each of a transaction's pools visible that is not yet. The step that
// follows is all if it was the last, else some.
func (m *model) commitEach(s state, w int, all, some writerStep, words string) {
	for bit := range addedPool + 1 {
		if m.pools(w)>>bit&1 == 0 || s.visible>>bit&1 == 1 {
			continue
		}
		next := s
		next.commit(bit)
		next.writers[w] = all
		told := words
		if next.visible&m.pools(w) != m.pools(w) {
			next.writers[w] = some
		}
		if bit == addedPool {
			told = "the pool that writer %d's transaction adds is visible"
		}
		if next.writers[w] == finished {
			next.flipped |= m.pools(w)
		}
		m.yield(move{words: told, who: w}, next, "")
	}
}

func (m *model) answered(kind writer) writerStep {
	if m.flipping.onlyInside {
		return finished
	}
	return kind.committed()
}
