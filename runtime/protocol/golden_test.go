package protocol_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/golden"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var goldenDay = signal.ProductDate{
	Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"},
	Date:    signal.Date{Year: 2026, Month: time.July, Day: 1},
}

func instantOf(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := signal.ParseInstant(text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Every state that checks leave a signal in is written as it always was.
func TestGolden_signalStates(t *testing.T) {
	at := func(clock string) time.Time { return instantOf(t, "2026-06-30T"+clock+"Z") }
	value := protocol.Outcome{Value: "37", AsOf: at("12:00:01.5")}
	once := checkedBucket(1)
	once.Checks.MaxAttempts = 1
	for name, tt := range map[string]struct {
		outcome protocol.Outcome
		flipped bool
		settle  time.Duration
		bucket  signal.Bucket
		want    protocol.Result
	}{
		"signal-clean":       {outcome: value, want: protocol.Cleaned},
		"signal-raced":       {outcome: value, flipped: true, want: protocol.Raced},
		"signal-failed":      {outcome: protocol.Outcome{Kind: protocol.Fault, NotBefore: at("12:04:59")}, want: protocol.Failed},
		"signal-quarantined": {outcome: protocol.Outcome{Kind: protocol.Fault, NotBefore: at("12:04:59")}, bucket: once, want: protocol.Failed},
		"signal-backed-off":  {outcome: protocol.Outcome{Kind: protocol.SourceFault, NotBefore: at("12:04:59")}, want: protocol.BackedOff},
		"signal-settling": {
			outcome: protocol.Outcome{Value: "37", AsOf: at("12:00:01.5"), NotBefore: at("12:05:00")}, settle: 10 * time.Second, want: protocol.Settling,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.bucket.Name == "" {
				tt.bucket = checkedBucket(1)
			}
			item := applied(t, protocol.Seed(protocol.Seeding{
				ProductDate: goldenDay,
				GSIPK:       signal.BucketID("5min"),
				GlobalID:    "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b",
				Pattern:     signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{Minutes: 5}},
				Expiry:      instantOf(t, "2026-07-02T07:00:00Z"),
				SeededBy:    "terraform:c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b",
				Dirty:       true,
			}, instantOf(t, "2026-06-29T08:00:00Z")), nil)

			c := protocol.NewCheck(goldenDay.Key(), tt.bucket, "2f9d3c5e8a714b06", at("12:00:00.5")).Settling(tt.settle)
			item = applied(t, c.Write(), item)
			if diff := cmp.Diff(golden.Item(t, "signal-claimed"), item); diff != "" {
				t.Errorf("claimed (-want +got):\n%s", diff)
			}
			c = c.Applied(item).Computed(tt.outcome)
			if tt.flipped {
				item = applied(t, protocol.Flip(goldenDay.Key(), at("12:00:01")), item)
				refused(t, c.Write(), item)
				c = c.Refused(item)
			}
			item = applied(t, c.Write(), item)
			if got := c.Applied(item).Result(); got != tt.want {
				t.Errorf("the check ends as %q, want %q", got, tt.want)
			}
			wantItem(t, item, golden.Item(t, name))
		})
	}
}

// Every signal of an earlier release's is taken on from the state that it is in.
func TestGolden_signalsGoOn(t *testing.T) {
	now := instantOf(t, "2026-06-30T12:05:00.001Z")
	for _, name := range golden.Names(t) {
		if !strings.HasPrefix(name, "signal-") || name == "signal-foreign" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			item := golden.Item(t, name)
			if _, fault, ok := protocol.Malformed(item, now); ok {
				t.Errorf("malformed: %s", fault)
			}
			if got, want := protocol.Quarantined(item["notBefore"]), name == "signal-quarantined"; got != want {
				t.Errorf("quarantined: %t", got)
			}
			// None is claimed since its last flip but these.
			if got, want := protocol.NeedsFlip(item), name != "signal-seeded" && name != "signal-raced"; got != want {
				t.Errorf("a change needs a flip: %t, want %t", got, want)
			}
			if name == "signal-clean" {
				item = applied(t, protocol.Flip(key(), now), item)
			}
			now := now
			if until, held := item["leaseUntil"].Int(); held {
				refused(t, protocol.Claim(key(), "next", time.UnixMilli(until-1), time.Minute), item)
				now = time.UnixMilli(max(until, now.UnixMilli()))
			}
			c := protocol.NewCheck(key(), checkedBucket(1), "next", now)
			item = applied(t, c.Write(), item)
			c = c.Applied(item).Computed(protocol.Outcome{Value: "36", AsOf: now})
			item = applied(t, c.Write(), item)
			if item.Text("gsisk") != "clean" || item.Text("value") != "36" || item["settleRev"].Exists() || item["attempts"].Exists() {
				t.Errorf("after a good check it is %v", item)
			}
		})
	}
}

func TestGolden_runHeld(t *testing.T) {
	first := applied(t, protocol.TakeRun("5min", "first", instantOf(t, "2026-06-30T12:00:00Z")), nil)
	first = applied(t, protocol.ReleaseRun("5min", "first"), first)
	held := applied(t, protocol.TakeRun("5min", "7d1f0a52c3b94e68", instantOf(t, "2026-06-30T12:05:00Z")), first)
	item := golden.Item(t, "run-held")
	wantItem(t, held, item)

	until, ok := protocol.RunHeld(item, instantOf(t, "2026-06-30T12:05:59Z"))
	if want := instantOf(t, "2026-06-30T12:06:00Z"); !ok || !until.Equal(want) {
		t.Errorf("held until %s, %t; want %s", until, ok, want)
	}
	refused(t, protocol.TakeRun("5min", "third", instantOf(t, "2026-06-30T12:05:59Z")), item)
	applied(t, protocol.TakeRun("5min", "third", instantOf(t, "2026-06-30T12:06:00Z")), item)
}

func TestGolden_auditCursor(t *testing.T) {
	began := instantOf(t, "2026-06-30T12:00:00Z")
	c := protocol.Cursor{PassStarted: began, Counted: began, Entries: 1000}
	var item signal.Item
	advance := func(passed int64, sk string, ended bool) {
		t.Helper()
		if sk != "" {
			c.After = signal.Key{PK: goldenDay.Key().PK, SK: sk}
		}
		c.Passed, c.Ended = passed, ended
		var w protocol.Write
		w, c = protocol.Advance("5min", 3, c)
		item = applied(t, w, item)
	}
	advance(0, "", false)
	for _, next := range []struct {
		name, sk string
		passed   int64
		ended    bool
	}{{"audit-under-way", "2026-07-01", 128, false}, {"audit-ended", "2026-07-02", 1000, true}} {
		advance(next.passed, next.sk, next.ended)
		wantItem(t, item, golden.Item(t, next.name))
		if read := protocol.ParseCursor(golden.Item(t, next.name)); read != c {
			t.Errorf("%s reads as %+v, want %+v", next.name, read, c)
		}
	}
}
