package schedule_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
)

func TestCadence_expression(t *testing.T) {
	t.Parallel()
	tests := []struct {
		cadence  schedule.Cadence
		want     string
		duration time.Duration
	}{
		{schedule.Cadence{Minutes: 1}, "rate(1 minute)", time.Minute},
		{schedule.Cadence{Minutes: 2}, "rate(2 minutes)", 2 * time.Minute},
		{schedule.Cadence{Minutes: 5}, "rate(5 minutes)", 5 * time.Minute},
		{schedule.Cadence{Minutes: 60}, "rate(60 minutes)", time.Hour},
		{schedule.Cadence{Minutes: 525600}, "rate(525600 minutes)", 365 * 24 * time.Hour},
		{schedule.Cadence{Hours: 1}, "rate(1 hour)", time.Hour},
		{schedule.Cadence{Hours: 12}, "rate(12 hours)", 12 * time.Hour},
		{schedule.Cadence{Days: 1}, "rate(1 day)", 24 * time.Hour},
		{schedule.Cadence{Days: 365}, "rate(365 days)", 365 * 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			got, err := tt.cadence.Expression()
			if err != nil || got != tt.want {
				t.Errorf("Expression() = %q, %v, want %q", got, err, tt.want)
			}
			if got := tt.cadence.Duration(); got != tt.duration {
				t.Errorf("Duration() = %v, want %v", got, tt.duration)
			}
			back, err := schedule.ParseRate(tt.want)
			if err != nil || back != tt.cadence {
				t.Errorf("ParseRate(%q) = %+v, %v, want %+v", tt.want, back, err, tt.cadence)
			}
		})
	}
}

func TestCadence_invalid(t *testing.T) {
	t.Parallel()
	const one = "invalid cadence: expected exactly one of minutes, hours and days, set to 1 or more, such as { minutes = 5 }; got "
	tests := []struct {
		name        string
		cadence     schedule.Cadence
		field, want string
	}{
		{"none", schedule.Cadence{}, "", one + "none"},
		{"two", schedule.Cadence{Minutes: 5, Hours: 1}, "", one + "minutes = 5, hours = 1"},
		{"three", schedule.Cadence{Minutes: 5, Hours: 1, Days: 2}, "", one + "minutes = 5, hours = 1, days = 2"},
		{"negative", schedule.Cadence{Hours: -1}, "hours", "invalid cadence: hours: expected a whole number from 1 to 8760, a year, got -1"},
		{"minutes over a year", schedule.Cadence{Minutes: 525601}, "minutes", "invalid cadence: minutes: expected a whole number from 1 to 525600, a year, got 525601"},
		{"days over a year", schedule.Cadence{Days: 366}, "days", "invalid cadence: days: expected a whole number from 1 to 365, a year, got 366"},
		{"overflowing", schedule.Cadence{Days: 1 << 62}, "days", "invalid cadence: days: expected a whole number from 1 to 365, a year, got 4611686018427387904"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.cadence.Validate()
			var invalid *schedule.Error
			if !errors.As(err, &invalid) {
				t.Fatalf("Validate() = %v, want a *schedule.Error", err)
			}
			if invalid.Field != tt.field {
				t.Errorf("Field = %q, want %q", invalid.Field, tt.field)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if got, err := tt.cadence.Expression(); err == nil {
				t.Errorf("Expression() = %q, want an error", got)
			}
			if got := tt.cadence.Duration(); got != 0 {
				t.Errorf("Duration() = %v, want 0", got)
			}
		})
	}
}

func TestCadence_equal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a, b schedule.Cadence
		want bool
	}{
		{"same", schedule.Cadence{Minutes: 5}, schedule.Cadence{Minutes: 5}, true},
		{"an hour", schedule.Cadence{Minutes: 60}, schedule.Cadence{Hours: 1}, true},
		{"a day", schedule.Cadence{Hours: 24}, schedule.Cadence{Days: 1}, true},
		{"two days in minutes", schedule.Cadence{Minutes: 2880}, schedule.Cadence{Days: 2}, true},
		{"another number", schedule.Cadence{Minutes: 5}, schedule.Cadence{Minutes: 6}, false},
		{"another unit", schedule.Cadence{Minutes: 5}, schedule.Cadence{Hours: 5}, false},
		{"nothing and nothing", schedule.Cadence{}, schedule.Cadence{}, true},
		{"nothing and something", schedule.Cadence{}, schedule.Cadence{Minutes: 5}, false},
		{"two impossible ones", schedule.Cadence{Minutes: -5}, schedule.Cadence{Minutes: -6}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.a.Equal(tt.b) != tt.want || tt.b.Equal(tt.a) != tt.want {
				t.Errorf("%+v and %+v: want equal = %v, either way", tt.a, tt.b, tt.want)
			}
		})
	}
}
