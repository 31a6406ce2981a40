package simulator_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// What goes round and round is noticed, and let go rather than held up.
func TestScheduler_exhausted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noticed := 0
		s := simulator.NewScheduler(1, 100, func() { noticed++ })
		go s.Run()
		defer s.Stop()
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				for range 100 {
					s.Pass(&simulator.Call{})
				}
			})
		}
		group.Wait()
		if noticed != 1 {
			t.Errorf("noticed %d times", noticed)
		}
	})
}

// Calls that are alike in all but their content come in an order that does not
// depend on which goroutine was faster.
func TestScheduler_orderOfAlikeCalls(t *testing.T) {
	first := ""
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			s := simulator.NewScheduler(3, 1000, func() { t.Error("exhausted") })
			order := ""
			var group sync.WaitGroup
			for _, name := range []string{"a", "b", "c", "d", "e"} {
				group.Go(func() {
					s.Pass(&simulator.Call{Client: "x", Input: name})
					order += name
				})
			}
			go s.Run()
			group.Wait()
			s.Stop()
			if first == "" {
				first = order
			}
			if order != first {
				t.Fatalf("%s, and before %s", order, first)
			}
		})
	}
}
