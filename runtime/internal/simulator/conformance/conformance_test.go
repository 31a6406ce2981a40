package conformance_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// testCase is one request, or a few, and what must come of it.
type testCase struct {
	name string
	// given are the items that are there before, without the partition key.
	given []attributes
	do    func(s *subject) outcome
	want  outcome
	// waits is set for a case that only reads, and reads an index.
	waits bool
}

func cases() []testCase {
	return slices.Concat(
		conditionCases(), updateCases(), returnCases(), refusedCases(), keyCases(), valueCases(),
		queryCases(), indexCases(), scanCases(), batchCases(), statementCases(), transactionCases(), costCases(),
	)
}

func TestConformance_simulator(t *testing.T) {
	subjects := simulated()
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			if diff := c.run(t, subjects, c.name); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestConformance_engine runs the same cases on the DynamoDB that the environment
// names. A deviation that is known and no longer there fails: it is to be struck
// off.
func TestConformance_engine(t *testing.T) {
	name, subjects := engine(t)
	known := deviations()[name]
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			reason, deviates := known[c.name]
			var diff string
			// The SDK may send a request twice where an answer comes in pieces, so
			// that what is not as expected is looked at again, in a place of its own.
			for try := range tries {
				diff = c.run(t, subjects, fmt.Sprintf("%s %d", c.name, try))
				if (diff != "") == deviates {
					return
				}
			}
			switch {
			case diff != "" && !deviates:
				t.Error(diff)
			case diff == "" && deviates:
				t.Errorf("%s is said to deviate here (%s), and does not: strike it off the list", name, reason)
			}
		})
	}
}

func TestConformance_deviationsAreOfCases(t *testing.T) {
	names := map[string]bool{}
	for _, c := range cases() {
		if names[c.name] {
			t.Errorf("two cases are called %q", c.name)
		}
		names[c.name] = true
	}
	for engine, known := range deviations() {
		for name, reason := range known {
			if !names[name] || reason == "" {
				t.Errorf("%s: %q is no case, or has no reason", engine, name)
			}
		}
	}
}

const tries = 3

// run runs a case in a partition, and returns what is wrong, or "".
func (c testCase) run(t *testing.T, subjects *subjects, partition string) string {
	t.Helper()
	s := subjects.subject(t, partition)
	for _, item := range c.given {
		s.seed(item)
	}
	// An index takes its time on AWS.
	deadline := time.Now().Add(subjects.patience)
	for {
		diff := c.want.diff(c.do(s))
		if diff == "" || !c.waits || !time.Now().Before(deadline) {
			return diff
		}
		time.Sleep(500 * time.Millisecond)
	}
}

func (want outcome) diff(got outcome) string {
	// Only what a case wants to know of is compared.
	if want.Stored == nil {
		got.Stored = nil
	}
	if want.Units == nil {
		got.Units = nil
	}
	if want.Message == "" {
		got.Message = ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b message) bool { return a.within(b) || b.within(a) }))
}
