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
)

func (w writer) transacts() bool { return w == inside || w == insideCoalesced }
func (w writer) reads() bool     { return w == coalesced || w == insideCoalesced }

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
	transactPool   // of the transaction, the pool is visible and the flip is not yet
	transactSignal // the flip is visible and the pool is not yet
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
			next.flipped |= 1 << w
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
			next.flipped |= 1 << w
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
		pool := s
		pool.commit(w)
		pool.writers[w] = transactPool
		m.yield(move{words: "writer %d's transaction commits; its pool is visible first", who: w}, pool, "")
		sendFlip("writer %d's transaction commits; its flip is visible first", transactSignal)
	case transactPool:
		sendFlip("the flip of writer %d's transaction is visible too; it answers", m.answered(kind))
	case transactSignal:
		commitAnd("the pool of writer %d's transaction is visible too; it answers", m.answered(kind))
	case withoutFlip:
		step := kind.committed()
		if m.flipping.notAfterMissing {
			step = finished
		}
		commitAnd("writer %d sends its transaction again without the flip, and it commits", step)
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

func (m *model) answered(kind writer) writerStep {
	if m.flipping.onlyInside {
		return finished
	}
	return kind.committed()
}
