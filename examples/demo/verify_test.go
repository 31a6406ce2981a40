package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// finished is the signals as they must be in the end.
func finished(s *season.Season) map[season.Day]signal.Item {
	signals := map[season.Day]signal.Item{}
	for d, v := range s.Values(s.Closing()) {
		signals[d] = signal.Item{signal.AttrGSISK: signal.S(signal.Clean), signal.AttrValue: signal.S(v)}
	}
	return signals
}

func TestWrongDays_findsNothingWhereAllIsRight(t *testing.T) {
	s := ownSeason(t)
	if wrong := wrongDays(s, finished(s), s.Closing()); len(wrong) > 0 {
		t.Errorf("%d wrong days, the first: %s", len(wrong), wrong[0])
	}
	if wrong := wrongPools(s, s.Closing()); len(wrong) > 0 {
		t.Errorf("%d wrong pools, the first: %s", len(wrong), wrong[0])
	}
}

func TestWrongDays_findsEveryKindOfFault(t *testing.T) {
	// Of 60 places the morning takes 9 on it; 13 are left when one pool has 1.
	first := season.Day{}
	const date = "mockPark1/backcountryCamp/1/1 2027-05-01"
	tests := map[string]struct {
		do   func(s *season.Season, signals map[season.Day]signal.Item, left map[season.Slot]int64)
		want string
	}{
		"lost": {func(_ *season.Season, signals map[season.Day]signal.Item, _ map[season.Slot]int64) {
			delete(signals, first)
		}, date + " has no signal"},
		"dirty": {func(_ *season.Season, signals map[season.Day]signal.Item, _ map[season.Slot]int64) {
			signals[first][signal.AttrGSISK] = signal.S(signal.Dirty)
		}, date + " is dirty"},
		"never computed": {func(_ *season.Season, signals map[season.Day]signal.Item, _ map[season.Slot]int64) {
			delete(signals[first], signal.AttrValue)
		}, date + ` shows "", its pools say "high", shows "", after.json says "high"`},
		"a change missed": {func(_ *season.Season, _ map[season.Day]signal.Item, left map[season.Slot]int64) {
			left[season.Slot{}] = 1
		}, date + ` shows "high", its pools say "low"`},
		"after.json says another one": {func(s *season.Season, _ map[season.Day]signal.Item, _ map[season.Slot]int64) { s.After[first] = "low" }, date + ` shows "high", after.json says "low"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := ownSeason(t)
			signals, left := finished(s), s.Closing()
			tt.do(s, signals, left)
			if diff := cmp.Diff([]string{tt.want}, wrongDays(s, signals, left)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrongDays_withoutAfterTheRecountDecides(t *testing.T) {
	s := ownSeason(t)
	s.After = nil
	signals := finished(s)
	if wrong := wrongDays(s, signals, s.Closing()); len(wrong) > 0 {
		t.Errorf("%d wrong days, the first: %s", len(wrong), wrong[0])
	}
	signals[season.Day{}][signal.AttrValue] = signal.S("full")
	if wrong := wrongDays(s, signals, s.Closing()); len(wrong) != 1 {
		t.Errorf("%d wrong days, want 1", len(wrong))
	}
}

func TestWrongPools_findsALostBooking(t *testing.T) {
	s := ownSeason(t)
	left := s.Closing()
	left[season.Slot{}]--
	delete(left, season.Slot{Pool: 1})
	want := []string{
		"mockPark1/backcountryCamp/1/1 2027-05-01 asset::mockPark1::facility::1 has 38 left, the bookings leave 39",
		"mockPark1/backcountryCamp/1/1 2027-05-01 asset::mockPark1::facility::2 is gone",
	}
	if diff := cmp.Diff(want, wrongPools(s, left)); diff != "" {
		t.Error(diff)
	}
}
