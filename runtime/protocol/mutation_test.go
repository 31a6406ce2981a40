package protocol_test

import (
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// rewriteOp makes the rules send a changed write for an operation.
func (r *rules) rewriteOp(op protocol.Op, change func(*protocol.Write)) {
	before := r.rewrite
	r.rewrite = func(w protocol.Write) protocol.Write {
		w = before(w)
		if w.Op != op {
			return w
		}
		// Production code made this write; its slices are not ours to change.
		w.If, w.Set = slices.Clone(w.If), slices.Clone(w.Set)
		w.Add, w.Remove = slices.Clone(w.Add), slices.Clone(w.Remove)
		w.Item = w.Item.Clone()
		change(&w)
		return w
	}
}

// withoutCond drops every condition on an attribute.
func withoutCond(attr string) func(*protocol.Write) {
	return func(w *protocol.Write) {
		w.If = slices.DeleteFunc(w.If, func(c protocol.Cond) bool {
			return c.Attr == attr || slices.ContainsFunc(c.Any, func(c protocol.Cond) bool { return c.Attr == attr })
		})
	}
}

// withoutSet drops every assignment to an attribute.
func withoutSet(attr string) func(*protocol.Write) {
	return func(w *protocol.Write) {
		w.Set = slices.DeleteFunc(w.Set, func(a protocol.Assignment) bool { return a.Attr == attr })
	}
}

// onlyIf adds a condition.
func onlyIf(test protocol.Test, attr string, v signal.Value) func(*protocol.Write) {
	return func(w *protocol.Write) {
		w.If = append(w.If, protocol.Cond{Test: test, Attr: attr, Value: v})
	}
}

// andSet adds an assignment.
func andSet(attr string, v signal.Value) func(*protocol.Write) {
	return func(w *protocol.Write) {
		w.Set = append(w.Set, protocol.Assignment{Attr: attr, Value: v})
	}
}

// assigned is what a write sets an attribute to.
func assigned(w protocol.Write, attr string) signal.Value {
	for _, a := range w.Set {
		if a.Attr == attr {
			return a.Value
		}
	}
	return signal.Value{}
}

// all makes several changes one.
func all(changes ...func(*protocol.Write)) func(*protocol.Write) {
	return func(w *protocol.Write) {
		for _, change := range changes {
			change(w)
		}
	}
}
