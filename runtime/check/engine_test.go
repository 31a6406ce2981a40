package check_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// platform is a table on a DynamoDB, with signals and their inventory.
type platform struct {
	testing.TB
	db     *dynamodb.Client
	table  string
	store  *dynamo.Store
	bucket signal.Bucket
}

func newPlatform(t testing.TB, projection awstest.Projection) *platform {
	t.Helper()
	p := &platform{TB: t, db: awstest.DynamoDB(t)}
	p.table = awstest.Table(t, p.db, projection)
	p.store = dynamo.NewStore(p.db, p.table)
	p.bucket = signal.Bucket{
		Name: "5min", Cadence: signal.Cadence{Minutes: 5}, Shards: 4, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: rand.Text(),
	}
	p.bucket.Checks.MaxStaleness, p.bucket.Checks.WriteBudget = 0, 1_000_000
	if err := dynamo.NewRegistry(p.store).Create(t.Context(), p.bucket); err != nil {
		t.Fatal(err)
	}
	return p
}

// runner is one of the runtime's own, with a source that others may wrap.
func (p *platform) runner(s source.Source) *check.Runner {
	return &check.Runner{
		Store: p.store, Registry: dynamo.NewRegistry(p.store), Source: s, Index: awstest.CadenceIndex,
		Now: time.Now, NewID: rand.Text, Random: mathrand.Float64, Log: slog.New(slog.DiscardHandler),
	}
}

// unheld is a runner whose runs never get hold of their bucket, so that they all
// drain it at once: safety must not depend on that they do not.
func (p *platform) unheld(s source.Source) *check.Runner {
	r := p.runner(s)
	r.Store = unheldStore{p.store}
	return r
}

type unheldStore struct{ check.Store }

func (s unheldStore) Write(ctx context.Context, w protocol.Write) (signal.Item, error) {
	if w.Op == protocol.OpTakeRun {
		return nil, dynamo.ErrThrottled
	}
	return s.Store.Write(ctx, w)
}

func (p *platform) pools() source.Source { return source.NewPool(p.store) }

func (p *platform) run(r *check.Runner) check.Report {
	p.Helper()
	report, err := r.Run(p.Context(), p.bucket.Name)
	if err != nil {
		p.Fatal(err)
	}
	return report
}

// day is a date with two pools, of 10 and 30, that has nothing booked.
func (p *platform) day(i int, pattern signal.Pattern) signal.ProductDate {
	p.Helper()
	d := signal.ProductDate{Product: loop, Date: signal.Date{Year: 2027, Month: time.July, Day: 1}.AddDays(i)}
	for pool, capacity := range map[string]string{"a": "10", "b": "30"} {
		_, err := p.db.PutItem(p.Context(), &dynamodb.PutItemInput{TableName: &p.table, Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: d.PoolPK()}, "sk": &types.AttributeValueMemberS{Value: pool},
			"capacity": &types.AttributeValueMemberN{Value: capacity}, "availability": &types.AttributeValueMemberN{Value: capacity},
		}})
		if err != nil {
			p.Fatal(err)
		}
	}
	awstest.Seed(p, p.store, d, p.bucket.Name, pattern)
	return d
}

// book changes a pool's availability, and flips the signal once that is committed.
func (p *platform) book(ctx context.Context, d signal.ProductDate, change int) error {
	_, err := p.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &p.table,
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: d.PoolPK()}, "sk": &types.AttributeValueMemberS{Value: "b"},
		},
		UpdateExpression:          aws.String("ADD #a :change"),
		ExpressionAttributeNames:  map[string]string{"#a": "availability"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":change": &types.AttributeValueMemberN{Value: strconv.Itoa(change)}},
	})
	if err != nil {
		return err
	}
	_, err = p.store.Write(ctx, protocol.Flip(d.Key(), time.Now()))
	return err
}

func (p *platform) signal(d signal.ProductDate) signal.Item {
	p.Helper()
	item, err := p.store.Get(p.Context(), d.Key())
	if err != nil {
		p.Fatal(err)
	}
	return item
}

func TestRun_onDynamoDB(t *testing.T) {
	for name, projection := range map[string]awstest.Projection{"index as documented": awstest.Included, "generic index": awstest.All} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, projection)
			exact := p.day(0, signal.Pattern{Mode: signal.Exact})
			tiered := p.day(1, signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()})
			if err := p.book(t.Context(), tiered, -15); err != nil {
				t.Fatal(err)
			}
			runner := p.runner(p.pools())

			report := p.run(runner)
			if report.Seen != 2 || report.Cleaned != 2 || report.Changed != 2 || len(report.Failures) != 0 {
				t.Errorf("report: %+v", report)
			}
			for d, want := range map[signal.ProductDate]string{exact: "40", tiered: "medium"} {
				item := p.signal(d)
				if item.Text(signal.AttrGSISK) != signal.Clean || item.Text(signal.AttrValue) != want {
					t.Errorf("%s: want clean, %s: %v", d, want, item)
				}
				if got := item.Text(signal.AttrGSIPK); got != p.bucket.GSIPK(d.Key()) {
					t.Errorf("%s is in %s, want it in its shard", d, got)
				}
			}
			if report := p.run(runner); report.Seen != 0 {
				t.Errorf("a second run saw %d dirty", report.Seen)
			}
			item, err := p.store.Get(t.Context(), signal.RunKey(p.bucket.Name))
			if err != nil || !item[protocol.AttrReport].Exists() || item.Text(protocol.AttrPreviousStartedAt) != signal.FormatInstant(report.Started) {
				t.Errorf("run item: %v, %v", item, err)
			}
		})
	}
}

func TestRun_finishesOfEveryKindOnDynamoDB(t *testing.T) {
	p := newPlatform(t, awstest.Included)
	exact := signal.Pattern{Mode: signal.Exact}
	raced, broken, out, late := p.day(0, exact), p.day(1, exact), p.day(2, exact), p.day(3, exact)
	s := sourceFunc(func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
		switch d {
		case raced:
			if err := p.book(ctx, d, -1); err != nil {
				t.Error(err)
			}
		case broken:
			return signal.Estimate{}, &source.ItemError{Item: "pool", Reason: "broken"}
		case out:
			return signal.Estimate{}, context.DeadlineExceeded
		case late:
			<-ctx.Done()
			return signal.Estimate{}, ctx.Err()
		}
		return p.pools().Estimate(ctx, d)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	report, err := p.runner(s).Run(ctx, p.bucket.Name)
	if err != nil {
		t.Fatal(err)
	}
	if report.Raced != 1 || report.Failed != 1 || report.BackedOff != 2 || report.Released != 0 {
		t.Errorf("report: %+v", report)
	}
	for d, want := range map[signal.ProductDate][]string{
		raced:  {signal.AttrValue, signal.AttrLastUpdatedAt},
		broken: {signal.AttrAttempts, signal.AttrNotBefore},
		out:    {signal.AttrNotBefore},
		late:   {signal.AttrNotBefore},
	} {
		item := p.signal(d)
		if item.Text(signal.AttrGSISK) != signal.Dirty || item[signal.AttrClaimedBy].Exists() || item[signal.AttrLeaseUntil].Exists() {
			t.Errorf("%s: want it dirty and free: %v", d, item)
		}
		has := map[string]bool{}
		for _, name := range want {
			has[name] = true
		}
		for _, name := range []string{signal.AttrValue, signal.AttrLastUpdatedAt, signal.AttrAttempts, signal.AttrNotBefore} {
			if item[name].Exists() != has[name] {
				t.Errorf("%s: has %s: %v, want %v", d, name, item[name].Exists(), has[name])
			}
		}
	}
}

type sourceFunc func(context.Context, signal.ProductDate) (signal.Estimate, error)

func (f sourceFunc) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	return f(ctx, d)
}

// Two runs at once, as after an event that was delivered twice, share the work.
func TestRun_overlappingRunsRepeatNoCheck(t *testing.T) {
	p := newPlatform(t, awstest.Included)
	const signals = 60
	for i := range signals {
		p.day(i, signal.Pattern{Mode: signal.Exact})
	}
	var mu sync.Mutex
	asked := map[signal.ProductDate]int{}
	s := sourceFunc(func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
		mu.Lock()
		asked[d]++
		mu.Unlock()
		return p.pools().Estimate(ctx, d)
	})
	var reports [2]check.Report
	var errs [2]error
	var runs sync.WaitGroup
	for i := range reports {
		runs.Go(func() { reports[i], errs[i] = p.unheld(s).Run(t.Context(), p.bucket.Name) })
	}
	runs.Wait()
	for i := range errs {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if r := reports[i]; r.Failed+r.BackedOff+r.Abandoned+r.Superseded+r.Remaining != 0 || r.Claimed+r.Refused != r.Due {
			t.Errorf("run %d: %+v", i, r)
		}
	}
	if cleaned := reports[0].Cleaned + reports[1].Cleaned; cleaned != signals || len(asked) != signals {
		t.Errorf("%d cleaned, %d asked for; want %d", cleaned, len(asked), signals)
	}
	for d, n := range asked {
		if n != 1 {
			t.Errorf("%s was checked %d times", d, n)
		}
	}
}

// Bookings go on while runs overlap; in the end, every value is what the pools say.
func TestRun_flipsDuringChecksAreNotLost(t *testing.T) {
	p := newPlatform(t, awstest.Included)
	const signals, writers, bookings = 6, 4, 100
	days := make([]signal.ProductDate, signals)
	for i := range days {
		days[i] = p.day(i, signal.Pattern{Mode: signal.Exact})
	}
	// Beside those that happen to, the first check of each is raced for certain.
	var first sync.Map
	source := sourceFunc(func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
		e, err := p.pools().Estimate(ctx, d)
		if _, again := first.LoadOrStore(d, true); !again {
			if err := p.book(ctx, d, -1); err != nil {
				t.Error(err)
			}
		}
		return e, err
	})

	var booking sync.WaitGroup
	for w := range writers {
		booking.Go(func() {
			random := mathrand.New(mathrand.NewPCG(1, uint64(w)))
			for range bookings {
				if err := p.book(t.Context(), days[random.IntN(signals)], random.IntN(3)-1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { booking.Wait(); close(over) }()

	var running sync.WaitGroup
	var mu sync.Mutex
	var total check.Counts
	for range 2 {
		running.Go(func() {
			for {
				report, err := p.unheld(source).Run(t.Context(), p.bucket.Name)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				total.Cleaned += report.Cleaned
				total.Raced += report.Raced
				mu.Unlock()
				select {
				case <-over:
					if report.Seen == 0 {
						return
					}
				default:
				}
			}
		})
	}
	running.Wait()

	t.Logf("%d bookings: %d checks cleaned, %d raced", signals+writers*bookings, total.Cleaned, total.Raced)
	if total.Raced < signals {
		t.Errorf("%d checks were raced, want at least %d", total.Raced, signals)
	}
	for _, d := range days {
		e, err := p.pools().Estimate(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		item := p.signal(d)
		want, _ := signal.Pattern{Mode: signal.Exact}.Cache(e)
		if item.Text(signal.AttrGSISK) != signal.Clean || item.Text(signal.AttrValue) != want {
			t.Errorf("%s is %s with %q, want clean with %q", d, item.Text(signal.AttrGSISK), item.Text(signal.AttrValue), want)
		}
	}
}

func TestRun_manyOnDynamoDB(t *testing.T) {
	p := newPlatform(t, awstest.Included)
	const signals = 1000
	var seeding sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range signals {
		slots <- struct{}{}
		seeding.Go(func() {
			defer func() { <-slots }()
			d := signal.ProductDate{Product: loop, Date: signal.Date{Year: 2027, Month: time.July, Day: 1}.AddDays(i)}
			awstest.Seed(t, p.store, d, p.bucket.Name, signal.Pattern{Mode: signal.Exact})
		})
	}
	seeding.Wait()
	s := sourceFunc(func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
		return signal.Estimate{Available: int64(d.Date.Day), Capacity: 31}, nil
	})
	report := p.run(p.runner(s))
	if report.Cleaned != signals || report.Abandoned+report.Failed+report.Remaining != 0 {
		t.Errorf("report: %+v", report)
	}
	t.Logf("%d checks in %d ms", report.Cleaned, report.DurationMS)
	for _, i := range []int{0, 567, signals - 1} {
		d := signal.ProductDate{Product: loop, Date: signal.Date{Year: 2027, Month: time.July, Day: 1}.AddDays(i)}
		if got, want := p.signal(d).Text(signal.AttrValue), fmt.Sprint(d.Date.Day); got != want {
			t.Errorf("%s = %q, want %q", d, got, want)
		}
	}
}
