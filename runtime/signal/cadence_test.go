package signal_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func fields(pairs ...any) signal.Value {
	m := map[string]signal.Value{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(signal.Value)
	}
	return signal.M(m)
}

func TestParseCadence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		value    signal.Value
		want     signal.Cadence
		duration time.Duration
		bucket   string
	}{
		{"minutes", fields("minutes", signal.N(5)), signal.Cadence{Minutes: 5}, 5 * time.Minute, "5min"},
		{"hours", fields("hours", signal.N(1)), signal.Cadence{Hours: 1}, time.Hour, "1h"},
		{"days", fields("days", signal.N(2)), signal.Cadence{Days: 2}, 48 * time.Hour, "2d"},
		{"an hour in minutes", fields("minutes", signal.N(60)), signal.Cadence{Minutes: 60}, time.Hour, "1h"},
		{"a day in minutes", fields("minutes", signal.N(1440)), signal.Cadence{Minutes: 1440}, 24 * time.Hour, "1d"},
		{"a day and a half in hours", fields("hours", signal.N(36)), signal.Cadence{Hours: 36}, 36 * time.Hour, "36h"},
		{"an hour and a half", fields("hours", signal.N(1), "minutes", signal.N(30)), signal.Cadence{Hours: 1, Minutes: 30}, 90 * time.Minute, "90min"},
		{"units that are null", fields("minutes", signal.N(5), "hours", signal.Null(), "days", signal.Null()), signal.Cadence{Minutes: 5}, 5 * time.Minute, "5min"},
		{
			"id and label", fields("id", signal.S("5min"), "label", signal.S("Every 5 minutes")),
			signal.Cadence{ID: "5min", Label: "Every 5 minutes"},
			0, "5min",
		},
		{"an id of its own", fields("id", signal.S("nightly")), signal.Cadence{ID: "nightly"}, 0, "nightly"},
		{"a duration with an id goes by the id", fields("minutes", signal.N(5), "id", signal.S("fast")), signal.Cadence{Minutes: 5, ID: "fast"}, 5 * time.Minute, "fast"},
		{"a bare label", signal.S("5min"), signal.Cadence{ID: "5min"}, 0, "5min"},
		{"what else there is", fields("minutes", signal.N(5), "jitter", signal.Other()), signal.Cadence{Minutes: 5}, 5 * time.Minute, "5min"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := signal.ParseCadence(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("cadence (-want +got):\n%s", diff)
			}
			if d := got.Duration(); d != tt.duration {
				t.Errorf("Duration() = %v, want %v", d, tt.duration)
			}
			if name, err := got.BucketName(); name != tt.bucket || err != nil {
				t.Errorf("BucketName() = %q, %v, want %q", name, err, tt.bucket)
			}
		})
	}
}

func TestParseCadence_invalid(t *testing.T) {
	t.Parallel()
	const whole = "read cadence: minutes must be a whole number of at least 1"
	tests := []struct {
		name  string
		value signal.Value
		want  string
	}{
		{"absent", signal.Value{}, `read cadence: expected {minutes: 5}, {id: "5min"} or "5min"`},
		{"a number", signal.N(5), `read cadence: expected {minutes: 5}, {id: "5min"} or "5min"`},
		{"empty text", signal.S(""), "read cadence: it is empty text"},
		{"an empty map", fields(), "read cadence: it has neither minutes, hours, days nor an id"},
		{"a label alone", fields("label", signal.S("Every 5 minutes")), "read cadence: it has neither minutes, hours, days nor an id"},
		{"zero", fields("minutes", signal.N(0)), whole},
		{"negative", fields("minutes", signal.N(-5)), whole},
		{"a fraction", fields("minutes", signal.Decimal("2.5")), whole},
		{"a number in text", fields("minutes", signal.S("5")), whole},
		{"too long for a duration", fields("days", signal.N(1_000_000)), "read cadence: days must be at most 100000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := signal.ParseCadence(tt.value)
			if err == nil {
				t.Fatalf("ParseCadence() = %+v, want an error", got)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCadence_bucketNameInvalid(t *testing.T) {
	t.Parallel()
	for _, c := range []signal.Cadence{{}, {Label: "Every 5 minutes"}, {ID: "Every 5 minutes"}, {Minutes: -5}} {
		if name, err := c.BucketName(); !errors.Is(err, signal.ErrBucketName) {
			t.Errorf("BucketName() of %+v = %q, %v, want ErrBucketName", c, name, err)
		}
	}
}

func TestCadence_value(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		cadence signal.Cadence
		want    signal.Value
	}{
		{signal.Cadence{Minutes: 5}, fields("minutes", signal.N(5))},
		{signal.Cadence{Hours: 1, Minutes: 30}, fields("hours", signal.N(1), "minutes", signal.N(30))},
		{signal.Cadence{ID: "nightly"}, fields("id", signal.S("nightly"))},
		{signal.Cadence{ID: "5min", Label: "Every 5 minutes"}, fields("id", signal.S("5min"), "label", signal.S("Every 5 minutes"))},
	} {
		if diff := cmp.Diff(tt.want, tt.cadence.Value()); diff != "" {
			t.Errorf("Value() of %+v (-want +got):\n%s", tt.cadence, diff)
		}
	}
}

func FuzzParseCadence(f *testing.F) {
	f.Add("", "5", "", "", "", "")
	f.Add("5min", "", "", "", "", "")
	f.Add("", "", "1", "", "1h", "Every hour")
	f.Add("", "100000", "100000", "100000", "", "")
	f.Add("", "5e0", "-1", "99999999999999999999", "", "\x00")
	f.Fuzz(func(t *testing.T, text, minutes, hours, days, id, label string) {
		value := signal.S(text)
		if text == "" {
			m := map[string]signal.Value{}
			for name, v := range map[string]string{"minutes": minutes, "hours": hours, "days": days} {
				if v != "" {
					m[name] = signal.Decimal(v)
				}
			}
			m["id"], m["label"] = signal.S(id), signal.S(label)
			value = signal.M(m)
		}
		c, err := signal.ParseCadence(value)
		if err != nil {
			return
		}
		if c.Duration() <= 0 && c.ID == "" {
			t.Errorf("%+v names no bucket", c)
		}
		again, err := signal.ParseCadence(c.Value())
		if err != nil || again != c {
			t.Errorf("%+v reads back as %+v, %v", c, again, err)
		}
		if name, err := c.BucketName(); err == nil && signal.ValidateBucketName(name) != nil {
			t.Errorf("%+v names the bucket %q", c, name)
		}
	})
}
