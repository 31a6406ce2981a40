package capacity_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/capacity"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const table = "signals"

// The costs that the arithmetic is made of are those that the simulator counts of
// the code that runs in production.
func TestCosts_asSimulated(t *testing.T) {
	for _, way := range []capacity.Way{capacity.Coalesced, capacity.Blind, capacity.Transaction, capacity.Stream} {
		for projection, all := range map[types.ProjectionType]bool{types.ProjectionTypeInclude: false, types.ProjectionTypeAll: true} {
			t.Run(string(way)+" "+string(projection), func(t *testing.T) {
				for _, bytes := range []float64{600, 2500, 5000} {
					p := capacity.Example()
					p.Way, p.AllCadence, p.ItemBytes = way, all, bytes
					w := newWorld(t, projection, int(bytes))
					of := fmt.Sprintf(" of %v bytes", bytes)
					w.hold("a flip of a clean signal"+of, p.FlipClean(), func() { w.flip(way) })
					w.hold("a flip of a dirty one"+of, p.FlipDirty(), func() { w.flip(way) })
					w.hold("a check"+of, p.Check(), func() { w.check() })
				}
			})
		}
	}
}

func TestCosts_auditAsSimulated(t *testing.T) {
	for projection, all := range map[types.ProjectionType]bool{types.ProjectionTypeInclude: false, types.ProjectionTypeAll: true} {
		t.Run(string(projection), func(t *testing.T) {
			p := capacity.Example()
			p.AllCadence = all
			w := newWorld(t, projection, 600)
			w.flip(capacity.Blind)
			w.check()
			// The source's read is one unit beside the signal's own.
			want := p.Audited()
			want.Read--
			w.hold("an audit", want, w.audit)
		})
	}
}

// world is one signal on the simulator.
type world struct {
	*testing.T
	db  *simulator.DB
	api *simulator.Client
	key signal.Key
}

// newWorld has a signal of about so many bytes.
func newWorld(t *testing.T, projection types.ProjectionType, bytes int) *world {
	t.Helper()
	w := &world{T: t, db: simulator.New(simulator.Config{})}
	w.db.CreateTable(simulator.SignalTable(table, projection))
	day := signal.ProductDate{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"},
		Date:    signal.Date{Year: 2026, Month: time.August, Day: 1},
	}
	w.key = day.Key()
	seeding := protocol.Seeding{
		ProductDate: day, GSIPK: signal.BucketID("5min"), GlobalID: rand.Text(), SeededBy: "terraform:test",
		Pattern: signal.Pattern{Mode: signal.Exact}, Expiry: signal.Expiry(day.Date, time.UTC),
	}
	seed := protocol.Seed(seeding, w.db.Clock().Now())
	// A signal alone is some 400 bytes; what an application adds to it is its own.
	seed.Item["note"] = signal.S(strings.Repeat("x", bytes-500))
	w.write(seed)
	w.api = w.db.Client("measured")
	return w
}

// write writes as nobody that is measured.
func (w *world) write(write protocol.Write) {
	w.Helper()
	if _, err := dynamo.NewStore(w.db.Client("setup"), table).Write(w.Context(), write); err != nil {
		w.Fatal(err)
	}
}

// hold compares what something costs. Of a read, the index is no part.
func (w *world) hold(what string, want capacity.Costs, do func()) {
	w.Helper()
	w.db.ResetUsage()
	do()
	own := w.db.Units(simulator.Scope{Client: "measured", Table: table})
	index := w.db.Units(simulator.Scope{Client: "measured", Table: table, Index: simulator.CadenceIndex})
	if got := (capacity.Costs{Read: own.Read, Table: own.Write, Index: index.Write}); got != want {
		w.Errorf("%s costs %+v, want %+v", what, got, want)
	}
}

func (w *world) flip(way capacity.Way) {
	w.Helper()
	client := flip.New(w.api, table, flip.WithClock(w.api.Now))
	var err error
	switch way {
	case capacity.Blind:
		err = client.Blind(w.Context(), w.key)
	case capacity.Transaction:
		_, err = w.api.TransactWriteItems(w.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{client.TransactItem(w.key)}})
		if err == nil {
			err = client.Flip(w.Context(), w.key)
		}
	default:
		err = client.Flip(w.Context(), w.key)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// check claims and finishes, as a run does.
func (w *world) check() {
	w.Helper()
	now := w.api.Now()
	bucket := signal.Bucket{Name: "5min", Shards: 1, Checks: signal.DefaultChecks()}
	store := dynamo.NewStore(w.api, table)
	c := protocol.NewCheck(w.key, bucket, rand.Text(), now)
	for c.Action() != protocol.Done {
		if c.Action() == protocol.Compute {
			c = c.Computed(protocol.Outcome{Value: "7", AsOf: now})
			continue
		}
		item, err := store.Write(w.Context(), c.Write())
		if err != nil {
			w.Fatal(err)
		}
		c = c.Applied(item)
	}
}

// audit runs the bucket, of whose costs those of the signal are counted.
func (w *world) audit() {
	w.Helper()
	bucket := signal.Bucket{Name: "5min", Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true, Checks: signal.DefaultChecks(), GlobalID: "bucket"}
	bucket.Checks.MaxStaleness = time.Minute
	other := dynamo.NewStore(w.db.Client("setup"), table)
	if err := dynamo.NewRegistry(other).Create(w.Context(), bucket); err != nil {
		w.Fatal(err)
	}
	if err := w.db.Clock().Sleep(w.Context(), time.Hour); err != nil {
		w.Fatal(err)
	}
	runner := check.Runner{
		Store: ofSignals{Store: other, signals: dynamo.NewStore(w.api, table)}, Registry: dynamo.NewRegistry(other), Source: seven{},
		Index: simulator.CadenceIndex, Now: w.api.Now, NewID: rand.Text, Random: func() float64 { return 0 }, Log: slog.New(slog.DiscardHandler),
	}
	report, err := runner.Run(w.Context(), "5min")
	if err != nil || report.Audited != 1 || report.Mismatched != 0 {
		w.Fatalf("report %+v: %v", report.Counts, err)
	}
}

type seven struct{}

func (seven) Estimate(context.Context, signal.ProductDate) (signal.Estimate, error) {
	return signal.Estimate{Available: 7, Capacity: 10}, nil
}

// ofSignals reads and writes signals by a client of its own.
type ofSignals struct {
	*dynamo.Store
	signals *dynamo.Store
}

func (s ofSignals) of(k signal.Key) *dynamo.Store {
	if _, err := signal.ParseKey(k); err == nil {
		return s.signals
	}
	return s.Store
}

func (s ofSignals) Get(ctx context.Context, k signal.Key, attrs ...string) (signal.Item, error) {
	return s.of(k).Get(ctx, k, attrs...)
}

func (s ofSignals) Write(ctx context.Context, w protocol.Write) (signal.Item, error) {
	return s.of(w.Key).Write(ctx, w)
}
