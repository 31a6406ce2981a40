package capacity_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/capacity"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// bucket is one on the simulator, with so many signals that were checked before.
type bucket struct {
	*testing.T
	signal.Bucket
	db      *simulator.DB
	signals int
	log     bytes.Buffer
}

func newBucket(t *testing.T, clock simulator.Clock, signals int, change func(*signal.Bucket)) *bucket {
	t.Helper()
	b := &bucket{T: t, db: simulator.New(simulator.Config{Clock: clock}), signals: signals}
	b.db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	b.Bucket = signal.Bucket{Name: "5min", Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true, Checks: signal.DefaultChecks(), GlobalID: "bucket"}
	change(&b.Bucket)
	store := dynamo.NewStore(b.db.Client("setup"), table)
	if err := dynamo.NewRegistry(store).Create(t.Context(), b.Bucket); err != nil {
		t.Fatal(err)
	}
	for i := range signals {
		day := b.day(i)
		seed := protocol.Seed(protocol.Seeding{
			ProductDate: day, GSIPK: b.GSIPK(day.Key()), GlobalID: fmt.Sprint(i), SeededBy: "terraform:test",
			Pattern: signal.Pattern{Mode: signal.Exact}, Expiry: signal.Expiry(day.Date, time.UTC), Value: "7",
		}, clock.Now())
		seed.Item[signal.AttrLastUpdatedAt] = signal.S(signal.FormatInstant(clock.Now()))
		if _, err := store.Write(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b *bucket) day(i int) signal.ProductDate {
	p := signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	return signal.ProductDate{Product: p, Date: signal.Date{Year: 2090, Month: time.August, Day: 1}.AddDays(i)}
}

func (b *bucket) run() check.Report {
	b.Helper()
	api := b.db.Client("measured")
	store := dynamo.NewStore(api, table)
	r := check.Runner{
		Store: store, Registry: dynamo.NewRegistry(store), Source: seven{}, Index: simulator.CadenceIndex,
		Now: b.db.Clock().Now, NewID: rand.Text, Random: func() float64 { return 0 }, Log: slog.New(slog.NewJSONHandler(&b.log, nil)),
	}
	report, err := r.Run(b.Context(), b.Name)
	if err != nil {
		b.Fatal(err)
	}
	return report
}

// near holds what is reckoned to what was counted, but for a twentieth.
func (b *bucket) near(what string, reckoned, counted float64) {
	b.Helper()
	if math.Abs(reckoned-counted) > 0.05*counted {
		b.Errorf("%s: reckoned %.2f, counted %.2f", what, reckoned, counted)
	}
}

// bubble is the time of the bubble that it is used in.
type bubble struct{}

func (bubble) Now() time.Time { return time.Now() }

func (bubble) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// What a run costs beside its checks: its queries, by the size of their entries, the
// registry, and the run item, which is written the more often the longer it takes.
func TestLoads_runAsSimulated(t *testing.T) {
	const dirty, perSecond = 1000, 10
	synctest.Test(t, func(t *testing.T) {
		b := newBucket(t, bubble{}, dirty, func(b *signal.Bucket) { b.Checks.WriteBudget, b.Checks.MaxStaleness = perSecond, 0 })
		for i := range dirty {
			if _, err := dynamo.NewStore(b.db.Client("setup"), table).Write(t.Context(), protocol.Flip(b.day(i).Key(), time.Now())); err != nil {
				t.Fatal(err)
			}
		}
		if report := b.run(); report.Cleaned != dirty {
			t.Fatalf("%+v", report.Counts)
		}
		p := small()
		p.Active, p.Bookings, p.WriteBudget = dirty, 1e9, perSecond
		loads := map[string]capacity.Units{}
		for _, l := range p.Loads() {
			loads[l.What] = l.Units
		}
		const tick = 300
		queries := b.db.Units(simulator.Scope{Client: "measured", Table: table, Index: simulator.CadenceIndex})
		b.near("reads of the queries", loads["queries for what is dirty"].Read*tick, queries.Read)
		items := b.db.Units(simulator.Scope{Client: "measured", Table: table, Partition: signal.BucketID(b.Name)})
		b.near("reads of the registry", loads["registry and run items"].Read*tick, items.Read)
		b.near("writes of the run item", loads["registry and run items"].Write*tick, items.Write)
	})
}

// How often the audit passes all, and what that costs.
func TestLoads_auditAsSimulated(t *testing.T) {
	const signals, days, tick = 1000, 9, time.Hour
	clock := simulator.NewClock(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC))
	b := newBucket(t, clock, signals, func(b *signal.Bucket) { b.Cadence = signal.Cadence{Minutes: 60} })
	audited := int64(0)
	for range days * 24 {
		audited += b.run().Audited
		clock.Advance(tick)
	}
	p := small()
	p.Signals, p.Bookings, p.CadenceMinutes, p.StalenessHours = signals, 0, 60, 24
	const seconds = days * 24 * 3600
	b.near("signals audited", p.Audits()*seconds, float64(audited))
	reckoned, counted := capacity.Total(p.Loads()), b.db.Units(simulator.Scope{Client: "measured", Index: simulator.Everything})
	b.near("write units", reckoned.Write*seconds, counted.Write)
	// The source's reads are none of the table's here.
	b.near("read units", (reckoned.Read-p.Audits())*seconds, counted.Read)
}

// The metrics that are reckoned with are those that a run writes.
func TestMetricDollars_ofWhatRunsWrite(t *testing.T) {
	b := newBucket(t, simulator.NewClock(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)), 1, func(*signal.Bucket) {})
	b.run()
	metrics := 0
	for line := range bytes.Lines(b.log.Bytes()) {
		var embedded struct {
			AWS struct {
				CloudWatchMetrics []struct {
					Dimensions [][]string
					Metrics    []any
				}
			} `json:"_aws"`
		}
		if err := json.Unmarshal(line, &embedded); err != nil {
			t.Fatal(err)
		}
		for _, d := range embedded.AWS.CloudWatchMetrics {
			metrics += len(d.Dimensions) * len(d.Metrics)
		}
	}
	if got := small().MetricDollars(capacity.Prices{Metric: 1}); got != float64(metrics) || metrics == 0 {
		t.Errorf("a bucket is reckoned with %v metrics, and its run writes %d", got, metrics)
	}
}
