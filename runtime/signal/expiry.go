package signal

import (
	"errors"
	"fmt"
	"time"
)

// instantLayout is ISO 8601 in UTC with milliseconds, as JavaScript writes it.
// Instants of this form sort as text, which conditions rely on.
const instantLayout = "2006-01-02T15:04:05.000Z"

// ErrInstant is what text that is no instant answers to.
var ErrInstant = errors.New("invalid instant")

// Expiry is when a signal of the date expires by default: the start of the next
// day in the product's zone.
func Expiry(d Date, zone *time.Location) time.Time { return d.AddDays(1).Start(zone) }

// FormatInstant renders an instant as it is stored: 2026-07-02T07:00:00.000Z.
func FormatInstant(t time.Time) string { return t.UTC().Format(instantLayout) }

// ParseInstant reads an instant in ISO 8601, to the millisecond. The error is
// ErrInstant.
func ParseInstant(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w %q: expected ISO 8601 such as 2026-07-02T07:00:00.000Z", ErrInstant, s)
	}
	return t.UTC().Truncate(time.Millisecond), nil
}
