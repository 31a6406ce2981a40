package schedule

import (
	"fmt"
	"strings"
	"time"
)

// maxCadence keeps a bucket checked at least once a year; AWS documents no limit
// of its own.
const maxCadence = 365 * 24 * time.Hour

// Cadence is a fixed time between ticks. Exactly one of its fields is set, to 1
// or more; 0 is unset.
type Cadence struct{ Minutes, Hours, Days int64 }

// Validate reports, as an *Error whose Field is minutes, hours or days where one
// is to blame, why EventBridge could not keep this cadence.
func (c Cadence) Validate() error {
	set := c.set()
	if len(set) != 1 {
		return &Error{Kind: kindCadence, Problem: "expected exactly one of minutes, hours and days, set to 1 or more, such as { minutes = 5 }; got " + describe(set)}
	}
	if p, most := set[0], int64(maxCadence/set[0].unit); p.value < 1 || p.value > most {
		return &Error{
			Kind: kindCadence, Field: p.plural(),
			Problem: fmt.Sprintf("expected a whole number from 1 to %d, a year, got %d", most, p.value),
		}
	}
	return nil
}

// Expression renders the cadence as EventBridge takes it, in the unit it was
// given in: rate(1 minute), rate(5 minutes), rate(1 hour). The error is that of
// Validate.
func (c Cadence) Expression() (string, error) {
	if err := c.Validate(); err != nil {
		return "", err
	}
	p := c.set()[0]
	unit := p.name
	if p.value != 1 {
		unit = p.plural()
	}
	return fmt.Sprintf("rate(%d %s)", p.value, unit), nil
}

// Duration is the time between ticks, or 0 if the cadence is not valid.
func (c Cadence) Duration() time.Duration {
	if c.Validate() != nil {
		return 0
	}
	p := c.set()[0]
	return time.Duration(p.value) * p.unit
}

// Equal says whether both tick equally often: 60 minutes are 1 hour. Cadences
// that are not valid equal only themselves.
func (c Cadence) Equal(other Cadence) bool {
	return c == other || c.Duration() != 0 && c.Duration() == other.Duration()
}

// part is one field of a cadence.
type part struct {
	name  string
	unit  time.Duration
	value int64
}

func (p part) plural() string { return p.name + "s" }

func (c Cadence) set() []part {
	var set []part
	for _, p := range []part{
		{"minute", time.Minute, c.Minutes},
		{"hour", time.Hour, c.Hours},
		{"day", 24 * time.Hour, c.Days},
	} {
		if p.value != 0 {
			set = append(set, p)
		}
	}
	return set
}

func describe(set []part) string {
	if len(set) == 0 {
		return "none"
	}
	names := make([]string, len(set))
	for i, p := range set {
		names[i] = fmt.Sprintf("%s = %d", p.plural(), p.value)
	}
	return strings.Join(names, ", ")
}
