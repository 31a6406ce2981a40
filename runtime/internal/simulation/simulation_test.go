package simulation_test

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulation"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

var (
	oneSeed = flag.String("seed", "", "run the plan of this seed alone, and tell all that happens")
	runs    = flag.Uint64("runs", 0, "how many plans to run; 0 is as many as fit beside all other tests")
)

// fewRuns are enough to notice what breaks often.
const fewRuns, fewestRuns = 1000, 200

// Whole systems, one for each seed: whatever happens, no invariant breaks.
func TestSimulation(t *testing.T) {
	first, n := uint64(0), *runs
	switch {
	case *oneSeed != "":
		if _, err := fmt.Sscan(*oneSeed, &first); err != nil {
			t.Fatalf("-seed %q: %v", *oneSeed, err)
		}
		n = 1
	case n == 0 && testing.Short():
		n = fewestRuns
	case n == 0:
		n = fewRuns
	}
	lines := min(uint64(runtime.GOMAXPROCS(0)), n)
	expressions := simulator.NewExpressions()
	var failed atomic.Bool
	var calls, done atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for line := range lines {
			t.Run(fmt.Sprint("line ", line), func(t *testing.T) {
				t.Parallel()
				for seed := first + line; seed < first+n && !failed.Load(); seed += lines {
					v := simulation.Run(t, simulation.NewPlan(seed), simulation.Sharing(expressions))
					calls.Add(int64(v.Calls))
					done.Add(1)
					if len(v.Broken) == 0 && t.Failed() {
						t.Errorf("seed %d: something went wrong outside of the invariants; again: make simulate SEED=%d", seed, seed)
						failed.Store(true)
					}
					if len(v.Broken) > 0 && failed.CompareAndSwap(false, true) {
						t.Error(explain(t, simulation.NewPlan(seed), v.Broken))
					}
				}
			})
		}
	})
	t.Logf("%d runs of %d calls on average", done.Load(), calls.Load()/max(done.Load(), 1))
	if *oneSeed != "" && !failed.Load() {
		t.Log(told(t, simulation.NewPlan(first)))
	}
}

// explain makes a plan that breaks an invariant smaller, and tells what happens
// then.
func explain(t *testing.T, p simulation.Plan, broken []simulation.Breach, options ...simulation.Option) string {
	seed := p.Seed
	invariant := broken[0].Invariant
	p = simulation.Shrink(p, func(p simulation.Plan) bool {
		v := simulation.Run(t, p, options...)
		return len(v.Broken) > 0 && v.Broken[0].Invariant == invariant
	})
	return fmt.Sprintf("seed %d: %s\nagain: make simulate SEED=%d\nmade smaller: %s", seed, broken[0], seed, told(t, p, options...))
}

// told is a plan and all that happens in it.
func told(t *testing.T, p simulation.Plan, options ...simulation.Option) string {
	v := simulation.Run(t, p, append(slices.Clone(options), simulation.Told())...)
	story := v.Story
	if i := slices.IndexFunc(story, func(line string) bool { return strings.Contains(line, "***") }); i >= 0 {
		story = story[:i+1]
	}
	return p.String() + "\n\n" + strings.Join(story, "\n")
}

// A seed is all there is to a run: the same calls in the same order, at the same
// time, with the same outcomes.
func TestSimulation_sameSeedSameHistory(t *testing.T) {
	t.Parallel()
	histories := map[uint64]uint64{}
	for seed := range uint64(60) {
		first := simulation.Run(t, simulation.NewPlan(seed))
		histories[first.Hash] = seed
		for range 2 {
			again := simulation.Run(t, simulation.NewPlan(seed))
			if again.Hash != first.Hash || again.Calls != first.Calls {
				t.Errorf("seed %d: %d calls with hash %x, then %d with %x", seed, first.Calls, first.Hash, again.Calls, again.Hash)
			}
		}
	}
	if len(histories) != 60 {
		t.Errorf("60 seeds made %d histories", len(histories))
	}
}
