package schedule_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
)

func TestParseCron_valid(t *testing.T) {
	t.Parallel()
	tests := []string{
		// One of each that AWS documents.
		"0 10 * * ? *",
		"15 12 * * ? *",
		"0 18 ? * MON-FRI *",
		"0 8 1 * ? *",
		"0/15 * * * ? *",
		"0/10 * ? * MON-FRI *",
		"0/5 8-17 ? * MON-FRI *",
		"0/30 20-23 * * ? *",
		"0 9 ? * 2#1 *",
		"1/10 * * * ? *",
		// Each field's ends, lists, ranges and steps.
		"0,59 0,23 1,31 1,12 ? 1970,2199",
		"0-59 0-23 1-31 1-12 ? 1970-2199",
		"*/59 */23 */30 */11 ? */229",
		"10-50/20 8-18/2 1-15/3 JAN-JUN/2 ? 2026-2030/2",
		"*/7 0/6 2/5 FEB/3 ? 2026/4",
		"0 0 ? JAN,3,MAR-MAY SUN,3,THU-SAT *",
		"0 0 ? * 1-7 *",
		"0 0 ? * SUN-SAT *",
		"0 0 ? * * *",
		"5-5 7-7 ? * MON-MON *",
		// Last days, nearest weekdays, days of the week by number.
		"0 0 L * ? *",
		"0 0 1W * ? *",
		"0 0 31W * ? *",
		"0 0 ? * L *",
		"0 0 ? * 6L *",
		"0 0 ? * 1#1 *",
		"0 0 ? * 7#5 *",
		// Days that few months, or years, have.
		"0 0 31 * ? *",
		"0 0 29 2 ? *",
		"0 0 29,30 FEB ? 2028",
		"0 0 ? 2 3#5 2028",
		"00 05 01 01 ? *",
	}
	for _, fields := range tests {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			want := "cron(" + fields + ")"
			for _, given := range []string{fields, want, " cron( " + strings.ReplaceAll(fields, " ", " \t") + "\n)\n"} {
				c, err := schedule.ParseCron(given)
				if err != nil {
					t.Errorf("ParseCron(%q): %v", given, err)
					continue
				}
				if got := c.Expression(); got != want {
					t.Errorf("ParseCron(%q) renders as %q, want %q", given, got, want)
				}
			}
		})
	}
}

func TestParseCron_messages(t *testing.T) {
	t.Parallel()
	const six = "EventBridge needs six fields (minutes hours day-of-month month day-of-week year); "
	tests := []struct{ given, want string }{
		{"*/5 * * * *", six + "got five, as Unix cron writes it; did you mean `cron(*/5 * * * ? *)`?"},
		{"0 12 * * ?", six + "got five: the year seems to be missing; did you mean `cron(0 12 * * ? *)`?"},
		{"0 0 12 * * ? *", six + "got seven: EventBridge has no seconds; did you mean `cron(0 12 * * ? *)`?"},
		{"0 0 12 * * ?", six + "the fields seem to begin with seconds, which EventBridge has not, and to lack the year; did you mean `cron(0 12 * * ? *)`?"},
		{"0 0 ? * MON, FRI *", six + "there is no space beside a comma, dash or slash; did you mean `cron(0 0 ? * MON,FRI *)`?"},
		{"", six + "got 0"},
		{"cron()", six + "got 0"},
		{"cron(* * * * * * * *)", six + "got 8"},
		{"cron(0 12 * * * *)", "day-of-month and day-of-week: EventBridge needs ? in exactly one of them, got * and *; did you mean `cron(0 12 * * ? *)`?"},
		{"cron(0 12 ? * ? *)", "day-of-month and day-of-week: EventBridge needs ? in exactly one of them, got ? and ?; did you mean `cron(0 12 * * ? *)`?"},
		{"cron(0 12 1 * MON *)", "day-of-month and day-of-week: EventBridge needs ? in exactly one of them, got 1 and MON; days of both kinds need a rule each; did you mean `cron(0 12 1 * ? *)` or `cron(0 12 ? * MON *)`?"},
		{"cron(60 * * * ? *)", "minutes: 60 is out of range; allowed: 0-59 and , - * /; did you mean `cron(0 * * * ? *)`?"},
		{"cron(0 25 * * ? *)", "hours: 25 is out of range; allowed: 0-23 and , - * /"},
		{"cron(0 0 0 * ? *)", "day-of-month: 0 is out of range; allowed: 1-31 and , - * / ? L W"},
		{"cron(0 0 1 13 ? *)", "month: 13 is out of range; allowed: 1-12 or JAN-DEC and , - * /"},
		{"cron(0 0 ? * 8 *)", "day-of-week: 8 is out of range; allowed: 1-7 or SUN-SAT and , - * ? L #"},
		{"cron(0 0 ? * 0 *)", "day-of-week: days of the week count from 1 (SUN) to 7 (SAT), not from 0; allowed: 1-7 or SUN-SAT and , - * ? L #; did you mean `cron(0 0 ? * SUN *)`?"},
		{"cron(0 0 1 1 ? 1969)", "year: 1969 is out of range; allowed: 1970-2199 and , - * /"},
		{"cron(0 0 1 1 ? 2200)", "year: 2200 is out of range; allowed: 1970-2199 and , - * /"},
		{"cron(*/60 * * * ? *)", `minutes: "*/60": a step is a whole number from 1 to 59; allowed: 0-59 and , - * /; did you mean ` + "`cron(0 * * * ? *)`?"},
		{"cron(0 0 30 2 ? *)", `day-of-month: "30": no month and year of this expression has that day, so it would never fire; did you mean ` + "`cron(0 0 L 2 ? *)`?"},
		{"cron(0 0 ? 2 2#5 2027)", `day-of-week: "2#5": no month and year of this expression has a fifth one, so it would never fire`},
		{"rate(5 minutes)", "this is a rate; set cadence = { minutes = 5 } instead"},
		{"rate(1 hours)", "this is a rate; set cadence = { hours = 1 } instead"},
		{"rate(soon)", "this is a rate; set a cadence instead, such as cadence = { minutes = 5 }"},
		{"at(2026-07-01T00:00:00)", "at(...) fires once; a bucket needs a schedule that repeats"},
		{"@daily", "EventBridge has no names for schedules; did you mean `cron(0 0 * * ? *)`?"},
		{"@reboot", "EventBridge has no names for schedules"},
	}
	for _, tt := range tests {
		t.Run(tt.given, func(t *testing.T) {
			t.Parallel()
			c, err := schedule.ParseCron(tt.given)
			if err == nil {
				t.Fatalf("ParseCron(%q) = %s, want an error", tt.given, c.Expression())
			}
			if diff := cmp.Diff(`invalid cron expression "`+tt.given+`": `+tt.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// Every one is refused for the field named, with the correction; none where what
// was meant cannot be told.
func TestParseCron_corrections(t *testing.T) {
	t.Parallel()
	const days = "day-of-month and day-of-week"
	tests := []struct {
		given, field string
		meant        []string
	}{
		// Unix: five fields, 0 for Sunday, both day fields at once.
		{"0 9 * * 1-5", "", []string{"cron(0 9 ? * MON-FRI *)"}},
		{"0 9 * * 0", "", []string{"cron(0 9 ? * SUN *)"}},
		{"0 9 * * 7", "", []string{"cron(0 9 ? * SUN *)"}},
		{"0 9 * * 5-7", "", []string{"cron(0 9 ? * FRI-SAT,SUN *)"}},
		{"0 9 * * 0-7", "", []string{"cron(0 9 ? * SUN-SAT *)"}},
		{"0 9 * * mon", "", []string{"cron(0 9 ? * MON *)"}},
		{"0 9 1 * *", "", []string{"cron(0 9 1 * ? *)"}},
		{"0 9 1,15 * 1", "", []string{"cron(0 9 1,15 * ? *)", "cron(0 9 ? * MON *)"}},
		{"61 9 * * *", "", nil},
		{"0 9 ? * 0-6 *", "day-of-week", []string{"cron(0 9 ? * SUN-SAT *)"}},
		{"0 9 ? * 0,3,6 *", "day-of-week", []string{"cron(0 9 ? * SUN,WED,SAT *)"}},
		{"0 9 ? * 0L *", "day-of-week", []string{"cron(0 9 ? * 1L *)"}},
		{"0 9 ? * 0#2 *", "day-of-week", []string{"cron(0 9 ? * 1#2 *)"}},
		{"@hourly", "", []string{"cron(0 * * * ? *)"}},
		{"@weekly", "", []string{"cron(0 0 ? * SUN *)"}},
		{"@monthly", "", []string{"cron(0 0 1 * ? *)"}},
		{"@yearly", "", []string{"cron(0 0 1 1 ? *)"}},
		// The frame.
		{"CRON(0 12 * * ? *)", "", []string{"cron(0 12 * * ? *)"}},
		{"cron (0 12 * * ? *)", "", []string{"cron(0 12 * * ? *)"}},
		{"cron(0 12 * * ? *", "", []string{"cron(0 12 * * ? *)"}},
		{"(0 12 * * ? *)", "", []string{"cron(0 12 * * ? *)"}},
		{"cron(0/5, 9-18, ?, *, MON-FRI, *)", "minutes", []string{"cron(0/5 9-18 ? * MON-FRI *)"}},
		// The day fields.
		{"0 9 * * MON *", days, []string{"cron(0 9 ? * MON *)"}},
		{"0 9 1 * * *", days, []string{"cron(0 9 1 * ? *)"}},
		{"0 9 L * 6L *", days, []string{"cron(0 9 L * ? *)", "cron(0 9 ? * 6L *)"}},
		{"? * * * ? *", "minutes", []string{"cron(* * * * ? *)"}},
		{"0 0 * ? * *", "month", []string{"cron(0 0 * * ? *)"}},
		{"0 0 31 APR,JUN ? *", "day-of-month", []string{"cron(0 0 L APR,JUN ? *)"}},
		{"0 0 29 2 ? 2027", "day-of-month", []string{"cron(0 0 L 2 ? 2027)"}},
		// Values.
		{"0 24 * * ? *", "hours", []string{"cron(0 0 * * ? *)"}},
		{"0 0-24 * * ? *", "hours", []string{"cron(0 0-23 * * ? *)"}},
		{"0 8-24 * * ? *", "hours", nil},
		{"-1 0 * * ? *", "minutes", nil},
		{"5- 0 * * ? *", "minutes", nil},
		{"1.5 0 * * ? *", "minutes", nil},
		{"005 0 * * ? *", "minutes", nil},
		{"٥ 0 * * ? *", "minutes", nil},
		{"5L 0 * * ? *", "minutes", nil},
		{"0 0 1 1 ? 26", "year", []string{"cron(0 0 1 1 ? 2026)"}},
		{"0 0 1 1 ? 2026-30", "year", []string{"cron(0 0 1 1 ? 2026-2030)"}},
		// Names.
		{"0 0 ? jan-mar mon-fri *", "month", []string{"cron(0 0 ? JAN-MAR MON-FRI *)"}},
		{"0 0 ? SEPTEMBER TUES-THURS *", "month", []string{"cron(0 0 ? SEP TUE-THU *)"}},
		{"0 0 ? * Monday *", "day-of-week", []string{"cron(0 0 ? * MON *)"}},
		{"0 0 ? * 2-FRI *", "day-of-week", []string{"cron(0 0 ? * MON-FRI *)"}},
		{"0 0 ? * XYZ *", "day-of-week", nil},
		{"0 0 ? MON * *", "month", nil},
		// Lists, ranges, steps.
		{"0,*,5 * * * ? *", "minutes", []string{"cron(* * * * ? *)"}},
		{"0,,30 * * * ? *", "minutes", []string{"cron(0,30 * * * ? *)"}},
		{", * * * ? *", "minutes", nil},
		{"0 22-2 * * ? *", "hours", []string{"cron(0 22-23,0-2 * * ? *)"}},
		{"0 23-2 * * ? *", "hours", []string{"cron(0 23,0-2 * * ? *)"}},
		{"0 20-2/3 * * ? *", "hours", []string{"cron(0 20,23,2 * * ? *)"}},
		{"0 0 1 NOV-FEB ? *", "month", []string{"cron(0 0 1 NOV-DEC,JAN-FEB ? *)"}},
		{"0 0 ? * FRI-MON *", "day-of-week", []string{"cron(0 0 ? * FRI-SAT,SUN-MON *)"}},
		{"0 0 1 1 ? 2030-2026", "year", []string{"cron(0 0 1 1 ? 2026-2030)"}},
		{"1-2-3 * * * ? *", "minutes", nil},
		{"/5 * * * ? *", "minutes", []string{"cron(*/5 * * * ? *)"}},
		{"5/ * * * ? *", "minutes", nil},
		{"*/0 * * * ? *", "minutes", nil},
		{"*/5/5 * * * ? *", "minutes", nil},
		{"*/90 * * * ? *", "minutes", nil},
		{"0 */24 * * ? *", "hours", []string{"cron(0 0 * * ? *)"}},
		{"0 0 ? * */2 *", "day-of-week", []string{"cron(0 0 ? * SUN,TUE,THU,SAT *)"}},
		{"0 0 ? * MON-FRI/2 *", "day-of-week", []string{"cron(0 0 ? * MON,WED,FRI *)"}},
		// L, W and #.
		{"0 0 l * ? *", "day-of-month", []string{"cron(0 0 L * ? *)"}},
		{"0 0 LW * ? *", "day-of-month", nil},
		{"0 0 L-3 * ? *", "day-of-month", nil},
		{"0 0 L,15 * ? *", "day-of-month", nil},
		{"0 0 W * ? *", "day-of-month", nil},
		{"0 0 0W * ? *", "day-of-month", nil},
		{"0 0 32W * ? *", "day-of-month", nil},
		{"0 0 1-5W * ? *", "day-of-month", nil},
		{"0 0 ? * FRIL *", "day-of-week", []string{"cron(0 0 ? * 6L *)"}},
		{"0 0 ? * FRI#3 *", "day-of-week", []string{"cron(0 0 ? * 6#3 *)"}},
		{"0 0 ? * Friday#3 *", "day-of-week", []string{"cron(0 0 ? * 6#3 *)"}},
		{"0 0 ? * 6#0 *", "day-of-week", nil},
		{"0 0 ? * 6#6 *", "day-of-week", nil},
		{"0 0 ? * 6# *", "day-of-week", nil},
		{"0 0 ? * #1 *", "day-of-week", nil},
		{"0 0 ? * 8#1 *", "day-of-week", nil},
		{"0 0 ? * 8L *", "day-of-week", nil},
		{"0 0 ? * L-1 *", "day-of-week", nil},
		{"0 0 ? * 3#1,6#3 *", "day-of-week", nil},
		{"0 0 ? * 2L,6L *", "day-of-week", nil},
	}
	for _, tt := range tests {
		t.Run(tt.given, func(t *testing.T) {
			t.Parallel()
			c, err := schedule.ParseCron(tt.given)
			var invalid *schedule.Error
			if !errors.As(err, &invalid) {
				t.Fatalf("ParseCron(%q) = %s, %v, want a *schedule.Error", tt.given, c.Expression(), err)
			}
			if invalid.Field != tt.field {
				t.Errorf("ParseCron(%q) blames %q, want %q", tt.given, invalid.Field, tt.field)
			}
			if diff := cmp.Diff(tt.meant, invalid.DidYouMean); diff != "" {
				t.Errorf("ParseCron(%q) suggests (-want +got):\n%s", tt.given, diff)
			}
		})
	}
}

func TestCron_equal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{"0 12 * * ? *", "cron(0 12 * * ? *)", true},
		{"0 12 * * ? *", "0 12 ? * * *", true},
		{"0 12 * * ? *", "00 12 1-31 JAN-DEC ? 1970-2199", true},
		{"0/15 * * * ? *", "0,15,30,45 * * * ? *", true},
		{"*/15 * * * ? *", "0-59/15 * * * ? *", true},
		{"0 0 ? * MON-FRI *", "0 0 ? * 2-6 *", true},
		{"0 0 ? * SAT *", "0 0 ? * L *", true},
		{"0 0 ? * SUN,MON *", "0 0 ? * 2,1,1 *", true},
		{"0 12 * * ? *", "1 12 * * ? *", false},
		{"0 12 1 * ? *", "0 12 ? * 1 *", false},
		{"0 12 L * ? *", "0 12 31 * ? *", false},
		{"0 12 15W * ? *", "0 12 15 * ? *", false},
		{"0 12 ? * 6L *", "0 12 ? * 6 *", false},
		{"0 12 ? * 6L *", "0 12 ? * 5L *", false},
		{"0 12 ? * 6#1 *", "0 12 ? * 6#2 *", false},
		{"0 12 ? * 6#1 *", "0 12 ? * 5#1 *", false},
		{"0 12 * * ? *", "0 12 * * ? 2026", false},
		{"0 12 1 1 ? *", "0 12 1 2 ? *", false},
	}
	for _, tt := range tests {
		t.Run(tt.a+" and "+tt.b, func(t *testing.T) {
			t.Parallel()
			a, b := parseCron(t, tt.a), parseCron(t, tt.b)
			if a.Equal(b) != tt.want || b.Equal(a) != tt.want {
				t.Errorf("want equal = %v, either way", tt.want)
			}
		})
	}
}

func TestParseCron_length(t *testing.T) {
	t.Parallel()
	// 256 characters, as many as EventBridge takes.
	rest := strings.Repeat(",0", 119) + " * * * ? *"
	longest := "cron(10" + rest + ")"
	for _, given := range []string{longest, "10" + rest, "cron( 10" + strings.ReplaceAll(rest, " ", "   ") + " )"} {
		if got := parseCron(t, given).Expression(); got != longest || len(got) != 256 {
			t.Errorf("ParseCron(%q) renders as %q", given, got)
		}
	}

	const problem = "EventBridge takes 256 characters, this has 257; write lists as ranges or steps"
	for _, given := range []string{"cron(10" + strings.Replace(rest, ",0", ",10", 1) + ")", "10" + strings.Replace(rest, ",0", ",10", 1)} {
		_, err := schedule.ParseCron(given)
		if err == nil || !strings.HasSuffix(err.Error(), ": "+problem) {
			t.Errorf("ParseCron(%q) = %v, want %q", given, err, problem)
		}
	}

	if _, err := schedule.ParseCron(strings.Repeat("*", 1<<20)); err == nil || len(err.Error()) > 600 {
		t.Error("a megabyte of text: want an error of a few lines")
	}
}

func FuzzParseCron(f *testing.F) {
	for _, expr := range []string{
		"cron(0 12 * * ? *)", "*/5 * * * *", "0/5 8-17 ? * MON-FRI *", "0 0 L * ? *", "0 0 15W * ? *", "0 0 ? * 6L *",
		"0 0 ? * 2#1 *", "0 22-2 * * ? *", "0 0 ? * FRI-MON/2 *", "0 0 30 2 ? *", "@daily", "cron(", "rate(5 minutes)",
		"0 0 1 JAN,3-5/2 ? 2026/3", "0 0 ? jan 0-6 26", "ſ ß * * ? *", "\xff * * * ? *", "",
	} {
		f.Add(expr)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		c, err := schedule.ParseCron(expr)
		if err != nil {
			var invalid *schedule.Error
			if !errors.As(err, &invalid) {
				t.Fatalf("ParseCron(%q) = %v, want a *schedule.Error", expr, err)
			}
			for _, meant := range invalid.DidYouMean {
				if back, err := schedule.ParseCron(meant); err != nil || back.Expression() != meant {
					t.Errorf("ParseCron(%q) suggests %q, which renders as %q, %v", expr, meant, back.Expression(), err)
				}
			}
			return
		}
		back, err := schedule.ParseCron(c.Expression())
		if err != nil || !back.Equal(c) || back.Expression() != c.Expression() {
			t.Errorf("ParseCron(%q) renders as %q, which reads as %q, %v", expr, c.Expression(), back.Expression(), err)
		}
	})
}

func parseCron(t *testing.T, expr string) schedule.Cron {
	t.Helper()
	c, err := schedule.ParseCron(expr)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
