package signal_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func date(t testing.TB, text string) signal.Date {
	t.Helper()
	d, err := signal.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := signal.LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]signal.Date{
		"2026-07-01": {Year: 2026, Month: time.July, Day: 1},
		"2028-02-29": {Year: 2028, Month: time.February, Day: 29},
		"0001-01-01": {Year: 1, Month: time.January, Day: 1},
		"9999-12-30": {Year: 9999, Month: time.December, Day: 30},
	} {
		got, err := signal.ParseDate(text)
		if got != want || err != nil {
			t.Errorf("ParseDate(%q) = %v, %v, want %v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("ParseDate(%q).String() = %q", text, got)
		}
	}
}

func TestParseDate_invalid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "2026", "2026-07", "2026-7-1", "2026-07-1", "26-07-01", "2026/07/01", "20260701", "01-07-2026", "2026-07-01T00:00:00Z",
		" 2026-07-01", "2026-07-01 ", "2026-07-01\n", "2026-02-29", "2026-02-30", "2026-04-31", "2026-13-01", "2026-00-01", "2026-01-00",
		"0000-01-01", "-2026-07-01", "+2026-07-01", "12026-07-01", "2026-Jul-01", "２０２６-07-01", "cadenceBucket",
		// Its end would have a year of five digits, which sorts before every other.
		"9999-12-31",
	} {
		if d, err := signal.ParseDate(text); !errors.Is(err, signal.ErrDate) || d != (signal.Date{}) {
			t.Errorf("ParseDate(%q) = %v, %v, want ErrDate", text, d, err)
		}
	}
}

func TestDate_arithmetic(t *testing.T) {
	t.Parallel()
	tests := []struct {
		from string
		days int
		to   string
	}{
		{"2026-07-01", 0, "2026-07-01"},
		{"2026-07-31", 1, "2026-08-01"},
		{"2026-12-31", 1, "2027-01-01"},
		{"2026-02-28", 1, "2026-03-01"},
		{"2028-02-28", 1, "2028-02-29"},
		{"2026-03-07", 2, "2026-03-09"}, // the clocks of North America change between
		{"2026-07-01", -1, "2026-06-30"},
		{"2027-05-01", 179, "2027-10-27"},
		{"0001-01-01", 3652057, "9999-12-30"},
	}
	for _, tt := range tests {
		from, to := date(t, tt.from), date(t, tt.to)
		if got := from.AddDays(tt.days); got != to {
			t.Errorf("%s + %d days = %s, want %s", from, tt.days, got, to)
		}
		if got := from.DaysUntil(to); got != tt.days {
			t.Errorf("from %s until %s are %d days, want %d", from, to, got, tt.days)
		}
		if got := to.DaysUntil(from); got != -tt.days {
			t.Errorf("from %s until %s are %d days, want %d", to, from, got, -tt.days)
		}
		if got := from.Compare(to); got != sign(-tt.days) {
			t.Errorf("Compare(%s, %s) = %d", from, to, got)
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func TestDateOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 2, 3, 0, 0, 0, time.UTC)
	if got := signal.DateOf(at.In(zone(t, "America/Vancouver"))); got != date(t, "2026-07-01") {
		t.Errorf("in Vancouver it is %s, want 2026-07-01", got)
	}
	if got := signal.DateOf(at); got != date(t, "2026-07-02") {
		t.Errorf("in UTC it is %s, want 2026-07-02", got)
	}
}

// Found in the zone data by looking, minute by minute, for the first that has the
// date.
func TestDate_start(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, zone, date, want string }{
		{"UTC", "UTC", "2026-07-02", "2026-07-02T00:00:00.000Z"},
		{"behind UTC", "America/Vancouver", "2026-07-02", "2026-07-02T07:00:00.000Z"},
		{"ahead of UTC", "Asia/Kathmandu", "2026-07-01", "2026-06-30T18:15:00.000Z"},
		{"as far ahead as any", "Pacific/Kiritimati", "2026-07-01", "2026-06-30T10:00:00.000Z"},
		{"as far behind as any", "Etc/GMT+12", "2026-07-01", "2026-07-01T12:00:00.000Z"},
		{"the clocks change that day, later", "America/Vancouver", "2026-03-08", "2026-03-08T08:00:00.000Z"},
		{"the day after", "America/Vancouver", "2026-03-09", "2026-03-09T07:00:00.000Z"},
		{"no midnight: it begins at 01:00", "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z"},
		{"the day after", "America/Sao_Paulo", "2018-11-05", "2018-11-05T02:00:00.000Z"},
		{"no midnight in Cairo", "Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"},
		{"no midnight in Beirut", "Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00.000Z"},
		{"23:00 to 24:00 came twice, and then midnight", "America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00.000Z"},
		{"midnight comes twice: the first", "America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"},
		{"back to the day before at 00:01: the first", "America/St_Johns", "2006-10-29", "2006-10-29T02:30:00.000Z"},
		{"the day before the skipped one", "Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00.000Z"},
		{"a day that was skipped", "Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"},
		{"the day after the skipped one", "Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00.000Z"},
		{"another that was skipped", "Pacific/Kwajalein", "1993-08-21", "1993-08-21T12:00:00.000Z"},
		{"half an hour's change", "Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30:00.000Z"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.zone+" "+tt.date, func(t *testing.T) {
			t.Parallel()
			if got := signal.FormatInstant(date(t, tt.date).Start(zone(t, tt.zone))); got != tt.want {
				t.Errorf("Start() = %s, want %s", got, tt.want)
			}
		})
	}
}

// In every zone and on every date: the date has begun at its start, and not a
// moment earlier.
func TestDate_startIsTheFirstInstant(t *testing.T) {
	t.Parallel()
	names, err := signal.Zones()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		z, err := signal.LoadZone(rapid.SampledFrom(names).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		d := signal.Date{Year: 1900, Month: time.January, Day: 1}.AddDays(rapid.IntRange(0, 250*365).Draw(t, "days since 1900"))
		start := d.Start(z)
		if on := signal.DateOf(start.In(z)); on.Compare(d) < 0 {
			t.Errorf("%s starts %s in %s, where it is still %s", d, start, z, on)
		}
		before := start.Add(-time.Nanosecond)
		if on := signal.DateOf(before.In(z)); on.Compare(d) >= 0 {
			t.Errorf("%s starts %s in %s, where it is %s already a moment earlier", d, start, z, on)
		}
	})
}

func FuzzParseDate(f *testing.F) {
	for _, text := range []string{"", "2026-07-01", "2026-02-30", "0000-00-00", "9999-12-31", "2026-07-01T00:00:00Z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := signal.ParseDate(text)
		if err != nil {
			if !errors.Is(err, signal.ErrDate) {
				t.Errorf("ParseDate(%q) = %v, want ErrDate", text, err)
			}
			return
		}
		if d.String() != text {
			t.Errorf("ParseDate(%q).String() = %q", text, d)
		}
		if next := d.AddDays(1); d.DaysUntil(next) != 1 || d.Compare(next) >= 0 {
			t.Errorf("the day after %s is %s", d, next)
		}
	})
}
