package simulation_test

import (
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulation"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A plan that fails is told as the least that still does: an application, and a run
// that does not look whether there was a flip since its claim.
func TestShrink(t *testing.T) {
	t.Parallel()
	under := simulation.Under(simulation.Rules{Write: on(protocol.OpFinishClean, without(signal.AttrRev))})
	for seed := range uint64(mostSeeds) {
		v := simulation.Run(t, simulation.NewPlan(seed), under)
		if len(v.Broken) == 0 {
			continue
		}
		told := explain(t, seed, v.Broken, under)
		for _, want := range []string{
			"again: make simulate SEED=", "application: ", " and flips", "schedule: ", "triggers ",
			"claimedBy", "gsisk clean", "*** " + v.Broken[0].Invariant + " is broken: ",
		} {
			if !strings.Contains(told, want) {
				t.Errorf("%q is missing in:\n%s", want, told)
			}
		}
		for _, superfluous := range []string{"reader: ", "platform: ", "crashes, ", "late requests", "lost answers"} {
			if strings.Contains(told, superfluous) {
				t.Errorf("%q is in:\n%s", superfluous, told)
			}
		}
		if lines := strings.Count(told, "\n"); lines > 40 {
			t.Errorf("it takes %d lines:\n%s", lines, told)
		}
		return
	}
	t.Error("no plan fails")
}
