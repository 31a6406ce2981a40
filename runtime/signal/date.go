package signal

import (
	"errors"
	"fmt"
	"time"
)

// ErrDate is what text that is no calendar date answers to.
var ErrDate = errors.New("invalid date")

// Date is a calendar date, in whatever time zone its product is in.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// lastDate is one whose end still has a year of four digits: instants are compared
// as text.
var lastDate = Date{Year: 9999, Month: time.December, Day: 30}

// ParseDate reads YYYY-MM-DD and nothing else. The error is ErrDate.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1 {
		return Date{}, fmt.Errorf("%w %q: expected a calendar date as YYYY-MM-DD, such as 2026-07-01", ErrDate, s)
	}
	d := DateOf(t)
	if d.Compare(lastDate) > 0 {
		return Date{}, fmt.Errorf("%w %q: the last that can be kept is %s", ErrDate, s, lastDate)
	}
	return d, nil
}

// DateOf is the date of an instant, in that instant's location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{Year: y, Month: m, Day: d}
}

func (d Date) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// AddDays is the date n days later.
func (d Date) AddDays(n int) Date { return DateOf(d.utc().AddDate(0, 0, n)) }

// DaysUntil is the number of days from d to e; negative if e is earlier.
func (d Date) DaysUntil(e Date) int {
	// Not by Sub, whose Duration ends at 292 years.
	const day = 24 * 60 * 60
	return int((e.utc().Unix() - d.utc().Unix()) / day)
}

// Compare is negative, zero or positive as d is before, on or after e.
func (d Date) Compare(e Date) int { return d.utc().Compare(e.utc()) }

func (d Date) utc() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// Start is the first instant of the date in a zone. It is not always midnight:
// some zones skip 00:00 when their clocks change, and some have skipped whole
// days, whose start is then that of the next day there was.
func (d Date) Start(zone *time.Location) time.Time {
	midnight := d.utc()
	// No zone is more than a day ahead of UTC, so the day has not begun here.
	at := midnight.Add(-26 * time.Hour)
	for {
		_, offset := at.In(zone).Zone()
		_, end := at.In(zone).ZoneBounds()
		start := midnight.Add(-time.Duration(offset) * time.Second)
		if start.Before(at) {
			return at
		}
		if end.IsZero() || start.Before(end) {
			return start
		}
		at = end.UTC()
	}
}
