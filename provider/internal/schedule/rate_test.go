package schedule_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
)

// What AWS refuses, with what it would have taken.
func TestParseRate_invalid(t *testing.T) {
	t.Parallel()
	const (
		wanted   = "expected rate(VALUE UNIT), such as rate(5 minutes)"
		whole    = wanted + ", with a whole number from 1"
		spelling = "expected rate(VALUE UNIT) in lower case: a number without leading zeros, one space, and minute, hour or day, in the plural above 1"
		units    = ": expected minute, hour or day for a value of 1, else minutes, hours or days"
	)
	tests := []struct{ given, problem, meant string }{
		{"rate(1 minutes)", "a value of 1 takes the singular, minute", "rate(1 minute)"},
		{"rate(1 hours)", "a value of 1 takes the singular, hour", "rate(1 hour)"},
		{"rate(1 days)", "a value of 1 takes the singular, day", "rate(1 day)"},
		{"rate(5 minute)", "a value above 1 takes the plural, minutes", "rate(5 minutes)"},
		{"rate(5 hour)", "a value above 1 takes the plural, hours", "rate(5 hours)"},
		{"rate(2 day)", "a value above 1 takes the plural, days", "rate(2 days)"},
		{"rate(0 minutes)", "the value is a whole number from 1", "rate(1 minute)"},
		{"rate(0 hours)", "the value is a whole number from 1", "rate(1 hour)"},
		{"rate(30 seconds)", "the finest unit is the minute", "rate(1 minute)"},
		{"rate(120 seconds)", "the finest unit is the minute", "rate(2 minutes)"},
		{"rate(05 minutes)", spelling, "rate(5 minutes)"},
		{"rate(5  minutes)", spelling, "rate(5 minutes)"},
		{"rate( 5 minutes )", spelling, "rate(5 minutes)"},
		{" rate(5 minutes)", spelling, "rate(5 minutes)"},
		{"rate(5 minutes", spelling, "rate(5 minutes)"},
		{"rate(5minutes)", spelling, "rate(5 minutes)"},
		{"RATE(1 HOUR)", spelling, "rate(1 hour)"},
		{"5 minutes", spelling, "rate(5 minutes)"},
		{"5min", spelling, "rate(5 minutes)"},
		{"rate(2 weeks)", spelling, "rate(14 days)"},
		{"rate(366 days)", "days: expected a whole number from 1 to 365, a year, got 366", ""},
		{"rate(5 fortnights)", `unit "fortnights"` + units, ""},
		{"rate(1.5 hours)", `unit ".5 hours"` + units, ""},
		{"rate(5)", `unit ""` + units, ""},
		{"rate(-5 minutes)", whole, ""},
		{"rate(minutes)", whole, ""},
		{"rate(99999999999999999999 days)", whole, ""},
		{"rate(٥ minutes)", whole, ""},
		{"rate()", whole, ""},
		{"", whole, ""},
		{"cron(0 12 * * ? *)", "this is a cron expression; " + wanted, ""},
	}
	for _, tt := range tests {
		t.Run(tt.given, func(t *testing.T) {
			t.Parallel()
			c, err := schedule.ParseRate(tt.given)
			if err == nil {
				t.Fatalf("ParseRate(%q) = %+v, want an error", tt.given, c)
			}
			want := `invalid rate expression "` + tt.given + `": ` + tt.problem
			if tt.meant != "" {
				want += "; did you mean `" + tt.meant + "`?"
			}
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRate_longTextShortMessage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("x", 1<<20), "rate(5 " + strings.Repeat("x", 1<<20)} {
		if _, err := schedule.ParseRate(text); err == nil || len(err.Error()) > 600 {
			t.Errorf("a megabyte of text: want an error of a few lines, got nil or more")
		}
	}
}

func FuzzParseRate(f *testing.F) {
	for _, expr := range []string{
		"rate(1 minute)", "rate(5 minutes)", "rate(1 minutes)", "rate(0 days)", "rate(05 hours)", "rate(", "5min", "",
		"rate(9223372036854775807 weeks)", "rate(\xff minutes)", "cron(* * * * ? *)",
	} {
		f.Add(expr)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		c, err := schedule.ParseRate(expr)
		if err != nil {
			var invalid *schedule.Error
			if !errors.As(err, &invalid) || !cmp.Equal(c, schedule.Cadence{}) {
				t.Fatalf("ParseRate(%q) = %+v, %v, want a *schedule.Error alone", expr, c, err)
			}
			for _, meant := range invalid.DidYouMean {
				if _, err := schedule.ParseRate(meant); err != nil {
					t.Errorf("ParseRate(%q) suggests %q: %v", expr, meant, err)
				}
			}
			return
		}
		if back, err := c.Expression(); err != nil || back != expr {
			t.Errorf("ParseRate(%q) renders as %q, %v", expr, back, err)
		}
	})
}
