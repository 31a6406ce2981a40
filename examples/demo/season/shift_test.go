package season_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const threeSeasons = `{"products": [
	{"collectionId": "a", "activityType": "b", "activityId": "1", "productId": "1", "rangeStart": "2031-05-10", "rangeEnd": "2031-05-20",
	 "availabilityEstimationPattern": {"estimationMode": "exact", "cadence": {"minutes": 5}}},
	{"collectionId": "a", "activityType": "b", "activityId": "1", "productId": "2", "rangeStart": "2031-05-01", "rangeEnd": "2031-05-03",
	 "availabilityEstimationPattern": {"estimationMode": "exact", "cadence": {"minutes": 5}}},
	{"collectionId": "a", "activityType": "b", "activityId": "1", "productId": "3", "rangeStart": "2032-02-28", "rangeEnd": "2032-02-29",
	 "availabilityEstimationPattern": {"estimationMode": "exact", "cadence": {"minutes": 5}}}
]}`

func TestShift(t *testing.T) {
	tests := map[string]struct {
		today string
		days  int
		// the ranges of the three products afterwards
		want []string
	}{
		"all to come":                 {"2031-04-30", 0, []string{"2031-05-10 2031-05-20", "2031-05-01 2031-05-03", "2032-02-28 2032-02-29"}},
		"the earliest begins today":   {"2031-05-01", 1, []string{"2031-05-11 2031-05-21", "2031-05-02 2031-05-04", "2032-02-29 2032-03-01"}},
		"the earliest is over":        {"2031-05-07", 7, []string{"2031-05-17 2031-05-27", "2031-05-08 2031-05-10", "2032-03-06 2032-03-07"}},
		"all are over, a century ago": {"2131-05-01", 36525, []string{"2131-05-11 2131-05-21", "2131-05-02 2131-05-04", "2132-02-29 2132-03-01"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := load(t, threeSeasons, header, "")
			today, err := signal.ParseDate(tt.today)
			if err != nil {
				t.Fatal(err)
			}
			s.Shift(today)
			var got []string
			for _, p := range s.Products {
				got = append(got, p.Start.String()+" "+p.End.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || s.Shifted != tt.days {
				t.Errorf("moved by %d days, want %d\n%s", s.Shifted, tt.days, diff)
			}
		})
	}
}

// Whatever the day, nothing of a season has expired, in the zone that is furthest
// ahead too.
func TestShift_nothingHasExpired(t *testing.T) {
	for _, zone := range []string{"Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Vancouver", "UTC"} {
		location, err := signal.LoadZone(zone)
		if err != nil {
			t.Fatal(err)
		}
		for hour := range 2 * 365 * 24 {
			now := time.Date(2031, 5, 1, hour, 59, 59, 0, time.UTC)
			s := &season.Season{Products: []season.Product{{Start: signal.Date{Year: 2031, Month: 5, Day: 1}, End: signal.Date{Year: 2031, Month: 5, Day: 1}}}}
			s.Shift(signal.DateOf(now))
			if left := signal.Expiry(s.Products[0].Start, location).Sub(now); left < 10*time.Hour {
				t.Fatalf("at %v the first date in %s has %v left", now, zone, left)
			}
		}
	}
}

// A season is the same, whenever it is shown: dates apart, nothing changes.
func TestShift_changesDatesAlone(t *testing.T) {
	s := own(t)
	before := s.Values(s.Closing())
	s.Shift(signal.Date{Year: 2044, Month: time.February, Day: 28})
	if first, last := s.Span(); first.String() != "2044-02-29" || last.String() != "2044-08-26" {
		t.Errorf("from %s to %s", first, last)
	}
	if diff := cmp.Diff(before, s.Values(s.Closing())); diff != "" {
		t.Error(diff)
	}
}
