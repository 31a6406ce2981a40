package iampolicy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const typeName = "availability_iam_policy_document"

// text is the policy of a role, with what else is given, as it is rendered.
func text(t *testing.T, role, table string, more acctest.Config) string {
	t.Helper()
	c := merged(acctest.Config{"role": role, "table_arn": tableARN(table)}, more)
	values, errs := acctest.NewServer(t, acctest.Config{"region": region}).Read(typeName, c)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	text := values["json"].(string)
	// What IAM takes as a managed policy.
	if len(text) > 6144 {
		t.Errorf("it has %d characters", len(text))
	}
	return text
}

func render(t *testing.T, role, table string, more acctest.Config) policy {
	t.Helper()
	return parsePolicy(t, text(t, role, table, more))
}

var camp = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}

func on(day int) signal.ProductDate {
	return signal.ProductDate{Product: camp, Date: signal.Date{Year: 2090, Month: time.July, Day: 1}.AddDays(day - 1)}
}

// world is a table with the buckets 5min and 15min, and what others do in it.
type world struct {
	t      *testing.T
	table  string
	client *dynamodb.Client
	store  *dynamo.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	client := acctest.DynamoDB(t)
	w := &world{t: t, client: client, table: acctest.Table(t)}
	w.store = dynamo.NewStore(client, w.table)
	return w
}

// register makes a bucket of which every clean signal is audited in every run.
func (w *world) register(name string, minutes, shards int) {
	w.t.Helper()
	checks := signal.DefaultChecks()
	checks.MaxStaleness = time.Minute
	w.must(dynamo.NewRegistry(w.store).Create(w.t.Context(), signal.Bucket{
		Name: name, Cadence: signal.Cadence{Minutes: minutes}, ScheduleExpression: "rate(5 minutes)", Shards: shards,
		Enabled: true, Checks: checks, GlobalID: "bucket-" + name,
	}))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// seed seeds a signal, changed as given.
func (w *world) seed(day int, change signal.Item) {
	w.t.Helper()
	d := on(day)
	write := protocol.Seed(protocol.Seeding{
		ProductDate: d, GSIPK: signal.BucketID("5min"), GlobalID: "signal-" + d.Date.String(), Pattern: signal.Pattern{Mode: signal.Exact},
		Expiry: signal.Expiry(d.Date, time.UTC), SeededBy: "test", Dirty: true,
	}, time.Now())
	for name, v := range change {
		write.Item[name] = v
		if !v.Exists() {
			delete(write.Item, name)
		}
	}
	w.put(w.table, write.Item)
}

func (w *world) put(table string, item signal.Item) {
	w.t.Helper()
	key := signal.Key{PK: item.Text("pk"), SK: item.Text("sk")}
	_, err := dynamo.NewStore(w.client, table).Write(w.t.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item})
	w.must(err)
}

// through is a client that goes through a recorder.
func (r *recorder) client() *dynamodb.Client {
	r.t.Helper()
	cfg, err := config.LoadDefaultConfig(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(r.url) })
}

func TestPolicy_writer(t *testing.T) {
	t.Parallel()
	r, w := newRecorder(t), newWorld(t)
	w.seed(1, signal.Item{"gsisk": signal.S("clean")})
	client := r.client()
	flips := flip.New(client, w.table)
	w.must(flips.Flip(t.Context(), on(1).Key()))
	w.must(flips.Flip(t.Context(), on(1).Key()))
	w.must(flips.Blind(t.Context(), on(1).Key()))
	_, err := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{flips.TransactItem(on(1).Key())}})
	w.must(err)
	holdMinimal(t, render(t, "writer", w.table, nil), r.take())
}

func TestPolicy_reader(t *testing.T) {
	t.Parallel()
	r, w := newRecorder(t), newWorld(t)
	w.register("5min", 5, 1)
	w.seed(1, nil)
	reader := read.New(r.client(), w.table)
	_, err := reader.Range(t.Context(), camp, on(1).Date, on(30).Date)
	w.must(err)
	_, err = reader.Each(t.Context(), on(1), on(2))
	w.must(err)
	_, err = reader.ByGlobalID(t.Context(), "signal-"+on(1).Date.String())
	w.must(err)
	_, err = reader.Bucket(t.Context(), "5min")
	w.must(err)
	for _, err := range reader.InBucket(t.Context(), "5min", read.Any) {
		w.must(err)
	}
	holdMinimal(t, render(t, "reader", w.table, nil), r.take())
}

// terraform is the resources that Terraform manages in a table.
type terraform struct {
	t                      *testing.T
	bucket, single, season *acctest.Driver
}

func manage(t *testing.T, settings acctest.Config) terraform {
	t.Helper()
	return terraform{
		t:      t,
		bucket: acctest.NewDriver(t, "availability_cadence_bucket", settings),
		single: acctest.NewDriver(t, "availability_signal", settings),
		season: acctest.NewDriver(t, "availability_signal_range", settings),
	}
}

func (tf terraform) apply(d *acctest.Driver, config acctest.Config) {
	tf.t.Helper()
	if errs := d.Apply(config); len(errs) > 0 {
		tf.t.Fatal(errs)
	}
}

func bucketConfig(more acctest.Config) acctest.Config {
	return merged(acctest.Config{
		"name": "5min", "cadence": acctest.Config{"minutes": 5},
		"target": acctest.Config{"arn": "arn:aws:lambda:" + region + ":000000000000:function:availability"},
		"tags":   acctest.Config{"team": "parks"},
	}, more)
}

func signalConfig(more acctest.Config) acctest.Config {
	return merged(acctest.Config{
		"collection_id": "mockPark1", "activity_type": "backcountryCamp", "activity_id": "1", "product_id": "1", "cadence_bucket": "5min",
		"initial_state": "dirty", "availability_estimation_pattern": acctest.Config{"estimation_mode": "exact"},
	}, more)
}

func merged(a, b acctest.Config) acctest.Config {
	all := acctest.Config{}
	for _, c := range []acctest.Config{a, b} {
		for name, v := range c {
			all[name] = v
		}
	}
	return all
}

func single(more acctest.Config) acctest.Config {
	return signalConfig(merged(acctest.Config{"date": "2090-06-01", "initial_value": "none"}, more))
}

func season(first, last string, more acctest.Config) acctest.Config {
	return signalConfig(merged(acctest.Config{"start_date": first, "end_date": last}, more))
}

func TestPolicy_planner(t *testing.T) {
	t.Parallel()
	r, w := newRecorder(t), newWorld(t)
	tf := manage(t, r.settings(w.table))
	configs := map[*acctest.Driver]acctest.Config{
		tf.bucket: bucketConfig(acctest.Config{"force_destroy": true}),
		tf.single: single(nil), tf.season: season("2090-07-01", "2090-07-03", nil),
	}
	for _, d := range []*acctest.Driver{tf.bucket, tf.single, tf.season} {
		tf.apply(d, configs[d])
	}
	r.take()
	for d, c := range configs {
		if action, _, errs := d.Plan(c); len(errs) > 0 || action != acctest.NoOp {
			t.Fatalf("plan: %s, %q", action, errs)
		}
	}
	s := acctest.NewServer(t, r.settings(w.table))
	parts := acctest.Config{"collection_id": "mockPark1", "activity_type": "backcountryCamp", "activity_id": "1", "product_id": "1"}
	for _, data := range []struct {
		typeName string
		config   acctest.Config
	}{
		{"availability_signal", merged(parts, acctest.Config{"date": "2090-06-01"})},
		{"availability_signal", acctest.Config{"global_id": tf.single.State()["global_id"]}},
		{"availability_signals", merged(parts, acctest.Config{"start_date": "2090-07-01", "end_date": "2090-07-03"})},
		{"availability_signals", acctest.Config{"cadence_bucket": "5min", "state": "any"}},
		{"availability_cadence_bucket", acctest.Config{"name": "5min"}},
	} {
		if _, errs := s.Read(data.typeName, data.config); len(errs) > 0 {
			t.Errorf("%s: %q", data.typeName, errs)
		}
	}
	holdMinimal(t, render(t, "planner", w.table, nil), r.take())
	for _, d := range []*acctest.Driver{tf.season, tf.single, tf.bucket} {
		if errs := d.Destroy(); len(errs) > 0 {
			t.Error(errs)
		}
	}
}

func TestPolicy_seeder(t *testing.T) {
	t.Parallel()
	r, w := newRecorder(t), newWorld(t)
	tf := manage(t, r.settings(w.table))
	tf.apply(tf.bucket, bucketConfig(nil))
	tf.apply(tf.bucket, bucketConfig(acctest.Config{"cadence": acctest.Config{"minutes": 10}, "tags": acctest.Config{"owner": "parks"}}))

	later := manage(t, r.settings(w.table)).bucket
	tf.apply(later, bucketConfig(acctest.Config{"name": "15min"}))

	tf.apply(tf.single, single(nil))
	tf.apply(tf.single, single(acctest.Config{"cadence_bucket": "15min"}))
	tf.apply(tf.single, single(acctest.Config{"expiry": "2090-06-03T00:00:00Z", "availability_estimation_pattern": acctest.Config{"estimation_mode": "tiered"}}))
	tf.apply(tf.single, single(acctest.Config{"availability_estimation_pattern": acctest.Config{"estimation_mode": "tiered", "tiers": []any{
		acctest.Config{"id": "all", "label": "All", "max_percentage": 1},
	}}}))

	tf.apply(tf.season, season("2090-07-01", "2090-07-04", nil))
	w.seed(8, signal.Item{"seededBy": {}, "globalId": {}})
	tf.apply(tf.season, season("2090-07-02", "2090-07-08", acctest.Config{"adopt_existing": true, "availability_estimation_pattern": acctest.Config{"estimation_mode": "tiered"}}))

	s := acctest.NewServer(t, r.settings(w.table))
	parts := acctest.Config{"collection_id": "mockPark1", "activity_type": "backcountryCamp", "activity_id": "1", "product_id": "1"}
	for _, config := range []acctest.Config{
		merged(parts, acctest.Config{"date": "2090-06-01"}), merged(parts, acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-08"}),
		{"cadence_bucket": "5min"},
	} {
		if _, errs := s.Invoke("availability_mark_dirty", config); len(errs) > 0 {
			t.Error(errs)
		}
	}
	for _, data := range []struct {
		typeName string
		config   acctest.Config
	}{
		{"availability_signal", acctest.Config{"global_id": tf.single.State()["global_id"]}},
		{"availability_signals", merged(parts, acctest.Config{"start_date": "2090-07-01", "end_date": "2090-07-03"})},
		{"availability_cadence_bucket", acctest.Config{"name": "5min"}},
	} {
		if _, errs := s.Read(data.typeName, data.config); len(errs) > 0 {
			t.Errorf("%s: %q", data.typeName, errs)
		}
	}
	if errs := tf.bucket.Destroy(); len(errs) != 1 {
		t.Errorf("the destroy of a bucket with signals: %q", errs)
	}
	w.put(w.table, signal.Item{"pk": signal.S("cadenceBucket::5min"), "sk": signal.S("run")})
	for _, d := range []*acctest.Driver{tf.season, tf.single, tf.bucket, later} {
		if errs := d.Destroy(); len(errs) > 0 {
			t.Error(errs)
		}
	}
	recorded := r.take()
	p := render(t, "seeder", w.table, nil)
	holdMinimal(t, p, recorded)
	// Terraform owns what it seeds, and nothing else: not what the runtime computes,
	// nor what is the platform's.
	for _, r := range recorded {
		if r.action != "dynamodb:UpdateItem" {
			continue
		}
		for _, attribute := range []string{"value", "lastUpdatedAt", "claimedBy", "claimedRev", "leaseUntil", "attempts", "notBefore", "price"} {
			if written := r.with("dynamodb:Attributes", append(slices.Clone(r.context["dynamodb:Attributes"]), attribute)...); p.allows(written) {
				t.Errorf("allowed: %s", written)
			}
		}
	}
}
