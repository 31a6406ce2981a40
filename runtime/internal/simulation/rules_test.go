package simulation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulation"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// bent is a protocol that lacks something, and which invariants show it.
type bent struct {
	name   string
	breaks []string
	rules  simulation.Rules
}

func bentRules() []bent {
	const lost, back, stuck, resurrects, crosses = simulation.NoLostChange, simulation.NoGoingBack, simulation.Progress,
		simulation.NoResurrection, simulation.NoCrossing
	return []bent{
		{"finish, clean: unconditional", []string{lost, back}, simulation.Rules{
			Write: on(protocol.OpFinishClean, without(signal.AttrClaimedBy), without(signal.AttrRev), there),
		}},
		{"finish, clean: rev only, no claimedBy", []string{lost, back, crosses}, simulation.Rules{
			Write: on(protocol.OpFinishClean, without(signal.AttrClaimedBy)), Plan: recreated,
		}},
		{"finish, clean: claimedBy only, no rev", []string{lost}, simulation.Rules{
			Write: on(protocol.OpFinishClean, without(signal.AttrRev)),
		}},
		{"finish, clean: makes what is gone", []string{resurrects}, simulation.Rules{
			Write: on(protocol.OpFinishClean, without(signal.AttrClaimedBy), without(signal.AttrRev)),
		}},
		{"finish, raced: cleans", []string{lost}, simulation.Rules{
			Write: on(protocol.OpFinishRaced, set(signal.AttrGSISK, signal.S(signal.Clean))),
		}},
		{"finish, raced: asks for no claim", []string{back}, simulation.Rules{
			Write: on(protocol.OpFinishRaced, without(signal.AttrClaimedBy), there), Plan: overlapping,
		}},
		{"claim: makes what is gone", []string{resurrects}, simulation.Rules{
			Write: on(protocol.OpClaim, func(w *protocol.Write) { w.If = nil }),
		}},
		{"claim: leaves the item clean while it is checked", []string{lost}, simulation.Rules{
			Write: both(
				on(protocol.OpClaim, set(signal.AttrGSISK, signal.S(signal.Clean))),
				on(protocol.OpFinishClean, without(signal.AttrRev), unset(signal.AttrGSISK))),
		}},
		{"claim: two runs share an id", []string{lost, back}, simulation.Rules{SameID: true, Plan: overlapping}},
		{"claim: repeated like other writes", []string{back, lost, crosses}, simulation.Rules{RepeatClaims: true, Plan: delayed}},
		{"claim whose answer was lost: rev taken for what was claimed", []string{lost}, simulation.Rules{
			ReadBack: func(i signal.Item) signal.Item {
				if i[signal.AttrClaimedRev].Exists() {
					i[signal.AttrClaimedRev] = i[signal.AttrRev]
				}
				return i
			},
			// One flips between the claim and the look at it, and another trusts in
			// what it finds then.
			Plan: func(p *simulation.Plan) {
				p.Lost, p.Crash, p.Lag, p.Audits, p.Foreign, p.Kept = 0.2, 0, 0, false, false, false
				p.Actors = []simulation.Actor{{Role: simulation.Schedule, Steps: []simulation.Step{{Wait: time.Second, Deed: simulation.Tick}}}}
				for n := range 4 {
					p.Actors = append(p.Actors, simulation.Actor{Role: simulation.Application, Number: 1 + n, Steps: []simulation.Step{
						{Ambush: true, Deed: simulation.BookCoalesced},
					}})
				}
			},
		}},
		{"check: the source is read before the claim", []string{lost}, simulation.Rules{EarlyRead: true}},
		{"check: an eventually consistent read of the source, and no settle", []string{lost, back}, simulation.Rules{StaleSource: true}},
		{"check: a source that lags, and no settle", []string{lost, stuck}, simulation.Rules{
			NoSettle: true, Plan: func(p *simulation.Plan) { p.Lag = 30 * time.Second },
		}},
		{"flip: skipped if dirty, claimed or not", []string{lost}, simulation.Rules{
			Got: func(out *dynamodb.GetItemOutput) {
				out.Item = itemWithout(out.Item, signal.AttrClaimedRev)
			},
		}},
		{"flip: coalesced on an eventually consistent read", []string{lost}, simulation.Rules{
			Get: func(in *dynamodb.GetItemInput) { in.ConsistentRead = nil },
		}},
		{"flip: before the commit", []string{lost}, simulation.Rules{FlipFirst: true}},
		{"flip: only inside the transaction", []string{lost}, simulation.Rules{OnlyInside: true}},
		{"flip: only if clean", []string{lost}, simulation.Rules{
			Update: whereFlip(func(in *dynamodb.UpdateItemInput) {
				in.ConditionExpression = aws.String("attribute_exists(#pk) AND #gsisk <> :v0")
			}),
		}},
		{"flip: does not count", []string{lost}, simulation.Rules{
			Update: whereFlip(func(in *dynamodb.UpdateItemInput) {
				in.UpdateExpression = aws.String(strings.Split(*in.UpdateExpression, " ADD ")[0])
				prune(in)
			}),
		}},
		{"flip: makes what is gone", []string{resurrects}, simulation.Rules{
			Update: whereFlip(func(in *dynamodb.UpdateItemInput) {
				in.ConditionExpression = nil
				prune(in)
			}),
		}},
		{"seed: clean, with a value from before", []string{lost, stuck}, simulation.Rules{CleanSeeds: true}},
		{"update by its seeder: another pattern without a flip", []string{lost}, simulation.Rules{
			Update: func(in *dynamodb.UpdateItemInput) {
				if _, ok := in.ExpressionAttributeNames["#"+signal.AttrPattern]; ok {
					unflipped(in)
				}
			},
		}},
		{"adopt: without a flip", []string{lost, stuck}, simulation.Rules{
			Update: func(in *dynamodb.UpdateItemInput) {
				if strings.Contains(*in.UpdateExpression, "#"+signal.AttrSeededBy+" =") {
					unflipped(in)
				}
			},
			Plan: func(p *simulation.Plan) { p.Foreign, p.Tiered = true, false },
		}},
		{"delete by its seeder: unconditional", []string{crosses}, simulation.Rules{
			Statement: func(s *types.BatchStatementRequest) {
				if parts := strings.SplitAfterN(*s.Statement, " = ?", 3); strings.HasPrefix(parts[0], "DELETE") {
					s.Statement, s.Parameters = aws.String(parts[0]+parts[1]), s.Parameters[:2]
				}
			},
			// Somebody makes it nobody's while Terraform destroys it.
			Plan: func(p *simulation.Plan) {
				p.Kept, p.Foreign = false, false
				p.Actors = []simulation.Actor{
					{Role: simulation.Terraform, Steps: []simulation.Step{{Deed: simulation.Destroy}}},
					{Role: simulation.Console, Steps: []simulation.Step{{Deed: simulation.Disown}}},
				}
			},
		}},
		{"audit: takes a flip for superfluous", []string{stuck}, simulation.Rules{
			Write: on(protocol.OpAuditFlip, set(signal.AttrGSISK, signal.S(signal.Clean))),
			Plan:  func(p *simulation.Plan) { p.Audits = true },
		}},
		{"stream: acknowledged without a flip", []string{lost, stuck}, simulation.Rules{Deaf: true}},
	}
}

// mostSeeds is how many plans a protocol that lacks something may pass.
const mostSeeds = 2000

// The simulation notices when a condition, an order or the consistency of a read
// is missing.
func TestSimulation_noticesBentRules(t *testing.T) {
	expressions := simulator.NewExpressions()
	for _, b := range bentRules() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(mostSeeds) {
				v := simulation.Run(t, simulation.NewPlan(seed), simulation.Sharing(expressions), simulation.Under(b.rules))
				for _, broken := range v.Broken {
					if slices.Contains(b.breaks, broken.Invariant) {
						t.Logf("%s: noticed after %d plans: %s", b.name, seed+1, broken)
						unbent := simulation.Under(simulation.Rules{Plan: b.rules.Plan})
						if v := simulation.Run(t, simulation.NewPlan(seed), unbent); len(v.Broken) > 0 {
							t.Errorf("the protocol itself: %s", v.Broken[0])
						}
						return
					}
				}
			}
			t.Errorf("%s: not noticed in %d plans", b.name, mostSeeds)
		})
	}
}
