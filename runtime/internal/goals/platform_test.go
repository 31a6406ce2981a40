package goals_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	table   = "signals"
	name    = "5min"
	cadence = 5 * time.Minute
	// tick is for how long a function may run.
	tick = 4 * time.Minute
)

// platform is a table of signals of one bucket, and the runtime's parts that use
// it.
type platform struct {
	testing.TB
	db     *simulator.DB
	bucket signal.Bucket
	// source answers for a signal by its number.
	source func(ctx context.Context, n int) (signal.Estimate, error)

	mu    sync.Mutex
	asked int
}

// newPlatform is one whose time stands still unless it is moved.
func newPlatform(t testing.TB, config simulator.Config) *platform {
	t.Helper()
	return platformOn(t, simulator.New(config))
}

// inWorld runs a test on one whose time passes whenever everybody waits.
func inWorld(t *testing.T, config simulator.Config, test func(*simulator.World, *platform)) {
	t.Helper()
	simulator.Run(t, simulator.WorldConfig{Config: config, MostCalls: 10_000_000}, func(w *simulator.World) {
		test(w, platformOn(w.T, w.DB()))
	})
}

func platformOn(t testing.TB, db *simulator.DB) *platform {
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	p := &platform{TB: t, db: db, source: func(context.Context, int) (signal.Estimate, error) {
		return signal.Estimate{Available: 7, Capacity: 10}, nil
	}}
	p.bucket = signal.Bucket{
		Name: name, Format: signal.BucketFormat, Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: "bucket",
	}
	// The tests of the audit and of the write budget turn them on.
	p.bucket.Checks.MaxStaleness, p.bucket.Checks.WriteBudget = 0, 1_000_000
	return p
}

// register makes the bucket's settings what they are, by a client of no account.
func (p *platform) register() {
	c := p.db.Client("setup")
	p.put(c, p.bucket.Item())
}

func (p *platform) put(c *simulator.Client, item signal.Item) {
	key := signal.Key{PK: item.Text(signal.AttrPK), SK: item.Text(signal.AttrSK)}
	w := protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}
	if _, err := dynamo.NewStore(c, table).Write(context.Background(), w); err != nil {
		p.Error(err)
	}
}

// dates is how many a product has.
const dates = 250

// day is the n-th signal, product by product.
func day(n int) signal.ProductDate {
	return signal.ProductDate{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: fmt.Sprint(n / dates)},
		Date:    signal.Date{Year: 2026, Month: time.August, Day: 1}.AddDays(n % dates),
	}
}

// numberOf is which signal a date has.
func numberOf(d signal.ProductDate) int {
	var product int
	if _, err := fmt.Sscan(d.ProductID, &product); err != nil {
		panic(err)
	}
	return product*dates + day(0).Date.DaysUntil(d.Date)
}

// seed seeds signals, from one number to before another: the first by the protocol,
// and the others after it, past all conditions.
func (p *platform) seed(from, to int, dirty bool) {
	c := p.db.Client("setup")
	first := protocol.Seed(protocol.Seeding{
		ProductDate: day(from), GSIPK: p.bucket.GSIPK(day(from).Key()), GlobalID: globalID(from),
		SeededBy: "terraform:00000000-0000-4000-8000-000000000000", Pattern: signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()},
		Expiry: time.Date(2036, time.January, 1, 0, 0, 0, 0, time.UTC), Value: "low", Dirty: dirty,
	}, c.Now()).Item
	p.put(c, first)
	out, err := c.GetItem(context.Background(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: attributes{
		signal.AttrPK: text(day(from).Key().PK), signal.AttrSK: text(day(from).Key().SK),
	}})
	if err != nil {
		p.Fatal(err)
	}
	const most = 25
	for begin := from; begin < to; begin += most {
		var puts []types.WriteRequest
		for n := begin; n < min(begin+most, to); n++ {
			item, key := maps.Clone(out.Item), day(n).Key()
			item[signal.AttrPK], item[signal.AttrSK] = text(key.PK), text(key.SK)
			item[signal.AttrGSIPK], item[signal.AttrGlobalID] = text(p.bucket.GSIPK(key)), text(globalID(n))
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: puts}}
		if out, err := c.BatchWriteItem(context.Background(), in); err != nil || len(out.UnprocessedItems) > 0 {
			p.Fatal(out, err)
		}
	}
}

type attributes = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func globalID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// later moves the clock of a platform whose time stands still.
func (p *platform) later(d time.Duration) { p.db.Clock().(*simulator.ManualClock).Advance(d) }

// runner is a function's runner.
func (p *platform) runner(c *simulator.Client) *check.Runner {
	store := dynamo.NewStore(c, table)
	return &check.Runner{
		Store: store, Registry: dynamo.NewRegistry(store), Source: p, Index: simulator.CadenceIndex,
		Now: c.Now, NewID: c.NewID, Random: c.Jitter, Log: slog.New(slog.DiscardHandler),
	}
}

// Estimate is source.Source's.
func (p *platform) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	p.mu.Lock()
	p.asked++
	p.mu.Unlock()
	return p.source(ctx, numberOf(d))
}

// run is one invocation of a function, which must work.
func (p *platform) run(c *simulator.Client) check.Report { return p.runFor(p.runner(c), c, tick) }

func (p *platform) runFor(r *check.Runner, c *simulator.Client, d time.Duration) check.Report {
	p.Helper()
	ctx, cancel := c.WithTimeout(d)
	defer cancel()
	report, err := r.Run(ctx, name)
	if err != nil {
		p.Error(err)
	}
	return report
}

// item is a signal as it is stored.
func (p *platform) item(n int) signal.Item {
	p.Helper()
	item, err := dynamo.NewStore(p.db.Client("setup"), table).Get(context.Background(), day(n).Key())
	if err != nil {
		p.Error(err)
	}
	return item
}

func (p *platform) flips(c *simulator.Client) *flip.Client {
	return flip.New(c, table, flip.WithClock(c.Now), flip.WithJitter(c.Jitter))
}

// flip flips signals, from one number to before another.
func (p *platform) flip(c *simulator.Client, from, to int) {
	flips := p.flips(c)
	for n := from; n < to; n++ {
		if err := flips.Flip(context.Background(), day(n).Key()); err != nil {
			p.Error(err)
		}
	}
}

// spent is what a client has spent, in the table and its indexes.
func (p *platform) spent(client string) simulator.Units {
	return p.db.Units(simulator.Scope{Client: client, Index: simulator.Everything})
}

// takes is a source that takes its time to answer.
func takes(d time.Duration) func(context.Context, int) (signal.Estimate, error) {
	return func(ctx context.Context, _ int) (signal.Estimate, error) {
		return signal.Estimate{Available: 7, Capacity: 10}, rest(ctx, d)
	}
}

func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errDown = errors.New("no answer")
