package season_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
)

func TestClosing_addsUpTheMorning(t *testing.T) {
	s := load(t, oneProduct, header+"0,0,1,0,-6\n3,0,1,0,2\n3,0,2,0,-1\n", "")
	want := map[season.Slot]int64{
		{Day: season.Day{Date: 0}, Pool: 0}: 10, {Day: season.Day{Date: 0}, Pool: 1}: 0,
		{Day: season.Day{Date: 1}, Pool: 0}: 6, {Day: season.Day{Date: 1}, Pool: 1}: 0,
		{Day: season.Day{Date: 2}, Pool: 0}: 9, {Day: season.Day{Date: 2}, Pool: 1}: 0,
	}
	if diff := cmp.Diff(want, s.Closing()); diff != "" {
		t.Error(diff)
	}
	if n := s.Touched(); n != 2 {
		t.Errorf("%d days touched, want 2", n)
	}
	values := map[season.Day]string{{Date: 0}: "10", {Date: 1}: "6", {Date: 2}: "9"}
	if diff := cmp.Diff(values, s.Values(s.Closing())); diff != "" {
		t.Error(diff)
	}
}

func TestValues_poolsThatAreGone(t *testing.T) {
	s := load(t, oneProduct, header, "")
	left := map[season.Slot]int64{
		{Day: season.Day{Date: 0}, Pool: 0}: 4,
		{Day: season.Day{Date: 1}, Pool: 1}: 0,
	}
	// The second day has a pool of capacity 0 left, the third has none at all.
	want := map[season.Day]string{{Date: 0}: "4", {Date: 1}: "none", {Date: 2}: "none"}
	if diff := cmp.Diff(want, s.Values(left)); diff != "" {
		t.Error(diff)
	}
}
