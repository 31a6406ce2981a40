package dynamo_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const cadenceIndex = "cadence-index"

// engine is a table of the test's own, on the DynamoDB that AWS_ENDPOINT_URL
// names, with TF_ACC on AWS's, and with -short on the simulator.
type engine struct {
	*faulty
	client database
	table  string
	store  *dynamo.Store
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	if testing.Short() {
		return newSimulated()
	}
	if os.Getenv("AWS_ENDPOINT_URL") == "" && os.Getenv("TF_ACC") == "" {
		t.Fatal("needs a DynamoDB: run it by .ci/local-aws -- go test ./runtime/dynamo, or with -short to leave it out")
	}
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, table := dynamodb.NewFromConfig(cfg), "availability-dynamo-"+rand.Text()
	text := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	keys := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}}
	}
	_, err = client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            &table,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{text("pk"), text("sk"), text("gsipk"), text("gsisk")},
		KeySchema:            keys("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String(cadenceIndex), KeySchema: keys("gsipk", "gsisk"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"dirtySince", "ttl", "notBefore"}},
		}},
	})
	// Nobody else has that name: then the SDK has sent it twice.
	if _, twice := errors.AsType[*types.ResourceInUseException](err); err != nil && !twice {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		_, err := client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &table})
		if _, twice := errors.AsType[*types.ResourceNotFoundException](err); err != nil && !twice {
			t.Error(err)
		}
	})
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = 10 * time.Millisecond })
	if err := active.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &table}, 2*time.Minute); err != nil {
		t.Fatal(err)
	}
	return &engine{faulty: &faulty{api: client}, client: client, table: table, store: dynamo.NewStore(client, table)}
}

// database is what the tests call past all faults.
type database interface {
	dynamo.SeederAPI
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

func newSimulated() *engine {
	const table = "availability"
	db := simulator.New(simulator.Config{Clock: simulator.NewClock(now)})
	signals := simulator.SignalTable(table, types.ProjectionTypeInclude)
	signals.Indexes = signals.Indexes[:1] // as above
	db.CreateTable(signals)
	client := db.Client("test")
	return &engine{faulty: &faulty{api: client}, client: client, table: table, store: dynamo.NewStore(client, table)}
}

// now is the clock of the tests that need none of their own.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

func (e *engine) seeder() *dynamo.Seeder { return dynamo.NewSeeder(e, e.table, clock, rand.Reader) }

// hasty does not wait before it repeats.
func (e *engine) hasty() *dynamo.Seeder { return e.seeder().Hasty() }

func (e *engine) at(t time.Time) *dynamo.Seeder {
	return dynamo.NewSeeder(e, e.table, func() time.Time { return t }, rand.Reader)
}

// register makes buckets of a cadence of five minutes.
func (e *engine) register(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		b := signal.Bucket{Name: name, Cadence: signal.Cadence{Minutes: 5}, ScheduleExpression: "rate(5 minutes)", Shards: 1, Enabled: true, Checks: signal.DefaultChecks(), GlobalID: "bucket-" + name}
		if err := dynamo.NewRegistry(e.store).Create(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// item reads an item past all faults.
func (e *engine) item(t *testing.T, key signal.Key) signal.Item {
	t.Helper()
	item, err := e.store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return item
}

// put writes an item past all faults and conditions.
func (e *engine) put(t *testing.T, item signal.Item) {
	t.Helper()
	key := item.Key()
	if _, err := e.store.Write(t.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
		t.Fatal(err)
	}
}

// write sends a write that must be applied, past all faults. The SDK may send it
// twice and report a refusal of the second; what the item then is decides.
func (e *engine) write(t *testing.T, w protocol.Write) {
	t.Helper()
	want, applicable := w.Apply(e.item(t, w.Key))
	if !applicable {
		t.Fatalf("%s %q cannot be applied", w.Op, w.Key)
	}
	if _, err := e.store.Write(t.Context(), w); err != nil && !cmp.Equal(want, e.item(t, w.Key)) {
		t.Fatal(err)
	}
}

// effect is what happens to a call; send passes it on.
type effect func(send func() error) error

// fault meets the calls of one operation: the nth, or all if it is 0.
type fault struct {
	op     string
	nth    int
	effect effect
}

// faulty is a DynamoDB some of whose calls go wrong.
type faulty struct {
	api dynamo.SeederAPI
	// query, if there is one, changes what is asked, and then what is answered.
	query  func(*dynamodb.QueryInput)
	answer func(*dynamodb.QueryInput, *dynamodb.QueryOutput)

	mu     sync.Mutex
	faults []fault
	calls  map[string]int
}

// set replaces the faults and forgets the calls so far.
func (f *faulty) set(faults ...fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults, f.calls = faults, nil
}

// called is how often an operation was called since set.
func (f *faulty) called(op string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

func (f *faulty) meet(op string) effect {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	f.calls[op]++
	for _, x := range f.faults {
		if x.op == op && (x.nth == 0 || x.nth == f.calls[op]) {
			return x.effect
		}
	}
	return func(send func() error) error { return send() }
}

func call[In, Out any](f *faulty, op string, ctx context.Context, in *In, opts []func(*dynamodb.Options), send func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error)) (*Out, error) { //nolint:revive // the context comes with the call that is described
	var out *Out
	err := f.meet(op)(func() (err error) {
		out, err = send(ctx, in, opts...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (f *faulty) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return call(f, "GetItem", ctx, in, opts, f.api.GetItem)
}

func (f *faulty) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return call(f, "PutItem", ctx, in, opts, f.api.PutItem)
}

func (f *faulty) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return call(f, "UpdateItem", ctx, in, opts, f.api.UpdateItem)
}

func (f *faulty) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return call(f, "DeleteItem", ctx, in, opts, f.api.DeleteItem)
}

func (f *faulty) BatchExecuteStatement(ctx context.Context, in *dynamodb.BatchExecuteStatementInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
	return call(f, "BatchExecuteStatement", ctx, in, opts, f.api.BatchExecuteStatement)
}

func (f *faulty) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if f.query != nil {
		f.query(in)
	}
	out, err := call(f, "Query", ctx, in, opts, f.api.Query)
	if err == nil && f.answer != nil {
		f.answer(in, out)
	}
	return out, err
}

// errLost is what a caller sees whose connection broke.
var errLost = io.ErrUnexpectedEOF

func fail(err error) effect { return func(func() error) error { return err } }

// loseAnswer carries a call out and tells nobody.
func loseAnswer(send func() error) error {
	_ = send()
	return errLost
}

// repeat carries a call out twice, as the SDK does when the first answer is lost.
func repeat(send func() error) error {
	if err := send(); err != nil {
		return err
	}
	return send()
}

// before does something else first: what others do meanwhile.
func before(do func()) effect {
	return func(send func() error) error {
		do()
		return send()
	}
}

// code is an error of AWS's with that code.
func code(name, message string) error { return &apiError{name, message} }
