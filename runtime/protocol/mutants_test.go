package protocol_test

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	lost       = "I1"
	back       = "I2"
	stuck      = "I3"
	resurrects = "I5"
	expired    = "I6"
	crosses    = "I7"
)

// mutant is a variant of the protocol that looks right and is not.
type mutant struct {
	name     string
	scenario string
	// breaks are the invariants that it must be caught breaking, each by itself.
	breaks []string
	mutate func(*rules)
}

var (
	isClean = signal.S(signal.Clean)
	isThere = onlyIf(protocol.Exists, signal.AttrPK, signal.Value{})

	// cleanAlways is a clean finish that asks for nothing but the item.
	cleanAlways = all(withoutCond(signal.AttrClaimedBy), withoutCond(signal.AttrRev), isThere)
	noClaimedBy = all(withoutCond(signal.AttrClaimedBy), isThere)
	flipIfClean = onlyIf(protocol.Equal, signal.AttrGSISK, isClean)
)

// versionCounter makes finishes compare rev alone.
func versionCounter(r *rules) {
	r.rewriteOp(protocol.OpFinishClean, noClaimedBy)
	r.rewriteOp(protocol.OpFinishRaced, noClaimedBy)
}

func flipUnlessDirty(i signal.Item) bool { return i != nil && i.Text(signal.AttrGSISK) != signal.Dirty }

// Variants of the protocol that are known to fail, by the names that its
// description has for them.
func mutants() []mutant {
	return []mutant{
		{"unconditional clean", "three blind writers", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishClean, cleanAlways)
		}},
		{"unconditional clean + flip only if clean", "three blind writers", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishClean, cleanAlways)
			r.rewriteOp(protocol.OpFlip, flipIfClean)
		}},
		{"clean first, then check, runner may crash", "three blind writers", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpClaim, andSet(signal.AttrGSISK, isClean))
			r.rewriteOp(protocol.OpFinishClean, all(withoutCond(signal.AttrRev), withoutSet(signal.AttrGSISK)))
		}},
		{"version counter, but flip only if clean", "three blind writers", []string{lost}, func(r *rules) {
			versionCounter(r)
			r.rewriteOp(protocol.OpFlip, flipIfClean)
		}},
		{"version counter, skip the flip if a strong read says dirty", "three coalescing writers", []string{lost}, func(r *rules) {
			versionCounter(r)
			r.needsFlip = flipUnlessDirty
		}},
		{"finish compares rev only, no claimedBy", "three blind writers", []string{lost, back}, versionCounter},
		{"skip the flip if dirty, claimed or not", "three coalescing writers", []string{lost}, func(r *rules) {
			r.needsFlip = flipUnlessDirty
		}},
		{"coalesced on an eventually consistent read", "three coalescing writers", []string{lost}, func(r *rules) {
			r.flipping.staleRead = true
		}},
		{"flip before the inventory commit", "three blind writers", []string{lost}, func(r *rules) {
			r.flipping.beforeCommit = true
		}},
		{"flip only inside the transaction", "two transactions", []string{lost}, func(r *rules) {
			r.flipping.onlyInside = true
		}},
		{"lost claim answer, rev of the item taken for the claimed one", "lost answers, coalesced", []string{lost}, func(r *rules) {
			r.readBack = func(i signal.Item) signal.Item {
				if i = i.Clone(); i != nil {
					i[signal.AttrClaimedRev] = i[signal.AttrRev]
				}
				return i
			}
		}},
		{"a claim's late repeat revives its id", "lost answers, blind", []string{back}, func(r *rules) {
			r.repeatsClaims = true
		}},
		{"lagging source, no settle", "lagging source", []string{lost}, func(r *rules) {
			r.noSettle = true
		}},
		{"lagging source, cleaned once dirtySince is older than settle", "lagging source", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishSettling, withoutSet(signal.AttrDirtySince))
			r.claimedAs = func(i signal.Item) signal.Item {
				if i = i.Clone(); i != nil {
					i["settleRev"], i["settleFrom"] = i[signal.AttrClaimedRev], i[signal.AttrDirtySince]
				}
				return i
			}
		}},
		{"settleFrom taken before the claim was applied", "lagging source, lost answers", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishSettling, func(w *protocol.Write) {
				for i, a := range w.Set {
					if a.Attr == "settleFrom" {
						// A raced or settling finish has there when the claim began.
						w.Set[i].Value = assigned(*w, signal.AttrDirtySince)
					}
				}
			})
		}},
		{"transaction cancelled for a missing signal, sent again without any flip", "seeded late", []string{lost}, func(r *rules) {
			r.flipping.notAfterMissing = true
		}},
		{"two runs share a claim id", "three blind writers", []string{back}, func(r *rules) {
			r.claimID = func(int, int) string { return "the request" }
		}},
		{"re-seeded clean with an old value", "seeded again with a value", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpSeed, func(w *protocol.Write) {
				w.Item[signal.AttrGSISK] = isClean
				delete(w.Item, signal.AttrDirtySince)
			})
		}},
		{"pattern changed without a flip", "pattern changed", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpUpdate, func(w *protocol.Write) {
				withoutSet(signal.AttrGSISK)(w)
				withoutSet(signal.AttrDirtySince)(w)
				w.Add = nil
			})
		}},
		// With finishes and writers as they are, such a signal is never cleaned.
		{"claim leaves an absent rev absent", "seeded without rev", []string{stuck}, func(r *rules) {
			r.rewriteOp(protocol.OpClaim, withoutSet(signal.AttrRev))
		}},
		{"claim leaves an absent rev absent, as finishes and writers of such a protocol take it", "seeded without rev", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpClaim, withoutSet(signal.AttrRev))
			r.rewriteOp(protocol.OpFinishClean, func(w *protocol.Write) {
				for i, c := range w.If {
					if c.Attr == signal.AttrRev && c.Value.Equal(signal.N(0)) {
						w.If[i] = protocol.Cond{Test: protocol.AnyOf, Any: []protocol.Cond{c, {Test: protocol.Absent, Attr: signal.AttrRev}}}
					}
				}
			})
			r.needsFlip = func(i signal.Item) bool {
				return i != nil && (i.Text(signal.AttrGSISK) != signal.Dirty || i[signal.AttrClaimedRev].Equal(i[signal.AttrRev]))
			}
		}},
	}
}

// Further variants, for what the description says without naming its breach.
func moreMutants() []mutant {
	return []mutant{
		{"the source is read before the claim", "three blind writers", []string{lost}, func(r *rules) {
			r.readsFirst = true
		}},
		{"finish compares claimedBy only", "three blind writers", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishClean, withoutCond(signal.AttrRev))
		}},
		{"a raced finish cleans", "three blind writers", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishRaced, andSet(signal.AttrGSISK, isClean))
		}},
		{"a raced finish asks for no claim", "three blind writers", []string{back}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishRaced, noClaimedBy)
		}},
		{"a flip that does not count", "three blind writers", []string{lost}, func(r *rules) {
			r.rewriteOp(protocol.OpFlip, func(w *protocol.Write) { w.Add = nil })
		}},
		// The pools that are known are then read as the transaction left them, or as it
		// found them. One that it adds may not be known yet.
		{"flip only inside the transaction, and its pools read in one", "a transaction that adds a pool", []string{lost}, func(r *rules) {
			r.flipping.onlyInside, r.readsAtOnce = true, true
		}},
		{"a lease never runs out", "three blind writers", []string{stuck}, func(r *rules) {
			r.rewriteOp(protocol.OpClaim, all(
				withoutCond(signal.AttrLeaseUntil), onlyIf(protocol.Absent, signal.AttrLeaseUntil, signal.Value{})))
		}},
		{"what has failed once is never due again", "checks fail", []string{stuck}, func(r *rules) {
			r.rewriteOp(protocol.OpClaim, all(
				withoutCond(signal.AttrNotBefore), onlyIf(protocol.Absent, signal.AttrNotBefore, signal.Value{})))
		}},
		{"a flip creates the signal", "seeded late", []string{resurrects}, func(r *rules) {
			r.rewriteOp(protocol.OpFlip, withoutCond(signal.AttrPK))
		}},
		{"a claim creates the signal", "seeded again dirty", []string{resurrects}, func(r *rules) {
			r.rewriteOp(protocol.OpClaim, all(withoutCond(signal.AttrPK), withoutCond(signal.AttrGSISK)))
		}},
		{"a finish creates the signal", "seeded again dirty", []string{resurrects}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishRaced, withoutCond(signal.AttrClaimedBy))
		}},
		{"an expired signal is claimed", "the day ends", []string{expired}, func(r *rules) {
			r.rewriteOp(protocol.OpClaim, all(withoutCond(signal.AttrTTL), withoutCond(signal.AttrExpiry)))
		}},
		{"settling does not wait for flips that moved rev", "lagging source", []string{lost}, func(r *rules) {
			r.claimedAs = func(i signal.Item) signal.Item {
				if i = i.Clone(); i != nil && i["settleRev"].Exists() {
					i["settleRev"] = i[signal.AttrClaimedRev]
				}
				return i
			}
		}},
		{"an audit confirms whatever is there", "audited", []string{back}, func(r *rules) {
			r.rewriteOp(protocol.OpAuditSame, all(
				withoutCond(signal.AttrRev), withoutCond(signal.AttrLastUpdatedAt), withoutCond(signal.AttrGSISK), isThere))
		}},
		{"an audit confirms another incarnation", "audited across incarnations", []string{crosses}, func(r *rules) {
			r.rewriteOp(protocol.OpAuditSame, all(
				withoutCond(signal.AttrRev), withoutCond(signal.AttrLastUpdatedAt), withoutCond(signal.AttrGlobalID)))
		}},
		{"an audit writes the value that it found", "audited", []string{lost, back}, func(r *rules) {
			r.audit = func(_ protocol.Audit, value string, asOf, _ time.Time) protocol.Write {
				w := protocol.Write{Op: "audit with a value", Key: modelDay.Key()}
				all(isThere, onlyIf(protocol.Equal, signal.AttrGSISK, isClean), andSet(signal.AttrValue, signal.S(value)),
					andSet(signal.AttrLastUpdatedAt, signal.S(signal.FormatInstant(asOf))))(&w)
				return w
			}
		}},
		{"a sweep forgets the incarnation", "swept", []string{crosses}, func(r *rules) {
			r.rewriteOp(protocol.OpSweep, withoutCond(signal.AttrGlobalID))
		}},
		{"a sweep forgets that an expiry may be put off", "swept", []string{expired}, func(r *rules) {
			r.rewriteOp(protocol.OpSweep, withoutCond(signal.AttrExpiry))
		}},
		{"a finish compares rev only, across incarnations", "seeded again dirty", []string{crosses, lost}, versionCounter},
		{"a seed overwrites", "seeded late", []string{crosses}, func(r *rules) {
			r.rewriteOp(protocol.OpSeed, withoutCond(signal.AttrPK))
		}},
		{"a deletion forgets the incarnation", "seeded again dirty", []string{crosses}, func(r *rules) {
			r.rewriteOp(protocol.OpDelete, all(withoutCond(signal.AttrGlobalID), withoutCond(signal.AttrSeededBy)))
		}},
		{"an update forgets the incarnation", "seeded again clean", []string{crosses}, func(r *rules) {
			r.rewriteOp(protocol.OpUpdate, all(withoutCond(signal.AttrGlobalID), withoutCond(signal.AttrSeededBy)))
		}},
		{"a move to a shard forgets the seeder's move to a bucket", "moved by its seeder", []string{crosses}, func(r *rules) {
			r.rewriteOp(protocol.OpFinishClean, withoutCond(signal.AttrGSIPK))
		}},
	}
}
