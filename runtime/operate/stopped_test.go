package operate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// torn is a table that refuses some reads.
type torn struct {
	*simulator.Client
	reads func(partition string) error
}

func (c torn) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if err := c.reads(in.Key[signal.AttrPK].(*types.AttributeValueMemberS).Value); err != nil {
		return nil, err
	}
	return c.Client.GetItem(ctx, in, options...)
}

func (c torn) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	for _, v := range in.ExpressionAttributeValues {
		if text, ok := v.(*types.AttributeValueMemberS); ok {
			if err := c.reads(text.Value); err != nil {
				return nil, err
			}
		}
	}
	return c.Client.Query(ctx, in, options...)
}

var errSlow = &types.ProvisionedThroughputExceededException{Message: aws.String("slow down")}

// tear has the reads of that partition refused.
func (w *world) tear(partition string) {
	store := dynamo.NewStore(torn{w.client, func(of string) error {
		if of == partition {
			return errSlow
		}
		return nil
	}}, table)
	w.store, w.operator.Signals = store, store
	w.operator.Runner.Store, w.operator.Runner.Registry = store, dynamo.NewRegistry(store)
}

// A product's signals are in several buckets, and one of them cannot be read: what
// was done about the others is told, and so is what was not.
func TestDo_stoppedAtABucket(t *testing.T) {
	t.Parallel()
	in := func(bucket string) func(signal.Item) {
		return func(i signal.Item) { i["gsipk"] = signal.S(signal.BucketID(bucket)) }
	}
	for task, want := range map[string]string{
		"check": `mockPark1/backcountryCamp/1/1 2026-07-02  cleaned: medium before, low now
mockPark1/backcountryCamp/1/1 2026-07-03  not reached: the check ended before it
mockPark1/backcountryCamp/1/1 2026-07-04  not reached: the check ended before it
stopped: check mockPark1/backcountryCamp/1/1: run bucket "30min": read bucket "30min": read "cadenceBucket::30min cadenceBucket" in table "signals": throttled: ProvisionedThroughputExceededException: slow down
what is said above was done, and stands; the rest was not checked: run it again, once the cause is gone
`,
		"audit": `mockPark1/backcountryCamp/1/1 2026-07-02  mismatched: it showed medium: nobody had flipped it
mockPark1/backcountryCamp/1/1: 1 compared, 1 wrong without a flip, 0 without a value, 0 could not be compared, 0 had nothing to compare
some writer changes inventory without a flip (or the stream is behind): see which dates, and when they were booked. They are dirty now: the next run mends the values
stopped: audit mockPark1/backcountryCamp/1/1: run bucket "30min": read bucket "30min": read "cadenceBucket::30min cadenceBucket" in table "signals": throttled: ProvisionedThroughputExceededException: slow down
what is said above was done, and stands; the rest was not compared: run it again, once the cause is gone
`,
	} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for day, bucket := range map[int]string{2: "15min", 3: "30min", 4: "5min"} {
				w.register(bucket, nil)
				w.pool(day, 1)
				w.seed(day, in(bucket))
			}
			w.tear(signal.BucketID("30min"))
			about := operate.Task{Task: task, Product: loopName}
			answer, err := w.operator.Do(t.Context(), about)
			if err != nil {
				t.Fatalf("what was done is lost: %v", err)
			}
			if diff := cmp.Diff(want, printed(w, answer)); diff != "" || !answer.Findings() {
				t.Errorf("findings %t (-want +got):\n%s", answer.Findings(), diff)
			}
			sameDecoded(w, about, answer)
			if is := w.item(2); task == "check" && is.Text("value") != "low" || task == "audit" && is.Text("gsisk") != "dirty" {
				t.Errorf("what was told was not done: %v", is)
			}

			// The first bucket of all: nothing was done, and the error is what there is to say.
			w.tear(signal.BucketID("15min"))
			if answer, err := w.operator.Do(t.Context(), about); answer != nil || !errors.Is(err, dynamo.ErrThrottled) {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
}

// The sweep of a bucket reads its shards one after another.
func TestSweep_stopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	overdue := func(shard int) func(signal.Item) {
		return func(i signal.Item) {
			i["gsipk"] = signal.S(signal.ShardKey("5min", shard))
			i["expiry"], i["ttl"] = signal.S(signal.FormatInstant(now.Add(-2*time.Hour))), signal.N(now.Add(-2*time.Hour).Unix())
		}
	}
	w.seed(2, overdue(0))
	w.seed(3, overdue(1))
	w.seed(4, overdue(3))
	w.tear(signal.ShardKey("5min", 2))
	about := operate.Task{Task: "sweep", Bucket: "5min"}
	s := do[*operate.Sweep](w, about)
	if text := printed(w, s); s.Swept != 2 || !s.Findings() || !strings.Contains(text, "bucket 5min: 2 expired an hour ago or more, 2 deleted\nstopped: sweep bucket 5min: find expired signals: ") {
		t.Errorf("%+v: %s", s, text)
	}
	sameDecoded(w, about, s)
	if w.item(2) != nil || w.item(3) != nil || w.item(4) == nil {
		t.Error("want those gone that were met before the error")
	}
	w.tear(signal.ShardKey("5min", 0))
	if answer, err := w.operator.Do(t.Context(), about); answer != nil || !errors.Is(err, dynamo.ErrThrottled) {
		t.Errorf("%+v, %v", answer, err)
	}
}

// An audit of a bucket reads page after page.
func TestAudit_stopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool(2, 12)
	w.seed(2, nil)
	w.tear(signal.ShardKey("5min", 7))
	about := operate.Task{Task: "audit", Bucket: "5min"}
	a := do[*operate.Audits](w, about)
	if text := printed(w, a); a.Audited != 1 || a.Complete || !a.Findings() || !strings.Contains(text, "stopped: audit bucket 5min: list clean signals: ") {
		t.Errorf("%+v: %s", a, text)
	}
	sameDecoded(w, about, a)
}

// One product that cannot be read keeps no other from being synced.
func TestSync_oneProductFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	terms := signal.Item{"availabilityEstimationPattern": signal.M(map[string]signal.Value{
		"estimationMode": signal.S("exact"), "cadence": signal.M(map[string]signal.Value{"minutes": signal.N(5)}),
	})}
	for _, product := range []string{"1", "2"} {
		w.put(signal.Key{PK: "product::mockPark1::backcountryCamp::1", SK: product}, signal.Item{"timezone": signal.S("America/Vancouver")})
		w.put(signal.Key{PK: "productDate::mockPark1::backcountryCamp::1::" + product, SK: "2026-07-05"}, terms)
	}
	platform := torn{w.client, func(of string) error {
		if of == "productDate::mockPark1::backcountryCamp::1::2" {
			return errSlow
		}
		return nil
	}}
	w.operator.Sync.Keeper.Platform = dynamo.NewStore(platform, table)
	about := operate.Task{Task: "sync", Collection: "mockPark1", Apply: true}
	s := do[*operate.Sync](w, about)
	if text := printed(w, s); s.Seeded != 1 || s.Failed != 1 || !s.Findings() || !strings.Contains(text, "slow down") {
		t.Errorf("%+v: %s", s, text)
	}
	sameDecoded(w, about, s)
	if w.item(5) == nil {
		t.Error("the other product's date is not seeded")
	}
}

// A task is not done by a clock that is wrong: signals would be deleted that have not
// expired, and claims end too early.
func TestDo_wrongClock(t *testing.T) {
	t.Parallel()
	tasks := []operate.Task{
		{Task: "explain", Signal: july5},
		{Task: "check", Signal: july5},
		{Task: "audit", Bucket: "5min"},
		{Task: "sweep", Bucket: "5min"},
		{Task: "sync", All: true},
	}
	for _, tt := range []struct {
		skew   time.Duration
		silent bool
		says   string
	}{
		{skew: 5 * time.Minute},
		{skew: -5 * time.Minute},
		{skew: -3 * time.Hour, silent: true},
		{skew: -3 * time.Hour, says: "3h0m0s ahead of DynamoDB's"},
		{skew: 5*time.Minute + time.Second, says: "5m1s behind DynamoDB's"},
	} {
		w := newWorld(t)
		// By a clock that is ahead it has been over for hours.
		w.seed(5, func(i signal.Item) {
			i["expiry"], i["ttl"] = signal.S(signal.FormatInstant(now.Add(time.Hour))), signal.N(now.Add(time.Hour).Unix())
		})
		w.operator.Runner.Now = func() time.Time { return now.Add(-tt.skew) }
		w.operator.Skew = func(context.Context) (time.Duration, bool) { return tt.skew, !tt.silent }
		for _, task := range tasks {
			_, err := w.operator.Do(t.Context(), task)
			if tt.says == "" {
				if err != nil {
					t.Errorf("%s, by %s: %v", task.Task, tt.skew, err)
				}
				continue
			}
			if !errors.Is(err, operate.ErrClock) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "set it right") {
				t.Errorf("%s, by %s: %v", task.Task, tt.skew, err)
			}
			if is := w.item(5); is == nil || is.Int("rev") != 3 {
				t.Errorf("%s has done something: %v", task.Task, is)
			}
		}
	}
}
