package goals_test

import (
	"slices"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulation"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// Whole systems in which a day ends in mid-run, with deletions by TTL, by hand, by
// Terraform and by the sweep: nothing that is gone comes back, and nothing that has
// expired is checked or served.
func TestR5_nothingComesBackAndNothingExpiredIsServed(t *testing.T) {
	expressions := simulator.NewExpressions()
	for seed := range uint64(atScale(1000, 100)) {
		p := simulation.NewPlan(seed)
		p.Midnight = true
		p.Actors = append(p.Actors,
			simulation.Actor{Role: simulation.Reader, Number: 90, Steps: slices.Repeat([]simulation.Step{{Wait: 9 * 60e9, Deed: simulation.Look}}, 4)},
			simulation.Actor{Role: simulation.Console, Number: 91, Steps: []simulation.Step{{Wait: 5 * 60e9, Deed: simulation.DeleteByHand}}},
		)
		if v := simulation.Run(t, p, simulation.Sharing(expressions)); len(v.Broken) > 0 {
			t.Fatalf("%s\n%v", p, v.Broken)
		}
	}
}
