package protocol

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Apply is what DynamoDB does with a write: given the item as it is (nil if there
// is none) it returns the item as it will be, or applied false if the condition
// does not hold. The item given is not changed.
func (w Write) Apply(item signal.Item) (next signal.Item, applied bool) {
	for _, c := range w.If {
		if !c.Holds(item) {
			return item, false
		}
	}
	switch w.Kind {
	case Put:
		return w.Item.Clone(), true
	case Delete:
		return nil, true
	}
	next = item.Clone()
	if next == nil {
		next = signal.Item{signal.AttrPK: signal.S(w.Key.PK), signal.AttrSK: signal.S(w.Key.SK)}
	}
	for _, a := range w.Set {
		v := a.Value
		if a.From != "" && item[a.From].Exists() {
			v = item[a.From]
		}
		next[a.Attr] = v
	}
	for _, a := range w.Add {
		next[a.Attr] = signal.N(item.Int(a.Attr) + a.By)
	}
	for _, attr := range w.Remove {
		delete(next, attr)
	}
	return next, true
}

// Holds is whether a condition holds for an item (nil if there is none).
func (c Cond) Holds(item signal.Item) bool {
	v := item[c.Attr]
	switch c.Test {
	case Exists:
		return v.Exists()
	case Absent:
		return !v.Exists()
	case Equal:
		return v.Exists() && v.Equal(c.Value)
	case AnyOf:
		for _, a := range c.Any {
			if a.Holds(item) {
				return true
			}
		}
		return false
	}
	order, comparable := compare(v, c.Value)
	switch {
	case !comparable:
		return false
	case c.Test == Below:
		return order < 0
	case c.Test == AtMost:
		return order <= 0
	default:
		return order > 0
	}
}

func compare(a, b signal.Value) (order int, comparable bool) {
	if s, ok := a.Text(); ok {
		t, ok := b.Text()
		return strings.Compare(s, t), ok
	}
	if m, ok := a.Int(); ok {
		if n, ok := b.Int(); ok {
			return cmp.Compare(m, n), true
		}
	}
	m, ok := decimal(a)
	n, ok2 := decimal(b)
	if !ok || !ok2 {
		return 0, false
	}
	return m.Cmp(n), true
}

// decimal is a number as DynamoDB compares it, whole or not.
func decimal(v signal.Value) (*big.Rat, bool) {
	text, ok := v.Number()
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
