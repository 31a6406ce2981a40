package signal_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/golden"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestGolden_seededSignal(t *testing.T) {
	t.Parallel()
	want := golden.Item(t, "signal-seeded")
	got, ok := seedGolden(t).Apply(nil)
	if !ok {
		t.Fatal("the seed was refused")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("seeded signal (-want +got):\n%s", diff)
	}
}

func TestGolden_signalInUse(t *testing.T) {
	t.Parallel()
	bucket, err := signal.ParseBucket(golden.Item(t, "cadence-bucket"))
	if err != nil {
		t.Fatal(err)
	}
	bucket.Shards, bucket.Checks = 1, signal.DefaultChecks()
	key := goldenDay().Key()
	at := func(clock string) time.Time { return instant(t, "2026-06-30T"+clock+"Z") }
	item := golden.Item(t, "signal-seeded")
	send := func(w protocol.Write) {
		t.Helper()
		next, ok := w.Apply(item)
		if !ok {
			t.Fatalf("%s was refused for %v", w.Op, item)
		}
		item = next
	}
	check := func(id, clock string, o protocol.Outcome) {
		t.Helper()
		c := protocol.NewCheck(key, bucket, id, at(clock))
		send(c.Write())
		send(c.Applied(item).Computed(o).Write())
	}

	check("first", "12:00:00.5", protocol.Outcome{Value: "low", AsOf: at("12:00:01.5")})
	send(protocol.Flip(key, at("12:04:00")))
	check("second", "12:04:30", protocol.Outcome{Kind: protocol.Fault, NotBefore: at("12:04:59")})
	send(protocol.NewCheck(key, bucket, "2f9d3c5e8a714b06", at("12:05:00")).Write())

	if diff := cmp.Diff(golden.Item(t, "signal-in-use"), item); diff != "" {
		t.Errorf("signal in use (-want +got):\n%s", diff)
	}
}

func TestGolden_signalsAreRead(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"signal-seeded", "signal-in-use"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			item := golden.Item(t, file)
			day, err := signal.ParseKey(signal.Key{PK: item.Text("pk"), SK: item.Text("sk")})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(goldenDay(), day); diff != "" {
				t.Errorf("key (-want +got):\n%s", diff)
			}
			pattern, err := signal.ParsePattern(item["availabilityEstimationPattern"])
			if err != nil {
				t.Fatal(err)
			}
			want := signal.Pattern{Mode: signal.Tiered, Cadence: signal.Cadence{Minutes: 5}, Tiers: signal.DefaultTiers()}
			if diff := cmp.Diff(want, pattern, exactFractions); diff != "" {
				t.Errorf("pattern (-want +got):\n%s", diff)
			}
		})
	}
}

// Signals that other tools have written are read, whatever they lack: this one
// has a slip in its key, no bucket, no rev, no ttl, and a tier where the mode
// says that there is a count.
func TestGolden_foreignSignalIsRead(t *testing.T) {
	t.Parallel()
	item := golden.Item(t, "signal-foreign")
	day, err := signal.ParseKey(signal.Key{PK: item.Text("pk"), SK: item.Text("sk")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(goldenDay(), day); diff != "" {
		t.Errorf("key (-want +got):\n%s", diff)
	}
	pattern, err := signal.ParsePattern(item["availabilityEstimationPattern"])
	if err != nil {
		t.Fatal(err)
	}
	want := signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{ID: "5min", Label: "Every 5 minutes"}}
	if diff := cmp.Diff(want, pattern, exactFractions); diff != "" {
		t.Errorf("pattern (-want +got):\n%s", diff)
	}
	if protocol.Expired(item, instant(t, "2026-07-01T23:59:59.999Z")) || !protocol.Expired(item, instant(t, "2026-07-02T00:00:00Z")) {
		t.Error("it expires at its expiry, though it has no ttl")
	}
}

func TestGolden_cadenceBucket(t *testing.T) {
	t.Parallel()
	want := signal.Bucket{
		Format:             1,
		Name:               "5min",
		Cadence:            signal.Cadence{Minutes: 5},
		ScheduleExpression: "rate(5 minutes)",
		Shards:             4,
		RuleARN:            "arn:aws:events:ca-central-1:123456789012:rule/availability-parks-5min",
		Enabled:            true,
		Checks: signal.Checks{
			Concurrency: 16, Lease: 90 * time.Second, MaxAttempts: 5, WriteBudget: 150, MaxStaleness: 12 * time.Hour,
		},
		GlobalID: "0b9e4a52-93c4-4d07-8f6e-3a5de1c8b790",
	}
	item := golden.Item(t, "cadence-bucket")
	got, err := signal.ParseBucket(item)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bucket as read (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(item, want.Item()); diff != "" {
		t.Errorf("registry item as written (-want +got):\n%s", diff)
	}
}

func goldenDay() signal.ProductDate {
	return signal.ProductDate{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"},
		Date:    signal.Date{Year: 2026, Month: time.July, Day: 1},
	}
}

func seedGolden(t *testing.T) protocol.Write {
	t.Helper()
	vancouver, err := signal.LoadZone("America/Vancouver")
	if err != nil {
		t.Fatal(err)
	}
	day := goldenDay()
	return protocol.Seed(protocol.Seeding{
		ProductDate: day,
		GSIPK:       signal.BucketID("5min"),
		GlobalID:    "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b",
		Pattern:     signal.Pattern{Mode: signal.Tiered, Cadence: signal.Cadence{Minutes: 5}, Tiers: signal.DefaultTiers()},
		Expiry:      signal.Expiry(day.Date, vancouver),
		SeededBy:    "terraform:c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b",
		Value:       "high",
		Dirty:       true,
	}, instant(t, "2026-06-29T08:00:00Z"))
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := signal.ParseInstant(text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
