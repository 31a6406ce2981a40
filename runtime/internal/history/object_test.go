package history_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// object is a signal as one thing that does one operation after the other. It says
// again, in other words than the protocol's, what flips, claims and finishes do.
type object struct {
	dirty                 bool
	rev                   int64
	claimedBy             string
	claimedRev            int64 // -1 if it was never claimed
	leaseUntil, notBefore int64
	attempts              int64
	value, asOf           string
}

func objectOf(item signal.Item) object {
	o := object{
		dirty:      item.Text(signal.AttrGSISK) == signal.Dirty,
		rev:        item.Int(signal.AttrRev),
		claimedBy:  item.Text(signal.AttrClaimedBy),
		claimedRev: -1,
		leaseUntil: item.Int(signal.AttrLeaseUntil),
		notBefore:  item.Int(signal.AttrNotBefore),
		attempts:   item.Int(signal.AttrAttempts),
		value:      item.Text(signal.AttrValue),
		asOf:       item.Text(signal.AttrLastUpdatedAt),
	}
	if rev, ok := item[signal.AttrClaimedRev].Int(); ok {
		o.claimedRev = rev
	}
	return o
}

// action is what an operation does, beside the writes of the protocol.
const (
	// coalesced is a flip that is left out where a check is sure to come.
	coalesced protocol.Op = "coalesced flip"
	read      protocol.Op = "read"
)

// input is an operation on a signal.
type input struct {
	key signal.Key
	op  protocol.Op
	// id and rev are the claim that it makes, or finishes.
	id  string
	rev int64
	// now is a claim's clock, and until what it or a finish sets for others to wait.
	now, until  int64
	value, asOf string
}

// output is its answer.
type output struct {
	// unknown: there was none, and the operation may take place at any later time,
	// or never.
	unknown bool
	applied bool
	// saw is the signal that a read found, a claim made or a refusal stood before.
	saw object
}

// willBeChecked is whether a read of the inventory is sure to come.
func (o object) willBeChecked() bool { return o.dirty && o.rev != o.claimedRev }

func (o object) flipped() object {
	o.dirty = true
	o.rev++
	return o
}

// after is the object after an operation, and whether it allows it at all.
func (o object) after(in input) (object, bool) {
	switch in.op {
	case protocol.OpFlip, coalesced:
		return o.flipped(), true
	case protocol.OpClaim:
		if !o.dirty || o.notBefore > in.now || o.leaseUntil > in.now {
			return o, false
		}
		o.claimedBy, o.claimedRev, o.leaseUntil = in.id, o.rev, in.until
		return o, true
	}
	if o.claimedBy != in.id || in.op == protocol.OpFinishClean && o.rev != in.rev {
		return o, false
	}
	o.claimedBy, o.leaseUntil = "", 0
	switch in.op {
	case protocol.OpFinishFailed:
		o.attempts, o.notBefore = o.attempts+1, in.until
	case protocol.OpFinishClean, protocol.OpFinishRaced:
		o.value, o.asOf, o.attempts, o.notBefore = in.value, in.asOf, 0, 0
		o.dirty = in.op == protocol.OpFinishRaced
	}
	return o, true
}

// asClaimed is what a claim is told of the signal that it leaves. That it is dirty, that
// its rev is the claimed one, and until when its lease is, is in the claim itself.
func (o object) asClaimed() object {
	o.dirty, o.rev, o.leaseUntil = false, 0, 0
	return o
}

// step is every object that an operation with that answer may leave behind; none
// where it cannot have been answered so.
func (o object) step(in input, out output) []any {
	next, allowed := o.after(in)
	switch {
	case in.op == read:
		if out.saw != o {
			return nil
		}
		return []any{o}
	case in.op == coalesced && (out.unknown || o.willBeChecked()):
		return []any{o, next}
	case out.unknown && allowed:
		return []any{o, next}
	case out.unknown:
		return []any{o}
	case allowed != out.applied:
		return nil
	case !allowed && out.saw != o, in.op == protocol.OpClaim && allowed && out.saw != next.asClaimed():
		return nil
	}
	return []any{next}
}

// model is what histories are held against. They begin with the signal as seeded.
func model() porcupine.Model {
	nondeterministic := porcupine.NondeterministicModel{
		Partition: bySignal,
		Init:      func() []any { return []any{object{dirty: true, claimedRev: -1}} },
		Step:      func(o, in, out any) []any { return o.(object).step(in.(input), out.(output)) },
		DescribeOperation: func(in, out any) string {
			return fmt.Sprintf("%+v: %+v", in, out)
		},
	}
	return nondeterministic.ToModel()
}

func bySignal(history []porcupine.Operation) [][]porcupine.Operation {
	of := map[signal.Key][]porcupine.Operation{}
	for _, op := range history {
		key := op.Input.(input).key
		of[key] = append(of[key], op)
	}
	var parts [][]porcupine.Operation
	for _, part := range of {
		parts = append(parts, part)
	}
	return parts
}
