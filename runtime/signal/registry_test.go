package signal_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func registered() signal.Bucket {
	return signal.Bucket{
		Format:             1,
		Name:               "1h",
		Cadence:            signal.Cadence{Hours: 1},
		ScheduleExpression: "rate(1 hour)",
		Shards:             1,
		RuleARN:            "arn:aws:events:ca-central-1:123456789012:rule/availability-parks-1h",
		Enabled:            true,
		Checks:             signal.DefaultChecks(),
		GlobalID:           "0b9e4a52-93c4-4d07-8f6e-3a5de1c8b790",
	}
}

func TestRegistryKeys(t *testing.T) {
	t.Parallel()
	if got, want := signal.RegistryKey("5min"), (signal.Key{PK: "cadenceBucket::5min", SK: "cadenceBucket"}); got != want {
		t.Errorf("RegistryKey() = %v, want %v", got, want)
	}
	if got, want := signal.RunKey("5min"), (signal.Key{PK: "cadenceBucket::5min", SK: "run"}); got != want {
		t.Errorf("RunKey() = %v, want %v", got, want)
	}
}

func TestDefaultChecks(t *testing.T) {
	t.Parallel()
	want := signal.Checks{Concurrency: 32, Lease: 2 * time.Minute, MaxAttempts: 8, WriteBudget: 200, MaxStaleness: 24 * time.Hour}
	if diff := cmp.Diff(want, signal.DefaultChecks()); diff != "" {
		t.Errorf("DefaultChecks() (-want +got):\n%s", diff)
	}
}

func TestBucket_roundTrip(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*signal.Bucket){
		"as it is": func(*signal.Bucket) {},
		"cron": func(b *signal.Bucket) {
			b.Name, b.Cadence, b.ScheduleExpression = "nightly", signal.Cadence{ID: "nightly"}, "cron(0 10 * * ? *)"
		},
		"disabled":              func(b *signal.Bucket) { b.Enabled = false },
		"sixteen shards":        func(b *signal.Bucket) { b.Shards = 16 },
		"audit turned off":      func(b *signal.Bucket) { b.Checks.MaxStaleness = 0 },
		"every setting its own": func(b *signal.Bucket) { b.Checks = signal.Checks{1, time.Second, 1, 1, time.Minute} },
		"no rule yet":           func(b *signal.Bucket) { b.RuleARN = "" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := registered()
			change(&want)
			got, err := signal.ParseBucket(want.Item())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("bucket (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseBucket_absentSettings(t *testing.T) {
	t.Parallel()
	item := signal.Item{
		"pk": signal.S("cadenceBucket::1h"), "sk": signal.S("cadenceBucket"), "schema": signal.S("cadenceBucket"),
		"format": signal.N(1), "cadence": fields("hours", signal.N(1)),
	}
	want := signal.Bucket{
		Format: 1, Name: "1h", Cadence: signal.Cadence{Hours: 1}, Shards: 1, Enabled: true, Checks: signal.DefaultChecks(),
	}
	got, err := signal.ParseBucket(item)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bucket (-want +got):\n%s", diff)
	}
}

// Neighbouring releases of one format work together both ways.
func TestParseBucket_unknownIsIgnored(t *testing.T) {
	t.Parallel()
	want := registered()
	item := want.Item()
	item["drainUntil"] = signal.S("2030-01-01T00:00:00.000Z")
	item["owners"] = signal.Other()
	checks, _ := want.Checks.Value().Fields()
	checks["probeCount"] = signal.N(10)
	item["checks"] = signal.M(checks)
	got, err := signal.ParseBucket(item)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bucket (-want +got):\n%s", diff)
	}
}

func TestParseBucket_settingsThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]signal.Value{
		"zero": signal.N(0), "negative": signal.N(-1), "text": signal.S("16"), "a fraction": signal.Decimal("1.5"),
		"null": signal.Null(), "more than a duration": signal.N(math.MaxInt64),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			item := registered().Item()
			item["checks"] = fields("concurrency", n, "leaseSeconds", n, "maxAttempts", n, "writeBudget", n)
			got, err := signal.ParseBucket(item)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(signal.DefaultChecks(), got.Checks); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
		})
	}
	for given, want := range map[int64]int{-1: 1, 0: 1, 1: 1, 16: 16, 17: 16, math.MaxInt64: 16} {
		item := registered().Item()
		item["shards"] = signal.N(given)
		if got, err := signal.ParseBucket(item); err != nil || got.Shards != want {
			t.Errorf("%d shards are read as %d, %v, want %d", given, got.Shards, err, want)
		}
	}
}

func TestParseBucket_newerFormat(t *testing.T) {
	t.Parallel()
	item := registered().Item()
	item["format"] = signal.N(2)
	// Whatever else a newer release has changed, this is what is said.
	item["cadence"] = signal.Other()
	item["checks"] = signal.S("elsewhere")
	_, err := signal.ParseBucket(item)
	if !errors.Is(err, signal.ErrFormat) || errors.Is(err, signal.ErrRegistry) {
		t.Fatalf("ParseBucket() = %v, want ErrFormat", err)
	}
	want := "registry item has format 2, this release reads format 1: written by a newer release; " +
		"install the release of availability that wrote it, or a later one"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

func TestParseBucket_invalid(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, attr string
		value      signal.Value
		want       string
	}{
		{"another schema", "schema", signal.S("availabilitySignal"), `invalid registry item: its schema is "availabilitySignal", not "cadenceBucket"`},
		{"no schema", "schema", signal.Value{}, `invalid registry item: its schema is "", not "cadenceBucket"`},
		{"no format", "format", signal.Value{}, "invalid registry item: it has no format number"},
		{"format in text", "format", signal.S("1"), "invalid registry item: it has no format number"},
		{"format 0", "format", signal.N(0), "invalid registry item: it has no format number"},
		{"another pk", "pk", signal.S("bucket::1h"), `invalid registry item: invalid bucket name: bucket ID "bucket::1h" does not begin with "cadenceBucket::"`},
		{
			"a shard's pk", "pk", signal.S("cadenceBucket::1h::1"),
			`invalid registry item: invalid bucket name "1h::1": expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min`,
		},
		{"no cadence", "cadence", signal.Value{}, `invalid registry item: read cadence: expected {minutes: 5}, {id: "5min"} or "5min"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			item := registered().Item()
			item[tt.attr] = tt.value
			if !tt.value.Exists() {
				delete(item, tt.attr)
			}
			_, err := signal.ParseBucket(item)
			if !errors.Is(err, signal.ErrRegistry) || errors.Is(err, signal.ErrFormat) {
				t.Fatalf("ParseBucket() = %v, want ErrRegistry", err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := signal.ParseBucket(nil); !errors.Is(err, signal.ErrRegistry) {
		t.Errorf("ParseBucket(nil) = %v, want ErrRegistry", err)
	}
}

func FuzzParseBucket(f *testing.F) {
	f.Add("cadenceBucket::5min", "cadenceBucket", "1", "5", "", "4", "90", "true")
	f.Add("cadenceBucket::nightly", "cadenceBucket", "1", "", "nightly", "16", "-1", "")
	f.Add("cadenceBucket::5min", "cadenceBucket", "2", "5", "", "", "", "false")
	f.Add("cadenceBucket::5min", "cadenceBucket", "1", "100001", "", "9223372036854775807", "9223372036854775807", "x")
	f.Fuzz(func(t *testing.T, pk, schema, format, minutes, id, shards, setting, enabled string) {
		item := signal.Item{
			"pk": signal.S(pk), "schema": signal.S(schema), "format": signal.Decimal(format),
			"cadence": fields("minutes", signal.Decimal(minutes), "id", signal.S(id)),
			"shards":  signal.Decimal(shards), "enabled": signal.Bool(enabled == "true"),
			"checks": fields("concurrency", signal.Decimal(setting), "leaseSeconds", signal.Decimal(setting),
				"maxStalenessMinutes", signal.Decimal(setting)),
		}
		if minutes == "" {
			item["cadence"] = signal.S(id)
		}
		b, err := signal.ParseBucket(item)
		if err != nil {
			if !errors.Is(err, signal.ErrRegistry) && !errors.Is(err, signal.ErrFormat) {
				t.Errorf("ParseBucket() = %v, want ErrRegistry or ErrFormat", err)
			}
			return
		}
		if b.Shards < 1 || b.Shards > signal.MaxShards || b.Checks.Concurrency < 1 || b.Checks.Lease <= 0 || b.Checks.MaxStaleness < 0 {
			t.Errorf("ParseBucket() = %+v, which cannot be run", b)
		}
		again, err := signal.ParseBucket(b.Item())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(b, again); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
	})
}
