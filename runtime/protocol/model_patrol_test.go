package protocol_test

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// patrol is the audit that is under way.
type patrol struct {
	item itemID // the signal as it was read; 0 if there is no audit
	read bool   // has read the source
	saw  uint8  // what it saw
	at   uint8  // when that was, as instant counts
	done uint8  // audits ended
}

// auditKey is what an audit's write depends on.
type auditKey struct {
	audit patrol
	clock uint8
	over  bool
}

func (m *model) stepAudit(s state) {
	next := s
	switch p := &next.audit; {
	case p.item == 0:
		if p.done == m.audits {
			return
		}
		if _, ok := protocol.NewAudit(modelDay.Key(), m.items[s.item], s.now()); !ok {
			return
		}
		p.item = s.item
		m.yield(move{words: "an audit reads the signal"}, next, "")
	case !p.read:
		p.read, p.at = true, m.at(s)
		for seen := range m.reads(s) {
			p.saw = seen
			m.yield(move{words: "the audit reads the source"}, next, "")
		}
	default:
		m.concludeAudit(s)
	}
}

func (m *model) concludeAudit(s state) {
	write := m.auditWrite(s)
	e := m.send(s.item, write)
	ended := s
	ended.item, ended.audit = e.item, patrol{done: s.audit.done + 1}
	if e.applied {
		// What it saw is told of as by a flip: either it is in the value, or the
		// signal is dirty.
		ended.flipped |= s.audit.saw
	}
	m.yield(move{words: "the audit ends", write: write}, ended, e.broken)
	if e.applied && m.mayLose(s) {
		again := s
		again.item = e.item
		again.lost++
		m.yield(move{words: "the audit ends, and the answer is lost; its write is sent again", write: write}, again, e.broken)
	}
}

func (m *model) auditWrite(s state) writeID {
	key := auditKey{s.audit, s.clock, s.over}
	id, ok := m.audited[key]
	if !ok {
		item := m.items[s.audit.item]
		// It was one when it was read.
		a, _ := protocol.NewAudit(modelDay.Key(), item, time.Time{})
		w := m.rewrite(m.rules.audit(a, modelValue(s.audit.saw, modeOf(item)), instant(s.audit.at), s.now()))
		incarnation := item.Text(signal.AttrGlobalID)
		if w.Op == protocol.OpAuditFlip {
			// A flip may dirty a later one.
			incarnation = ""
		}
		id = m.write(w, incarnation)
		m.audited[key] = id
	}
	return id
}

func (m *model) stepSweep(s state) {
	if !m.sweeps || !s.over {
		return
	}
	next := s
	if s.sweep == 0 {
		if s.item != 0 && protocol.Overdue(m.items[s.item], sweepAt) {
			next.sweep = s.item
			m.yield(move{words: "a sweep reads the signal, which has been expired for an hour"}, next, "")
		}
		return
	}
	item := m.items[s.sweep]
	write := m.write(m.rewrite(protocol.Sweep(modelDay.Key(), item, sweepAt)), item.Text(signal.AttrGlobalID))
	e := m.send(s.item, write)
	next.item, next.sweep = e.item, 0
	m.yield(move{words: "the sweep deletes it", write: write}, next, e.broken)
	if e.applied && m.mayLose(s) {
		again := s
		again.item = e.item
		again.lost++
		m.yield(move{words: "the sweep deletes it, and the answer is lost; its write is sent again", write: write}, again, e.broken)
	}
}
