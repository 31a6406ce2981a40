package suite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

const (
	tableName  = "signals"
	bucketName = "5min"
	// perProduct is how many dates a product of the season has.
	perProduct = 1000
	// runnerName is who a run's units are counted for.
	runnerName = "runner"
)

// season is a table with signals of one bucket, on the simulator or on an engine.
type season struct {
	// db is nil on an engine.
	db     *simulator.DB
	api    dynamo.SeederAPI
	table  string
	store  *dynamo.Store
	bucket signal.Bucket
	first  signal.Date
	size   int
}

// wallClock is the simulator's clock where time passes by itself: the machine's,
// or that of a bubble.
type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// simulated is a season of so many clean signals on the simulator.
func simulated(ctx context.Context, size int, configure ...func(*signal.Bucket)) (*season, error) {
	return simulatedAs(ctx, simulator.Config{}, size, configure...)
}

func simulatedAs(ctx context.Context, c simulator.Config, size int, configure ...func(*signal.Bucket)) (*season, error) {
	c.Clock = wallClock{}
	db := simulator.New(c)
	db.CreateTable(simulator.SignalTable(tableName, types.ProjectionTypeInclude))
	return newSeason(ctx, db, db.Client("setup"), tableName, size, configure...)
}

func newSeason(ctx context.Context, db *simulator.DB, api dynamo.SeederAPI, table string, size int, configure ...func(*signal.Bucket)) (*season, error) {
	s := &season{db: db, api: api, table: table, store: dynamo.NewStore(api, table), first: signal.DateOf(time.Now().UTC()).AddDays(30)}
	s.bucket = signal.Bucket{
		Name: bucketName, Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: rand.Text(),
	}
	// The audit is another row's matter, and pacing that of P5.
	s.bucket.Checks.MaxStaleness, s.bucket.Checks.WriteBudget = 0, unpaced
	for _, change := range configure {
		change(&s.bucket)
	}
	if err := dynamo.NewRegistry(s.store).Create(ctx, s.bucket); err != nil {
		return nil, err
	}
	return s, s.grow(ctx, size)
}

// unpaced is a write budget that no run gets to.
const unpaced = 1_000_000

// grow seeds clean signals until there are so many.
func (s *season) grow(ctx context.Context, size int) error {
	err := s.each(ctx, s.size, size, func(ctx context.Context, i int) error {
		_, err := s.store.Write(ctx, s.seeding(i))
		if errors.Is(err, dynamo.ErrRefused) && s.db == nil {
			// The SDK has repeated what had been applied.
			return nil
		}
		return err
	})
	s.size = max(s.size, size)
	return err
}

// each calls f for the numbers from first to last-1, many at once on an engine.
func (s *season) each(ctx context.Context, first, last int, f func(context.Context, int) error) error {
	atOnce := 32
	if s.db != nil {
		atOnce = 1
	}
	return each(ctx, first, last, atOnce, f)
}

func each(ctx context.Context, first, last, atOnce int, f func(context.Context, int) error) error {
	var mu sync.Mutex
	var failed error
	next := first
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= last && failed == nil
	}
	var workers sync.WaitGroup
	for range min(atOnce, max(last-first, 0)) {
		workers.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				if err := f(ctx, i); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	return failed
}

// day is the i-th of the season.
func (s *season) day(i int) signal.ProductDate {
	p := signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: strconv.Itoa(1 + i/perProduct), ProductID: "1"}
	return signal.ProductDate{Product: p, Date: s.first.AddDays(i % perProduct)}
}

// seeding is what stands of the i-th day once it has been checked: a season has been
// there for a while.
func (s *season) seeding(i int) protocol.Write {
	d := s.day(i)
	w := protocol.Seed(protocol.Seeding{
		ProductDate: d, GSIPK: s.bucket.GSIPK(d.Key()),
		GlobalID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), SeededBy: "terraform:00000000-0000-4000-8000-000000000000",
		Pattern: signal.Pattern{Mode: signal.Exact, Cadence: s.bucket.Cadence},
		Expiry:  signal.Expiry(d.Date, time.UTC), Value: "7",
	}, time.Now())
	w.Item[signal.AttrLastUpdatedAt] = signal.S(signal.FormatInstant(time.Now()))
	w.Item[signal.AttrClaimedRev] = signal.N(0)
	return w
}

// soil makes every n-th signal dirty, by a bare UpdateItem each.
func (s *season) soil(ctx context.Context, every int) error {
	return s.each(ctx, 0, s.size/every, func(ctx context.Context, i int) error {
		_, err := s.store.Write(ctx, protocol.Flip(s.day(i*every).Key(), time.Now()))
		return err
	})
}

// runner is one of the runtime's own, that calls through api.
func (s *season) runner(api dynamo.StoreAPI, from source.Source) *check.Runner {
	store := dynamo.NewStore(api, s.table)
	return &check.Runner{
		Store: store, Registry: dynamo.NewRegistry(store), Source: from, Index: simulator.CadenceIndex,
		Now: time.Now, NewID: rand.Text, Random: mathrand.Float64, Log: slog.New(slog.DiscardHandler),
	}
}

// tick runs the bucket once, which must clean so many.
func (s *season) tick(ctx context.Context, r *check.Runner, cleaned int) error {
	report, err := r.Run(ctx, s.bucket.Name)
	if err == nil && report.Cleaned != int64(cleaned) {
		err = fmt.Errorf("a tick cleaned %d signals, not %d: %+v", report.Cleaned, cleaned, report.Counts)
	}
	return err
}

// sourceFunc is a source that costs the table nothing.
type sourceFunc func(context.Context, signal.ProductDate) (signal.Estimate, error)

// Estimate calls it.
func (f sourceFunc) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	return f(ctx, d)
}

func plenty(context.Context, signal.ProductDate) (signal.Estimate, error) {
	return signal.Estimate{Available: 7, Capacity: 10}, nil
}

// taking is a source that takes a time.
func taking(d time.Duration) source.Source {
	return sourceFunc(func(ctx context.Context, date signal.ProductDate) (signal.Estimate, error) {
		if err := (wallClock{}).Sleep(ctx, d); err != nil {
			return signal.Estimate{}, err
		}
		return plenty(ctx, date)
	})
}

// client is a client of the SDK's that an interface can be narrowed from.
var _ dynamo.SeederAPI = (*dynamodb.Client)(nil)
