package signal_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestExpiry(t *testing.T) {
	t.Parallel()
	tests := []struct{ zone, date, want string }{
		// The example of the signal's first description.
		{"UTC", "2026-07-01", "2026-07-02T00:00:00.000Z"},
		{"America/Vancouver", "2026-07-01", "2026-07-02T07:00:00.000Z"},
		// British Columbia keeps -07:00 in winter from 2026 on.
		{"America/Vancouver", "2027-01-15", "2027-01-16T07:00:00.000Z"},
		{"America/Vancouver", "2026-01-15", "2026-01-16T08:00:00.000Z"},
		{"America/Vancouver", "2026-12-31", "2027-01-01T07:00:00.000Z"},
		{"America/Sao_Paulo", "2018-11-03", "2018-11-04T03:00:00.000Z"},
		{"Pacific/Apia", "2011-12-29", "2011-12-30T10:00:00.000Z"},
	}
	for _, tt := range tests {
		t.Run(tt.zone+" "+tt.date, func(t *testing.T) {
			t.Parallel()
			if got := signal.FormatInstant(signal.Expiry(date(t, tt.date), zone(t, tt.zone))); got != tt.want {
				t.Errorf("Expiry() = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFormatInstant(t *testing.T) {
	t.Parallel()
	vancouver := zone(t, "America/Vancouver")
	for want, at := range map[string]time.Time{
		"2026-07-02T07:00:00.000Z": time.Date(2026, 7, 2, 0, 0, 0, 0, vancouver),
		"2026-07-02T07:00:00.001Z": time.Date(2026, 7, 2, 7, 0, 0, 1e6, time.UTC),
		"2026-07-02T07:00:00.999Z": time.Date(2026, 7, 2, 7, 0, 0, 999_999_999, time.UTC),
		"0001-01-01T00:00:00.000Z": {},
	} {
		if got := signal.FormatInstant(at); got != want {
			t.Errorf("FormatInstant(%v) = %s, want %s", at, got, want)
		}
	}
}

func TestParseInstant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-07-02T07:00:00.000Z":       "2026-07-02T07:00:00.000Z",
		"2026-07-02T07:00:00Z":           "2026-07-02T07:00:00.000Z",
		"2026-07-02T00:00:00-07:00":      "2026-07-02T07:00:00.000Z",
		"2026-07-02T07:00:00.123456789Z": "2026-07-02T07:00:00.123Z",
	} {
		got, err := signal.ParseInstant(text)
		if err != nil || got.Format(time.RFC3339Nano) != strings.Replace(want, ".000Z", "Z", 1) || got.Location() != time.UTC {
			t.Errorf("ParseInstant(%q) = %v, %v, want %s in UTC", text, got, err, want)
		}
	}
	for _, text := range []string{"", "2026-07-02", "2026-07-02T07:00:00", "2026-07-02 07:00:00Z", "1782975600", "2026-07-02T25:00:00Z", "2026-02-30T07:00:00Z"} {
		if got, err := signal.ParseInstant(text); !errors.Is(err, signal.ErrInstant) {
			t.Errorf("ParseInstant(%q) = %v, %v, want ErrInstant", text, got, err)
		}
	}
}

// Conditions compare instants as text.
func TestFormatInstant_sortsAsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		instants := rapid.Int64Range(0, 4102444800_000)
		a := time.UnixMilli(instants.Draw(t, "a"))
		b := a.Add(time.Duration(rapid.Int64Range(-5000, 5000).Draw(t, "ms")) * time.Millisecond)
		if rapid.Bool().Draw(t, "far apart") {
			b = time.UnixMilli(instants.Draw(t, "b"))
		}
		x, y := signal.FormatInstant(a), signal.FormatInstant(b)
		if (x < y) != a.Before(b) || (x == y) != a.Equal(b) {
			t.Errorf("%s and %s do not sort as %v and %v", x, y, a, b)
		}
		if back, err := signal.ParseInstant(x); err != nil || !back.Equal(a) {
			t.Errorf("ParseInstant(%s) = %v, %v", x, back, err)
		}
	})
}

// What is read as an instant is written in one way, which sorts as time does.
func FuzzParseInstant(f *testing.F) {
	for _, s := range []string{"2026-07-02T07:00:00.000Z", "2026-07-02T07:00:00Z", "2026-07-02T07:00:00.1234+02:00", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", ""} {
		f.Add(s, int64(1))
	}
	f.Fuzz(func(t *testing.T, s string, ms int64) {
		at, err := signal.ParseInstant(s)
		if err != nil {
			if !errors.Is(err, signal.ErrInstant) {
				t.Errorf("ParseInstant(%q) = %v, want ErrInstant", s, err)
			}
			return
		}
		written := signal.FormatInstant(at)
		again, err := signal.ParseInstant(written)
		if at.Year() < 0 || at.Year() > 9999 {
			return
		}
		if err != nil || !again.Equal(at) || signal.FormatInstant(again) != written {
			t.Errorf("ParseInstant(%q) is written as %q, which reads as %v, %v", s, written, again, err)
		}
		later := at.Add(time.Duration(ms%1e12) * time.Millisecond)
		if later.Year() >= 0 && later.Year() <= 9999 && at.Before(later) != (written < signal.FormatInstant(later)) {
			t.Errorf("%q and %q are not in the order of their times", written, signal.FormatInstant(later))
		}
	})
}
