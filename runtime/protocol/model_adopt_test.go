package protocol_test

import (
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// seedStrange is what a stranger may seed, whenever it likes: clean, with a value
// from before every change, without a rev and without an owner.
func seedStrange(globalID string) protocol.Write {
	w := seedForeign(globalID)
	w.Item[signal.AttrGSISK] = signal.S(signal.Clean)
	delete(w.Item, signal.AttrDirtySince)
	w.Item[signal.AttrValue] = signal.S(modelValue(0, signal.Exact))
	return w
}

func adoptFrom(id protocol.Identity, c protocol.Change) act {
	a := protocol.Adoption{SeededBy: "stream", GlobalID: "given"}
	return act{"the stream adopts the signal", protocol.Adopt(modelDay.Key(), id, a, c, modelNow), id.GlobalID}
}

func adoptedFromNobody() scenario {
	return scenario{
		name: "adopted from nobody", runners: runsOf(fiveMinutes(1), fiveMinutes(1)), claims: [maxRunners]uint8{2, 1}, losses: 1,
		writers: []writer{coalesced, blind},
		actors: [][]act{
			{seedAgain(seedStrange("first")), ttlDeletes, seedAgain(seedDirty("second"))},
			{adoptFrom(protocol.Identity{GlobalID: "first"}, protocol.Change{})},
		},
	}
}

func takenOver() scenario {
	return scenario{
		name: "taken over with another pattern", start: seedDirty("first"), runners: runsOf(fiveMinutes(1), hourly(1)), claims: [maxRunners]uint8{2, 1},
		writers: []writer{coalesced, blind},
		actors: [][]act{
			{adoptFrom(ownedBy("first"), protocol.Change{GSIPK: "cadenceBucket::1h", Pattern: &tiered})},
			// Its seeder does not know yet.
			{usePattern("first", exact), deleteBy("first"), seedAgain(seedDirty("second"))},
		},
	}
}

func adoptMutants() []mutant {
	unflipped := func(w *protocol.Write) {
		withoutSet(signal.AttrGSISK)(w)
		withoutSet(signal.AttrDirtySince)(w)
		w.Add = nil
	}
	return []mutant{
		{"a stranger's clean is adopted as it is", "adopted from nobody", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpAdopt, unflipped)
		}},
		{"taken over with another pattern, without a flip", "taken over with another pattern", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpAdopt, unflipped)
		}},
		{"an adoption forgets the incarnation", "adopted from nobody", []string{crosses}, func(r *rules) {
			r.rewriteOp(protocol.OpAdopt, all(withoutCond(signal.AttrGlobalID), withoutCond(signal.AttrSeededBy)))
		}},
		{"an adoption creates the signal", "adopted from nobody", []string{resurrects}, func(r *rules) {
			r.rewriteOp(protocol.OpAdopt, all(withoutCond(signal.AttrPK), withoutCond(signal.AttrSchema),
				withoutCond(signal.AttrGlobalID), withoutCond(signal.AttrSeededBy)))
		}},
	}
}
