package season_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
)

const acrossMonths = `{"products": [
	{"collectionId": "a", "activityType": "b", "activityId": "1", "productId": "1", "rangeStart": "2031-05-29", "rangeEnd": "2031-06-04",
	 "availabilityEstimationPattern": {"estimationMode": "exact", "cadence": {"minutes": 5}}, "pools": [{"asset": "x", "capacity": 4}]},
	{"collectionId": "a", "activityType": "b", "activityId": "1", "productId": "2", "rangeStart": "2031-06-01", "rangeEnd": "2031-06-05",
	 "availabilityEstimationPattern": {"estimationMode": "tiered", "cadence": {"minutes": 5}}, "pools": [{"asset": "x", "capacity": 4}]},
	{"collectionId": "a", "activityType": "b", "activityId": "1", "productId": "3", "rangeStart": "2031-01-15", "rangeEnd": "2032-01-14",
	 "availabilityEstimationPattern": {"estimationMode": "exact", "cadence": {"minutes": 5}}, "pools": [{"asset": "x", "capacity": 4}]}
]}`

func values(product int, list ...string) map[season.Day]string {
	m := map[season.Day]string{}
	for i, v := range list {
		m[season.Day{Product: product, Date: i}] = v
	}
	return m
}

func TestCalendar_showsEachMonthBeforeAndAfter(t *testing.T) {
	s := load(t, acrossMonths, header, "")
	got := s.Calendar(0, values(0, "4", "4", "4", "4", "4", "4", "4"), values(0, "4", "3", "2", "1", "0", "none", ""))
	want := []string{
		"                1   5    10   15   20   25   30",
		"May 2031 before                             ···",
		"         after                              ·░░",
		"Jun 2031 before ····",
		"         after  ▓█-?",
		"                left of 4: · over 75%  ░ over 25%  ▓ some  █ none",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCalendar_tiersByTheirRank(t *testing.T) {
	s := load(t, acrossMonths, header, "")
	got := s.Calendar(1, values(1, "high", "high", "high", "high", "high"), values(1, "high", "medium", "low", "full", "other"))
	want := []string{
		"                1   5    10   15   20   25   30",
		"Jun 2031 before ·····",
		"         after  ·░▓█?",
		"                · high  ░ medium  ▓ low  █ full",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCalendar_longRangesAreCutToWhereSomethingHappens(t *testing.T) {
	s := load(t, acrossMonths, header, "")
	all, changed := make([]string, 365), make([]string, 365)
	for i := range all {
		all[i], changed[i] = "4", "4"
	}
	months := func(lines []string) string {
		var names []string
		for _, l := range lines {
			if strings.Contains(l, "before") {
				names = append(names, l[:3])
			}
		}
		return strings.Join(names, " ")
	}
	for day, want := range map[int]string{
		-1:  "Jan Feb Mar Apr May Jun",
		60:  "Mar Apr May Jun Jul Aug",
		364: "Aug Sep Oct Nov Dec Jan",
	} {
		after := values(2, changed...)
		if day >= 0 {
			after[season.Day{Product: 2, Date: day}] = "0"
		}
		if got := months(s.Calendar(2, values(2, all...), after)); got != want {
			t.Errorf("with a change on day %d: %s, want %s", day, got, want)
		}
	}
}

func TestTelling(t *testing.T) {
	s := load(t, acrossMonths, header, "")
	before, after := s.Values(s.Opening()), s.Values(s.Opening())
	if got := s.Telling(before, after); got != 0 {
		t.Errorf("product %d where nothing has changed", got)
	}
	after[season.Day{Product: 2, Date: 0}] = "0"
	after[season.Day{Product: 2, Date: 1}] = "0"
	after[season.Day{Product: 2, Date: 2}] = "0"
	if got := s.Telling(before, after); got != 2 {
		t.Errorf("product %d, want the only one with changes", got)
	}
	after[season.Day{Product: 1, Date: 0}] = "low"
	after[season.Day{Product: 1, Date: 1}] = "full"
	if got := s.Telling(before, after); got != 1 {
		t.Errorf("product %d, want the one that shows most shades", got)
	}
	after[season.Day{Product: 0, Date: 0}] = "1"
	after[season.Day{Product: 0, Date: 1}] = "0"
	after[season.Day{Product: 0, Date: 2}] = "0"
	if got := s.Telling(before, after); got != 0 {
		t.Errorf("product %d, want the one with most changes among those", got)
	}
}
