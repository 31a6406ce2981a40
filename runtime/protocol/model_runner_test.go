package protocol_test

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
)

// freshKey is what a check that begins depends on.
type freshKey struct {
	run  int
	n    uint8
	time time.Time
}

// begin is the check that a run begins next. Whatever its query said, and however
// long ago: a run may try to claim at any time.
func (m *model) begin(s state, r int) checkID {
	key := freshKey{r, s.runners[r].claims, s.now()}
	id, ok := m.fresh[key]
	if !ok {
		c := protocol.NewCheck(modelDay.Key(), m.runners[r], m.claimID(r, int(key.n)), s.now())
		if m.scenario.onDemand && r == len(m.runners)-1 {
			c = c.OnDemand()
		}
		id = m.check(m.settling(c), &m.rules)
		m.fresh[key] = id
	}
	return id
}

// settling is the check for the model's source.
func (m *model) settling(c protocol.Check) protocol.Check {
	if m.scenario.lags == 0 || m.noSettle {
		return c
	}
	return c.Settling(tick)
}

func (m *model) stepRunner(s state, r int) {
	run := s.runners[r]
	if run.late != 0 {
		e := m.send(s.item, run.late)
		next := s
		next.item, next.runners[r].late = e.item, 0
		m.yield(move{words: "what run %d sent earlier arrives", who: r, write: run.late}, next, e.broken)
	}
	id := run.check
	switch {
	case id != 0:
		// Crashed, or out of time: its check is dropped wherever it is.
		next := s
		next.runners[r].check, next.runners[r].begun, next.runners[r].saw, next.runners[r].at = 0, false, 0, 0
		m.yield(move{words: "run %d stops, and drops its check", who: r}, next, "")
	case run.claims == m.claims[r]:
		return
	case m.readsFirst && !run.begun:
		next := s
		next.runners[r].begun, next.runners[r].saw, next.runners[r].at = true, s.visible, m.at(s)
		m.yield(move{words: "run %d reads the source before it claims", who: r}, next, "")
		return
	default:
		id = m.begin(s, r)
	}
	switch m.checks[id].Action() {
	case protocol.SendOnce:
		m.claim(s, r, id)
	case protocol.ReadBack:
		m.advance(s, r, "run %d reads the signal back", m.told(s, id, wasReadBack, s.item, 0))
	case protocol.Compute:
		m.compute(s, r, id)
	case protocol.Send:
		m.finish(s, r, id)
	}
}

// advance yields the state in which a run's check has gone on and nothing else
// has changed.
func (m *model) advance(s state, r int, words string, id checkID) {
	s.runners[r].check = id
	m.yield(move{words: words, who: r}, s, "")
}

func (m *model) claim(s state, r int, id checkID) {
	write := m.checks[id].write
	claims := s.runners[r].claims + 1
	if m.conflicts && s.runners[r].check == 0 && claims < m.claims[r] {
		next := s
		next.runners[r].claims = claims
		m.advance(next, r, "run %d's claim meets a transaction; it will be sent anew", m.told(s, id, wasConflict, 0, uint16(r)<<8|uint16(claims)))
	}
	if e := m.send(s.item, write); !e.applied {
		if s.runners[r].check != 0 {
			m.advance(s, r, "run %d's claim is refused", m.told(s, id, wasRefused, s.item, 0))
		}
		// A claim that is refused at once leaves everything as it was.
	}
	m.sendApplied(s, move{"run %d claims", r, write}, func(next *state) {
		next.runners[r].claims = claims
		next.runners[r].check = m.told(s, id, wasApplied, next.item, 0)
	})
	if m.repeatsClaims && m.mayLose(s) && s.runners[r].late == 0 {
		m.sendApplied(s, move{"run %d claims, and a copy of the claim is still on its way", r, write}, func(next *state) {
			next.lost++
			next.runners[r].claims, next.runners[r].late = claims, write
			next.runners[r].check = m.told(s, id, wasApplied, next.item, 0)
		})
	}
	if !m.mayLose(s) {
		return
	}
	m.sendApplied(s, move{"run %d claims, and the answer is lost", r, write}, func(next *state) {
		next.lost++
		next.runners[r].claims = claims
		next.runners[r].check = m.told(s, id, wasLost, 0, 0)
	})
	if s.runners[r].late == 0 {
		next := s
		next.lost++
		next.runners[r].claims, next.runners[r].late = claims, write
		m.advance(next, r, "run %d sends a claim, and hears nothing of it", m.told(s, id, wasLost, 0, 0))
	}
}

func (m *model) compute(s state, r int, id checkID) {
	const firstPage = 1
	run, at := s.runners[r], m.at(s)
	pages := m.pages && !m.readsAtOnce
	if pages && !run.begun {
		s.runners[r].begun, s.runners[r].saw, s.runners[r].at = true, s.visible&firstPage, at
		m.advance(s, r, "run %d reads a first page of the source", id)
		return
	}
	s.runners[r].begun, s.runners[r].saw, s.runners[r].at = false, 0, 0
	computed := func(words string, seen, at uint8) {
		about := uint16(protocol.Computed)<<8 | uint16(seen)
		m.advance(s, r, words, m.toldAt(at, id, wasComputed, 0, about))
	}
	switch {
	case pages:
		computed("run %d reads the rest of the source", run.saw|s.visible&^firstPage, run.at)
	case m.readsFirst:
		computed("run %d takes what it has read", run.saw, run.at)
	default:
		for seen := range m.reads(s) {
			words := "run %d reads the source"
			if seen != s.visible {
				words = "run %d reads the source, which lags"
			}
			computed(words, seen, at)
		}
	}
	for _, kind := range m.outcomes {
		m.advance(s, r, outcomeWords[kind], m.told(s, id, wasComputed, 0, uint16(kind)<<8))
	}
}

var outcomeWords = [...]string{
	protocol.Fault:       "run %d cannot check the signal",
	protocol.SourceFault: "run %d finds the source failing",
	protocol.NotStarted:  "run %d has no time left to check",
}

func (m *model) finish(s state, r int, id checkID) {
	write := m.checks[id].write
	if e := m.send(s.item, write); !e.applied {
		m.advance(s, r, "run %d's finish is refused", m.told(s, id, wasRefused, s.item, 0))
	}
	m.sendApplied(s, move{"run %d finishes", r, write}, func(next *state) {
		next.runners[r].check = m.told(s, id, wasApplied, next.item, 0)
	})
	if m.conflicts {
		m.advance(s, r, "run %d's finish meets a transaction; it will be sent again", m.told(s, id, wasConflict, 0, 0))
	}
	if !m.mayLose(s) {
		return
	}
	m.sendApplied(s, move{"run %d finishes, and the answer is lost; it will be sent again", r, write}, func(next *state) { next.lost++ })
	if s.runners[r].late != 0 {
		return
	}
	m.sendApplied(s, move{"run %d finishes, and a copy of the finish is still on its way", r, write}, func(next *state) {
		next.lost++
		next.runners[r].late = write
		next.runners[r].check = m.told(s, id, wasApplied, next.item, 0)
	})
	next := s
	next.lost++
	next.runners[r].late = write
	m.advance(next, r, "run %d sends its finish, and gives up waiting for the answer", m.told(s, id, wasLost, 0, 0))
}

// told advances a check by what came of its step.
func (m *model) told(s state, id checkID, event checkEvent, item itemID, about uint16) checkID {
	return m.toldAt(s.clock, id, event, item, about)
}

func (m *model) toldAt(at uint8, id checkID, event checkEvent, item itemID, about uint16) checkID {
	step := checkStep{id, event, item, about, at}
	next, ok := m.steps[step]
	if !ok {
		next = m.check(m.tell(m.checks[id].Check, step), &m.rules)
		m.steps[step] = next
	}
	return next
}

func (m *model) tell(c protocol.Check, step checkStep) protocol.Check {
	item := m.items[step.item]
	switch step.event {
	case wasApplied:
		if c.Action() == protocol.SendOnce {
			item = m.claimedAs(item)
		}
		return c.Applied(item)
	case wasRefused:
		return c.Refused(item)
	case wasLost:
		return c.Unknown()
	case wasReadBack:
		return c.Read(m.claimedAs(m.readBack(item)))
	case wasConflict:
		return c.Conflict(m.claimID(int(step.about>>8), int(step.about&0xff)), instant(step.at))
	}
	// Whatever is put off may be due at once: that it waits is for pace alone.
	o := protocol.Outcome{Kind: protocol.OutcomeKind(step.about >> 8), AsOf: instant(step.at), NotBefore: modelNow}
	if o.Kind == protocol.Computed {
		o.Value = modelValue(uint8(step.about), modeOf(c.Claimed()))
	}
	return c.Computed(o)
}
