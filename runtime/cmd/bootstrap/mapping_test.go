package main_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awslambda "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// zipped is the bootstrap as a function's code.
func zipped(t *testing.T) []byte {
	t.Helper()
	code, err := os.ReadFile(build(t))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "bootstrap", Method: zip.Store}
	h.SetMode(0o755)
	f, err := z.CreateHeader(h)
	if err == nil {
		_, err = f.Write(code)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// function is the bootstrap as a deployed function.
type function struct {
	t      *testing.T
	client *awslambda.Client
	name   string
}

func deploy(t *testing.T, env map[string]string) *function {
	t.Helper()
	f := &function{t: t, name: "availability-test-" + rand.Text(), client: awslambda.New(awslambda.Options{
		Region: os.Getenv("AWS_REGION"), BaseEndpoint: aws.String(os.Getenv("AWS_ENDPOINT_URL")),
		Credentials: credentials.NewStaticCredentialsProvider(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), ""),
	})}
	architecture := types.ArchitectureX8664
	if runtime.GOARCH == "arm64" {
		architecture = types.ArchitectureArm64
	}
	_, err := f.client.CreateFunction(t.Context(), &awslambda.CreateFunctionInput{
		FunctionName: &f.name, Runtime: types.RuntimeProvidedal2023, Handler: aws.String("bootstrap"), Architectures: []types.Architecture{architecture},
		Code: &types.FunctionCode{ZipFile: zipped(t)}, Role: aws.String("arn:aws:iam::000000000000:role/" + f.name),
		Timeout: aws.Int32(60), Environment: &types.Environment{Variables: env},
	})
	if err != nil {
		t.Fatalf("create function: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if _, err := f.client.DeleteFunction(context.Background(), &awslambda.DeleteFunctionInput{FunctionName: &f.name}); err != nil {
			t.Errorf("delete function: %v", err)
		}
	})
	err = awslambda.NewFunctionActiveV2Waiter(f.client).Wait(t.Context(), &awslambda.GetFunctionInput{FunctionName: &f.name}, time.Minute)
	if err != nil {
		t.Fatalf("wait for function: %v", err)
	}
	return f
}

// reads makes a table's stream invoke the function, for what the prefixes say.
func (f *function) reads(db *dynamodb.Client, table string, prefixes ...string) {
	f.t.Helper()
	f.readsBy(db, table, "pk", prefixes...)
}

// readsBy is reads, for a table with another partition key.
func (f *function) readsBy(db *dynamodb.Client, table, hash string, prefixes ...string) {
	f.t.Helper()
	_, err := db.UpdateTable(f.t.Context(), &dynamodb.UpdateTableInput{TableName: &table, StreamSpecification: &dbtypes.StreamSpecification{
		StreamEnabled: aws.Bool(true), StreamViewType: dbtypes.StreamViewTypeKeysOnly,
	}})
	if err != nil {
		f.t.Fatalf("enable the stream: %v", err)
	}
	out, err := db.DescribeTable(f.t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		f.t.Fatal(err)
	}
	filters := make([]types.Filter, len(prefixes))
	for i, p := range prefixes {
		filters[i].Pattern = aws.String(fmt.Sprintf(`{"dynamodb": {"Keys": {%q: {"S": [{"prefix": %q}]}}}}`, hash, p))
	}
	m, err := f.client.CreateEventSourceMapping(f.t.Context(), &awslambda.CreateEventSourceMappingInput{
		FunctionName: &f.name, EventSourceArn: out.Table.LatestStreamArn, StartingPosition: types.EventSourcePositionTrimHorizon,
		BatchSize: aws.Int32(10), FilterCriteria: &types.FilterCriteria{Filters: filters},
		FunctionResponseTypes: []types.FunctionResponseType{types.FunctionResponseTypeReportBatchItemFailures},
	})
	if err != nil {
		f.t.Fatalf("map the stream to the function: %v", err)
	}
	f.t.Cleanup(func() {
		if _, err := f.client.DeleteEventSourceMapping(context.Background(), &awslambda.DeleteEventSourceMappingInput{UUID: m.UUID}); err != nil {
			f.t.Errorf("delete the mapping: %v", err)
		}
	})
}

// run makes the function run a bucket now.
func (f *function) run(event string) check.Report {
	f.t.Helper()
	out, err := f.client.Invoke(f.t.Context(), &awslambda.InvokeInput{FunctionName: &f.name, Payload: []byte(event)})
	if err != nil {
		f.t.Fatal(err)
	}
	if out.FunctionError != nil {
		f.t.Fatalf("%s: %s", *out.FunctionError, out.Payload)
	}
	return report(f.t, answer{body: string(out.Payload)})
}

// await waits until a signal is as it should be.
func await(t *testing.T, store *dynamo.Store, d signal.ProductDate, what string, ok func(signal.Item) bool) signal.Item {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		item, err := store.Get(t.Context(), d.Key())
		if err != nil {
			t.Fatal(err)
		}
		if ok(item) {
			return item
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s never becomes %s; it is %v", d, what, item)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func isDirty(i signal.Item) bool { return i.Text(signal.AttrGSISK) == signal.Dirty }
func isClean(i signal.Item) bool { return i.Text(signal.AttrGSISK) == signal.Clean }
func isGone(i signal.Item) bool  { return i == nil }

func inBucket(name string) func(signal.Item) bool {
	return func(i signal.Item) bool { return i.Text(signal.AttrGSIPK) == signal.BucketID(name) }
}

// A platform's table, its stream, an event source mapping with filters, and the
// function: the application does nothing but what it always does.
func TestBootstrap_streamOfAPlatform(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	err := dynamo.NewRegistry(store).Create(t.Context(), signal.Bucket{
		Name: "1h", Cadence: signal.Cadence{Hours: 1}, Shards: 1, Enabled: true, Checks: signal.DefaultChecks(), GlobalID: rand.Text(),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := deploy(t, map[string]string{"AVAILABILITY_TABLE_NAME": store.Table()})
	f.reads(db, store.Table(), "inventoryPool::", "inventory::", "productDate::", "product::")

	stock := func(d signal.ProductDate, n int64) {
		putItem(t, store, poolKey(d), signal.Item{"capacity": signal.N(20), "availability": signal.N(n)})
	}
	july1, july2, july3, july4 := campOn(t, "2027-07-01"), campOn(t, "2027-07-02"), campOn(t, "2027-07-03"), campOn(t, "2027-07-04")
	product := signal.Item{"timezone": signal.S("America/Vancouver"), "availabilityEstimationPattern": pattern("exact", signal.S("5min"))}
	awstest.Seed(t, store, july4, "5min", signal.Pattern{Mode: signal.Exact})

	// Inventory first, then dates, then, after a date that is none, the product.
	for _, d := range []signal.ProductDate{july1, july2, july3, july4} {
		stock(d, 12)
	}
	putItem(t, store, signal.Key{PK: dateKey(july1).PK, SK: "tomorrow"}, signal.Item{})
	putItem(t, store, dateKey(july1), signal.Item{"availabilityEstimationPattern": signal.Null()})
	putItem(t, store, dateKey(july2), signal.Item{"availabilityEstimationPattern": pattern("exact", minutes(7))})
	putItem(t, store, dateKey(july3), signal.Item{"availabilityEstimationPattern": pattern("exact", signal.M(map[string]signal.Value{"id": signal.S("1h")}))})
	putItem(t, store, july1.ItemKey(), product)
	if is := await(t, store, july1, "seeded", isDirty); is.Text("expiry") != "2027-07-02T07:00:00.000Z" || !inBucket("5min")(is) || is.Text("seededBy") != "stream" {
		t.Errorf("seeded as %v", is)
	}
	await(t, store, july3, "seeded in 1h", inBucket("1h"))

	// Checked, sold, and checked again.
	if r := f.run(fiveMinutes); r.Cleaned != 2 {
		t.Errorf("first run: %+v", r)
	}
	await(t, store, july1, "clean", isClean)
	stock(july1, 11)
	stock(july4, 10)
	await(t, store, july1, "dirty", isDirty)
	await(t, store, july4, "dirty, which is another seeder's", isDirty)
	if r := f.run(fiveMinutes); r.Cleaned != 2 || r.Changed != 2 {
		t.Errorf("second run: %+v", r)
	}
	await(t, store, july1, "sold down to 11", func(i signal.Item) bool { return i.Text(signal.AttrValue) == "11" })

	// The unregistered bucket is not tried for ever: it holds nobody up. Another one
	// that is registered makes the date right.
	await(t, store, july2, "nothing yet", isGone)
	putItem(t, store, dateKey(july2), signal.Item{"availabilityEstimationPattern": signal.Null()})
	await(t, store, july2, "seeded", isDirty)

	// A pattern of its own moves a date to another bucket.
	putItem(t, store, dateKey(july1), signal.Item{"availabilityEstimationPattern": pattern("tiered", minutes(60))})
	await(t, store, july1, "moved to 1h", func(i signal.Item) bool { return inBucket("1h")(i) && isDirty(i) })

	removeItem(t, store, dateKey(july1))
	await(t, store, july1, "gone", isGone)
	deleted := product.Clone()
	deleted["isDeleted"] = signal.Bool(true)
	putItem(t, store, july1.ItemKey(), deleted)
	await(t, store, july2, "gone with its product", isGone)
	await(t, store, july3, "gone with its product", isGone)
	putItem(t, store, july1.ItemKey(), product)
	await(t, store, july2, "seeded again", isDirty)
	await(t, store, july3, "seeded again", isDirty)
	if is := await(t, store, july4, "left to its seeder", func(i signal.Item) bool { return i != nil }); is.Text("seededBy") != "test" {
		t.Errorf("another's signal: %v", is)
	}
}
