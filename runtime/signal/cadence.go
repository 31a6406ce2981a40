package signal

import (
	"fmt"
	"time"
)

// maxCadence is the most of each unit: all three together still make a Duration,
// which ends at 292 years.
const maxCadence = 100_000

// Cadence is how often signals are checked: a duration in one unit, or the
// identity of a bucket that has another schedule (cron).
type Cadence struct {
	Minutes, Hours, Days int
	// ID names a bucket, e.g. "5min". Real data has it with a label for people.
	ID, Label string
}

// Duration is the time between ticks, or 0 if the cadence only names a bucket.
func (c Cadence) Duration() time.Duration {
	return time.Duration(c.Minutes)*time.Minute + time.Duration(c.Hours)*time.Hour + time.Duration(c.Days)*24*time.Hour
}

// BucketName is the bucket that a cadence names: its ID, or its duration in the
// largest whole unit, as 5min, 1h or 2d.
func (c Cadence) BucketName() (string, error) {
	name := c.ID
	if name == "" {
		switch d := c.Duration(); {
		case d <= 0:
			return "", fmt.Errorf("%w: the cadence has neither a duration nor an id", ErrBucketName)
		case d%(24*time.Hour) == 0:
			name = fmt.Sprintf("%dd", d/(24*time.Hour))
		case d%time.Hour == 0:
			name = fmt.Sprintf("%dh", d/time.Hour)
		default:
			name = fmt.Sprintf("%dmin", d/time.Minute)
		}
	}
	return name, ValidateBucketName(name)
}

// Value renders the cadence as it is written: a duration, or an id.
func (c Cadence) Value() Value {
	m := map[string]Value{}
	for name, n := range map[string]int{"minutes": c.Minutes, "hours": c.Hours, "days": c.Days} {
		if n != 0 {
			m[name] = N(int64(n))
		}
	}
	if c.ID != "" {
		m["id"] = S(c.ID)
	}
	if c.Label != "" {
		m["label"] = S(c.Label)
	}
	return M(m)
}

// ParseCadence reads the three shapes that real data has: {minutes: 5} (or hours
// or days), {id: "5min", label: "Every 5 minutes"}, and a bare "5min".
func ParseCadence(v Value) (Cadence, error) {
	if s, ok := v.Text(); ok {
		if s == "" {
			return Cadence{}, fmt.Errorf("read cadence: it is empty text")
		}
		return Cadence{ID: s}, nil
	}
	m, ok := v.Fields()
	if !ok {
		return Cadence{}, fmt.Errorf("read cadence: expected {minutes: 5}, {id: \"5min\"} or \"5min\"")
	}
	var c Cadence
	for name, unit := range map[string]*int{"minutes": &c.Minutes, "hours": &c.Hours, "days": &c.Days} {
		f, ok := m[name]
		if !ok || f.IsNull() {
			continue
		}
		n, ok := f.Int()
		if !ok || n < 1 {
			return Cadence{}, fmt.Errorf("read cadence: %s must be a whole number of at least 1", name)
		}
		if n > maxCadence {
			return Cadence{}, fmt.Errorf("read cadence: %s must be at most %d", name, maxCadence)
		}
		*unit = int(n)
	}
	c.ID, _ = m["id"].Text()
	c.Label, _ = m["label"].Text()
	if c.Duration() == 0 && c.ID == "" {
		return Cadence{}, fmt.Errorf("read cadence: it has neither minutes, hours, days nor an id")
	}
	return c, nil
}
