package protocol_test

import (
	"slices"
	"testing"
	"time"
)

// leastStates is how many distinct states must have been visited for silence to
// mean something.
const leastStates = 2_500_000

// soonEnough is how long it may take to catch a variant that fails.
const soonEnough = time.Minute

// short is whether a part of the interleavings is enough. The exploration has no
// second goroutine, so that the race detector would only make it slow.
func short() bool { return testing.Short() || underRace }

func TestProtocol_everyInterleaving(t *testing.T) {
	total, began := 0, time.Now()
	for _, sc := range scenarios() {
		if short() {
			sc = sc.shortened()
		}
		t.Run(sc.name, func(t *testing.T) {
			m := newModel(sc, theProtocol())
			f := explore(m, "")
			total += f.states
			t.Logf("%d states, of %d items, %d writes and %d checks", f.states, len(m.items)-1, len(m.writes)-1, len(m.checks)-1)
			if f.broken != "" {
				t.Errorf("%s\n%s", f.broken, f.trace)
			}
		})
	}
	t.Logf("%d states in %v", total, time.Since(began).Round(time.Millisecond))
	if total < leastStates {
		t.Errorf("only %d states were visited, want at least %d", total, leastStates)
	}
}

// A variant that is not caught would mean that the exploration sees too little to
// vouch for the protocol.
func TestProtocol_everyMutantIsCaught(t *testing.T) {
	known := map[string]scenario{}
	for _, sc := range scenarios() {
		known[sc.name] = sc
	}
	told := newDiagrams(t)
	for _, mu := range slices.Concat(mutants(), moreMutants(), adoptMutants()) {
		t.Run(mu.name, func(t *testing.T) {
			t.Parallel()
			sc, ok := known[mu.scenario]
			if !ok {
				t.Fatalf("there is no scenario %q", mu.scenario)
			}
			for _, invariant := range mu.breaks {
				r := theProtocol()
				mu.mutate(&r)
				m, began := newModel(sc, r), time.Now()
				f := explore(m, invariant)
				if f.broken == "" {
					t.Errorf("not caught breaking %s in %d states of %q", invariant, f.states, sc.name)
					continue
				}
				if took := time.Since(began); took > soonEnough && !underRace {
					t.Errorf("caught breaking %s after %s only", invariant, took)
				}
				if invariant == mu.breaks[0] {
					told.add(mu, m, f)
				}
				t.Logf("caught after %d states of %q: %s\n%s", f.states, sc.name, f.broken, f.trace)
			}
		})
	}
}
