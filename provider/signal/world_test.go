package signal_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The tests live in a June that no engine's TTL takes for past.
var june = time.Date(2090, 6, 1, 12, 0, 0, 0, time.UTC)

// clock is one that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// world is a table with buckets, and what others do in it.
type world struct {
	t      *testing.T
	client *dynamodb.Client
	table  string
	store  *dynamo.Store
	clock  *clock
	// hasty has ranges go on at once where they would wait.
	hasty bool
}

// newWorld makes a table with the buckets 5min and 15min.
func newWorld(t *testing.T) *world {
	t.Helper()
	table := acctest.Table(t)
	client := acctest.DynamoDB(t)
	w := &world{t: t, client: client, table: table, store: dynamo.NewStore(client, table), clock: &clock{at: june}}
	for name, minutes := range map[string]int{"5min": 5, "15min": 15} {
		w.register(name, minutes)
	}
	return w
}

func (w *world) register(name string, minutes int) {
	w.t.Helper()
	w.registered(w.bucket(name, minutes))
}

func (w *world) bucket(name string, minutes int) signal.Bucket {
	return signal.Bucket{
		Name: name, Cadence: signal.Cadence{Minutes: minutes}, ScheduleExpression: "rate(x)", Shards: 1,
		Enabled: true, Checks: signal.DefaultChecks(), GlobalID: "bucket-" + name,
	}
}

func (w *world) registered(b signal.Bucket) {
	w.t.Helper()
	if err := dynamo.NewRegistry(w.store).Create(w.t.Context(), b); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) unregister(name string) {
	w.t.Helper()
	if err := dynamo.NewRegistry(w.store).Delete(w.t.Context(), signal.Bucket{Name: name, GlobalID: "bucket-" + name}); err != nil {
		w.t.Fatal(err)
	}
}

// option gives a provider the world's clock.
func (w *world) option() provider.Option { return provider.WithClock(w.clock.now) }

// driver drives a resource; settings are the provider's beside the table.
func (w *world) driver(typeName string, settings acctest.Config) *acctest.Driver {
	w.t.Helper()
	all := acctest.Config{"table_name": w.table, "time_zone": "America/Vancouver"}
	for name, value := range settings {
		all[name] = value
	}
	opts := []provider.Option{w.option()}
	if w.hasty {
		opts = append(opts, provider.WithSleep(func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }))
	}
	return acctest.NewDriver(w.t, typeName, all, opts...)
}

// through sends a provider's requests to a proxy, and has it give up soon.
func through(p *acctest.FaultProxy) acctest.Config {
	return acctest.Config{"endpoints": acctest.Config{"dynamodb": p.URL()}, "max_retries": 1}
}

var camp = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}

func july(day int) signal.Date {
	return signal.Date{Year: 2090, Month: time.July, Day: 1}.AddDays(day - 1)
}

func campOn(day int) signal.ProductDate { return signal.ProductDate{Product: camp, Date: july(day)} }

// item reads a signal's item; nil if there is none.
func (w *world) item(day int) signal.Item {
	w.t.Helper()
	item, err := w.store.Get(w.t.Context(), campOn(day).Key())
	if err != nil {
		w.t.Fatal(err)
	}
	return item
}

// items are the product's items by date.
func (w *world) items() map[string]signal.Item {
	w.t.Helper()
	found := map[string]signal.Item{}
	for item, err := range w.store.Query(w.t.Context(), dynamo.Query{Hash: signal.AttrPK, Partition: camp.PK()}) {
		if err != nil {
			w.t.Fatal(err)
		}
		found[item.Text(signal.AttrSK)] = item
	}
	return found
}

// there are the dates that have an item, as intervals.
func (w *world) there() string {
	w.t.Helper()
	var dates []signal.Date
	items := w.items()
	for d := july(-500); len(items) > 0 && d.Compare(july(5000)) < 0; d = d.AddDays(1) {
		if _, ok := items[d.String()]; ok {
			dates = append(dates, d)
		}
	}
	text := ""
	for _, s := range dynamo.Spans(dates) {
		if text != "" {
			text += " "
		}
		text += s.String()
	}
	return text
}

// write sends a write that must be applied. The SDK may send it twice and report a
// refusal of the second; what the item then is decides.
func (w *world) write(write protocol.Write) {
	w.t.Helper()
	read := func() signal.Item {
		item, err := w.store.Get(w.t.Context(), write.Key)
		if err != nil {
			w.t.Fatal(err)
		}
		return item
	}
	want, applicable := write.Apply(read())
	if !applicable {
		w.t.Fatalf("%s %q cannot be applied", write.Op, write.Key)
	}
	if _, err := w.store.Write(w.t.Context(), write); err != nil && !cmp.Equal(want, read()) {
		w.t.Fatal(err)
	}
}

// put writes an item whatever is there.
func (w *world) put(item signal.Item) {
	w.t.Helper()
	key := item.Key()
	w.write(protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item})
}

// remove deletes a signal as somebody would by hand.
func (w *world) remove(day int) {
	w.t.Helper()
	w.write(protocol.Write{Op: "remove", Kind: protocol.Delete, Key: campOn(day).Key()})
}

// another is somebody else's signal.
func another(day int) signal.Item {
	return protocol.Seed(protocol.Seeding{
		ProductDate: campOn(day), GSIPK: signal.BucketID("5min"), GlobalID: "another-seeding",
		Pattern: signal.Pattern{Mode: signal.Exact}, Expiry: signal.Expiry(july(day), time.UTC), SeededBy: "stream",
	}, june).Item
}

// flip is what the application does after a change.
func (w *world) flip(day int) {
	if _, err := w.store.Write(w.t.Context(), protocol.Flip(campOn(day).Key(), june)); err != nil {
		w.t.Error(err)
	}
}

// check does to a signal what flips and a run do, from dirty to clean and back.
func (w *world) check(day int, value string) {
	w.t.Helper()
	key := campOn(day).Key()
	w.write(protocol.Flip(key, june))
	b := signal.Bucket{Name: "5min", Shards: 1, Checks: signal.DefaultChecks()}
	c := protocol.NewCheck(key, b, "run-"+value, june)
	w.write(c.Write())
	c = c.Applied(w.item(day)).Computed(protocol.Outcome{Value: value, AsOf: june})
	w.write(c.Write())
	w.write(protocol.Flip(key, june))
}

func deleteTable(t *testing.T, w *world) {
	t.Helper()
	if _, err := w.client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &w.table}); err != nil {
		t.Fatal(err)
	}
}
