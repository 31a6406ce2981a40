package simulation_test

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulation"
)

// overlapping has functions overlap as much as they can, and claim again what others
// are still slow with.
func overlapping(p *simulation.Plan) {
	p.Unheld, p.Lease, p.Slow, p.Late, p.Crash = true, time.Second, 0.2, 0.2, 0
	p.Days, p.Lag, p.Audits, p.Foreign, p.Kept, p.Midnight = 1, 0, false, false, false, false
	p.Actors = nil
	for n := range 3 {
		p.Actors = append(p.Actors,
			simulation.Actor{Role: simulation.Schedule, Number: 2 * n, Skew: time.Duration(n) * time.Minute, Steps: []simulation.Step{
				{Deed: simulation.Tick}, {Wait: time.Second, Deed: simulation.Tick}, {Wait: time.Second, Deed: simulation.Tick},
			}},
			simulation.Actor{Role: simulation.Application, Number: 2*n + 1, Steps: []simulation.Step{
				{Ambush: true, Deed: simulation.BookBlind, Pool: n % 2}, {Ambush: true, Deed: simulation.BookBlind, Pool: n % 2},
			}})
	}
}

// delayed has overlapping functions whose requests arrive late, and once more.
func delayed(p *simulation.Plan) {
	overlapping(p)
	p.Late, p.Slow = 0.6, 0
	for i := range p.Actors {
		for n := range p.Actors[i].Steps {
			p.Actors[i].Steps[n].Wait *= 10
		}
	}
}

// recreated has Terraform destroy and create signals that are claimed, and be
// booked, at the same time.
func recreated(p *simulation.Plan) {
	p.Days, p.Lag, p.Audits, p.Foreign, p.Kept, p.Midnight, p.Crash = 1, 0, false, false, false, false, 0
	p.Actors = []simulation.Actor{
		{Role: simulation.Schedule, Steps: []simulation.Step{{Deed: simulation.Tick}}},
		{Role: simulation.Terraform, Number: 1, Steps: []simulation.Step{{Ambush: true, Deed: simulation.Recreate}}},
	}
	for n := range 4 {
		p.Actors = append(p.Actors, simulation.Actor{Role: simulation.Application, Number: 2 + n, Steps: []simulation.Step{
			{Ambush: true, Deed: simulation.BookCoalesced},
		}})
	}
}
