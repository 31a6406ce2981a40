package simulation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulation"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A plan that fails is told as the least that still does: a booking and a run that
// does not look whether there was a flip since its claim.
func TestShrink(t *testing.T) {
	t.Parallel()
	under := simulation.Under(simulation.Rules{Write: on(protocol.OpFinishClean, without(signal.AttrRev))})
	p := simulation.Plan{
		Days: 2, Tiered: true, Concurrency: 2, Lease: 120 * time.Second,
		Weather: simulation.Weather{IndexLag: time.Second, TTL: true, Held: 0.2},
		Actors: []simulation.Actor{
			{Role: simulation.Reader, Steps: []simulation.Step{{Deed: simulation.Look}, {Wait: time.Minute, Deed: simulation.Look}}},
			{Role: simulation.Schedule, Number: 1, Skew: time.Minute, Steps: []simulation.Step{{Deed: simulation.TickTwice}, {Wait: time.Minute, Deed: simulation.Tick}}},
			{Role: simulation.Application, Number: 2, Steps: []simulation.Step{
				{Ambush: true, Deed: simulation.BookBlind}, {Wait: time.Minute, Day: 1, Deed: simulation.BookCoalesced},
			}},
			{Role: simulation.Terraform, Number: 3, Steps: []simulation.Step{{Wait: time.Minute, Deed: simulation.OtherShards}}},
		},
	}
	for ; p.Seed < mostSeeds; p.Seed++ {
		v := simulation.Run(t, p, under)
		if len(v.Broken) == 0 {
			continue
		}
		told := explain(t, p, v.Broken, under)
		want := []string{
			"again: make simulate SEED=", ": 1 days", "application: ", "books pool a of day 0 and flips", "schedule: ", "triggers ",
			"claimedBy", "gsisk clean", "*** I1 is broken: ",
		}
		for _, part := range want {
			if !strings.Contains(told, part) {
				t.Errorf("%q is missing in:\n%s", part, told)
			}
		}
		for _, superfluous := range []string{"reader: ", "terraform: ", "TTL", "tiered", "index up to", "clock is off", "day 1"} {
			if strings.Contains(told, superfluous) {
				t.Errorf("%q is in:\n%s", superfluous, told)
			}
		}
		return
	}
	t.Error("no plan fails")
}
