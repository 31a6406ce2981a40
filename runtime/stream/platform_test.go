package stream_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

const (
	signalsTable  = "signals"
	platformTable = "platform"
)

// now is in the evening of July 1 in Vancouver: in UTC it is July 2 already.
var now = time.Date(2026, time.July, 2, 5, 0, 0, 0, time.UTC)

var camp = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}

func july(day int) signal.Date { return signal.Date{Year: 2026, Month: time.July, Day: day} }

func campOn(day int) signal.ProductDate { return signal.ProductDate{Product: camp, Date: july(day)} }

// world is a platform's table and one of signals, with a consumer between them.
type world struct {
	t        testing.TB
	db       *simulator.DB
	client   *simulator.Client
	signals  *dynamo.Store
	platform *dynamo.Store
	keeper   *stream.Keeper
	consumer *stream.Consumer
	log      bytes.Buffer
	n        int
}

func newWorld(t testing.TB, config simulator.Config) *world {
	t.Helper()
	w := &world{t: t}
	if config.Clock == nil {
		config.Clock = simulator.NewClock(now)
	}
	w.db = simulator.New(config)
	w.db.CreateTable(simulator.SignalTable(signalsTable, types.ProjectionTypeInclude))
	w.db.CreateTable(simulator.SignalTable(platformTable, types.ProjectionTypeAll))
	w.client = w.db.Client("function")
	test := w.db.Client("test")
	w.signals, w.platform = dynamo.NewStore(test, signalsTable), dynamo.NewStore(test, platformTable)
	w.keeper = newKeeper(w.client)
	w.consumer = &stream.Consumer{Keeper: w.keeper, Log: slog.New(slog.NewJSONHandler(&w.log, nil))}
	w.register("5min", signal.Cadence{Minutes: 5})
	w.register("1h", signal.Cadence{Hours: 1})
	return w
}

func newKeeper(c *simulator.Client) *stream.Keeper {
	return &stream.Keeper{
		Signals:  dynamo.NewSteward(c, signalsTable, stream.Owner, c.Now, rand.Reader),
		Platform: dynamo.NewStore(c, platformTable),
		Flips:    flip.New(c, signalsTable, flip.WithClock(c.Now), flip.WithJitter(c.Jitter)),
		Now:      c.Now,
	}
}

func (w *world) register(name string, c signal.Cadence) {
	w.t.Helper()
	b := signal.Bucket{Name: name, Cadence: c, Shards: 1, Enabled: true, Checks: signal.DefaultChecks(), GlobalID: "bucket-" + name}
	if err := dynamo.NewRegistry(w.signals).Create(context.Background(), b); err != nil {
		w.t.Fatal(err)
	}
}

// put writes an item past all conditions.
func put(t testing.TB, store *dynamo.Store, key signal.Key, item signal.Item) {
	t.Helper()
	item = item.Clone()
	item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
	if _, err := store.Write(context.Background(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, store *dynamo.Store, key signal.Key) {
	t.Helper()
	if _, err := store.Write(context.Background(), protocol.Write{Op: "remove", Kind: protocol.Delete, Key: key}); err != nil {
		t.Fatal(err)
	}
}

func dateKey(d signal.ProductDate) signal.Key {
	return signal.Key{PK: d.DatePKs()[0], SK: d.Date.String()}
}

func (w *world) product(item signal.Item) { put(w.t, w.platform, camp.ItemKey(), item) }

func (w *world) date(day int, item signal.Item) { put(w.t, w.platform, dateKey(campOn(day)), item) }

// exact is a pattern as items have it, tiered another.
func exact(cadence signal.Value) signal.Value {
	return signal.M(map[string]signal.Value{"estimationMode": signal.S("exact"), "cadence": cadence})
}

func tiered(cadence signal.Value) signal.Value {
	return signal.M(map[string]signal.Value{"estimationMode": signal.S("tiered"), "cadence": cadence})
}

func minutes(n int64) signal.Value { return signal.M(map[string]signal.Value{"minutes": signal.N(n)}) }

func vancouver() signal.Item {
	return signal.Item{"timezone": signal.S("America/Vancouver"), "availabilityEstimationPattern": exact(minutes(5))}
}

// consume hands over records of keys and returns the report; it must be no error.
func (w *world) consume(keys ...signal.Key) stream.Report {
	w.t.Helper()
	records := make([]string, len(keys))
	for i, k := range keys {
		w.n++
		records[i] = record(sequence(w.n), k.PK, k.SK)
	}
	return w.deliver(batch(records...))
}

func sequence(n int) string {
	return "49590338271490256608559692538361571095921575989136588" + string(rune('0'+n%10))
}

func (w *world) deliver(event []byte) stream.Report {
	w.t.Helper()
	records, err := stream.ParseEvent(event)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := w.consumer.Consume(context.Background(), records)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// signal is the signal of a day, nil if there is none.
func (w *world) signal(day int) signal.Item {
	w.t.Helper()
	item, err := w.signals.Get(context.Background(), campOn(day).Key())
	if err != nil {
		w.t.Fatal(err)
	}
	return item
}

// clean makes a signal clean with a value, as a check does.
func (w *world) clean(day int) {
	w.t.Helper()
	bucket, _, _ := signal.ParseShardKey(w.signal(day).Text("gsipk"))
	c := protocol.NewCheck(campOn(day).Key(), signal.Bucket{Name: bucket, Shards: 1, Checks: signal.DefaultChecks()}, rand.Text(), w.client.Now())
	for c.Action() != protocol.Done {
		if c.Action() == protocol.Compute {
			c = c.Computed(protocol.Outcome{Value: "7", AsOf: w.client.Now()})
			continue
		}
		item, err := w.signals.Write(context.Background(), c.Write())
		if err != nil {
			w.t.Fatal(err)
		}
		c = c.Applied(item)
	}
}

// seededBy seeds a clean signal of somebody's.
func (w *world) seededBy(owner string, day int, change func(signal.Item)) {
	w.t.Helper()
	d := campOn(day)
	seed := protocol.Seed(protocol.Seeding{
		ProductDate: d, GSIPK: signal.BucketID("5min"), GlobalID: "id-of-" + d.Date.String(), SeededBy: owner,
		Pattern: signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{Minutes: 5}},
		Expiry:  signal.Expiry(d.Date, time.FixedZone("", -7*60*60)),
	}, w.client.Now())
	if owner == "" {
		delete(seed.Item, signal.AttrSeededBy)
	}
	if change != nil {
		change(seed.Item)
	}
	put(w.t, w.signals, d.Key(), seed.Item)
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
