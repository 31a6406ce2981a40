package capacity_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/capacity"
)

// What the guide on alternatives says of twenty bookings between two ticks follows
// from what a flip and a check cost.
func TestAlternatives_twentyBookings(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/guides/alternatives.md")
	if err != nil {
		t.Fatal(err)
	}
	for way, name := range map[capacity.Way]string{capacity.Coalesced: "signals, flipped by the Go client", capacity.Blind: "signals, flipped in any language"} {
		p := capacity.Example()
		p.Way = way
		var all capacity.Costs
		add := func(c capacity.Costs, times float64) {
			all.Read += c.Read * times
			all.Table += c.Table * times
			all.Index += c.Index * times
		}
		add(p.FlipClean(), 1)
		add(p.FlipDirty(), 19)
		add(p.Check(), 1)
		if row := fmt.Sprintf("| %s | %v | %v | 1 |", name, all.Table+all.Index, all.Read); !strings.Contains(string(guide), row) {
			t.Errorf("the guide has not the row %s", row)
		}
	}
}
