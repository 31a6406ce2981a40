package operate_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

const table = "signals"

// now is when all of it happens: five past noon.
var now = time.Date(2026, time.July, 1, 12, 5, 0, 0, time.UTC)

var loop = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}

func on(day int) signal.ProductDate {
	return signal.ProductDate{Product: loop, Date: signal.Date{Year: 2026, Month: time.July, Day: 1}.AddDays(day - 1)}
}

const july5 = "mockPark1/backcountryCamp/1/1 2026-07-05"

// world is a table with the bucket 5min, which ran two minutes ago.
type world struct {
	*testing.T
	clock    *simulator.ManualClock
	client   *simulator.Client
	store    *dynamo.Store
	operator *operate.Operator
	// asked, if set, is called before the source is.
	asked func()
	// fails, if set, is what the source answers.
	fails error
}

func newWorld(t *testing.T) *world {
	t.Helper()
	clock := simulator.NewClock(now)
	db := simulator.New(simulator.Config{Clock: clock})
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	client := db.Client("operator")
	store := dynamo.NewStore(client, table)
	w := &world{T: t, clock: clock, client: client, store: store}
	log := slog.New(slog.DiscardHandler)
	w.operator = &operate.Operator{
		Runner: check.Runner{
			Store: store, Registry: dynamo.NewRegistry(store), Source: pools{source.NewPool(store), w}, Index: simulator.CadenceIndex,
			Now: client.Now, NewID: client.NewID, Random: func() float64 { return 0 }, Log: log,
		},
		Signals: store,
		Sync: stream.Sync{
			Keeper: &stream.Keeper{
				Signals: dynamo.NewSteward(client, table, stream.Owner, client.Now, client.Reader()), Platform: store,
				Flips: flip.New(client, table, flip.WithLogger(log)), Now: client.Now,
			},
			Platform: dynamo.NewFinder(client, table), Signals: dynamo.NewFinder(client, table),
		},
	}
	w.register("5min", nil)
	w.ran("5min", now.Add(-7*time.Minute), now.Add(-2*time.Minute))
	return w
}

// pools is the source, with what happens around it.
type pools struct {
	*source.Pool
	w *world
}

func (p pools) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	if p.w.asked != nil {
		p.w.asked()
	}
	if p.w.fails != nil {
		return signal.Estimate{}, p.w.fails
	}
	return p.Pool.Estimate(ctx, d)
}

func (w *world) put(key signal.Key, item signal.Item) {
	w.Helper()
	item = item.Clone()
	item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
	if _, err := w.store.Write(w.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) register(name string, change func(*signal.Bucket)) {
	w.Helper()
	b := signal.Bucket{
		Name: name, Cadence: signal.Cadence{Minutes: 5}, ScheduleExpression: "rate(5 minutes)", Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: "bucket " + name,
	}
	if change != nil {
		change(&b)
	}
	w.put(signal.RegistryKey(name), b.Item())
}

// ran notes the bucket's last two runs.
func (w *world) ran(name string, before, last time.Time) {
	w.Helper()
	w.put(signal.RunKey(name), signal.Item{
		protocol.AttrPreviousStartedAt: signal.S(signal.FormatInstant(before)),
		protocol.AttrStartedAt:         signal.S(signal.FormatInstant(last)),
		protocol.AttrLastRunAt:         signal.S(signal.FormatInstant(last.Add(time.Second))),
	})
}

// pool is what a date has left, of 20.
func (w *world) pool(day int, available int64) {
	w.Helper()
	w.put(signal.Key{PK: on(day).PoolPK(), SK: "loop"}, signal.Item{"availability": signal.N(available), "capacity": signal.N(20)})
}

// seed puts a tiered signal there, clean, with the value that 12 of 20 have.
func (w *world) seed(day int, change func(signal.Item)) signal.Key {
	w.Helper()
	item := protocol.Seed(protocol.Seeding{
		ProductDate: on(day), GSIPK: signal.BucketID("5min"), GlobalID: "seeded", SeededBy: "test",
		Pattern: signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()},
		Expiry:  signal.Expiry(on(day).Date, time.UTC), Value: "medium",
	}, now).Item
	item[signal.AttrLastUpdatedAt] = signal.S(signal.FormatInstant(now.Add(-time.Hour)))
	item[signal.AttrRev], item[signal.AttrClaimedRev] = signal.N(3), signal.N(3)
	if change != nil {
		change(item)
	}
	w.put(on(day).Key(), item)
	return on(day).Key()
}

// dirty makes a signal one that was flipped a minute ago.
func dirty(item signal.Item) {
	item[signal.AttrGSISK] = signal.S(signal.Dirty)
	item[signal.AttrRev] = signal.N(4)
	item[signal.AttrDirtySince] = signal.S(signal.FormatInstant(now.Add(-time.Minute)))
}

func (w *world) item(day int) signal.Item {
	w.Helper()
	item, err := w.store.Get(w.Context(), on(day).Key())
	if err != nil {
		w.Fatal(err)
	}
	return item
}

// do does a task, which must be possible.
func do[A operate.Answer](w *world, t operate.Task) A {
	w.Helper()
	answer, err := w.operator.Do(w.Context(), t)
	if err != nil {
		w.Fatal(err)
	}
	return answer.(A)
}

func printed(w *world, a operate.Answer) string {
	w.Helper()
	var b strings.Builder
	if err := a.(operate.Printer).Print(&b); err != nil {
		w.Fatal(err)
	}
	return b.String()
}
