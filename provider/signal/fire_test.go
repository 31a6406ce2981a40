package signal_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// What each date has to begin with, so that no booking empties it.
const capacity = 100_000

// fire is a platform in full operation: bookings, each followed by its flip, and
// runs of every bucket, one after the other.
type fire struct {
	t      *testing.T
	db     *dynamodb.Client
	table  string
	store  *dynamo.Store
	pools  *source.Pool
	flips  *flip.Client
	runner *check.Runner

	mu     sync.Mutex
	booked []signal.ProductDate

	flipped, cleaned atomic.Int64
	lit              time.Time
	stop             context.CancelFunc
	all              sync.WaitGroup
}

// bookingsASecond is how many there are, each with its flip.
const bookingsASecond = 100

// kindle makes an empty table with nobody about yet.
func kindle(t *testing.T) *fire {
	t.Helper()
	f := &fire{t: t, db: acctest.DynamoDB(t), table: acctest.Table(t)}
	f.store = dynamo.NewStore(f.db, f.table)
	f.pools = source.NewPool(f.store)
	f.flips = flip.New(f.db, f.table)
	f.runner = &check.Runner{
		Store: f.store, Registry: dynamo.NewRegistry(f.store), Source: f.pools, Table: f.table, Index: acctest.CadenceIndex,
		Now: time.Now, NewID: rand.Text, Random: mathrand.Float64, Log: slog.New(slog.DiscardHandler),
	}
	return f
}

// open gives dates their inventory, and lets them be booked.
func (f *fire) open(dates ...signal.ProductDate) {
	f.t.Helper()
	for _, d := range dates {
		if err := f.book(f.t.Context(), d, capacity); err != nil {
			f.t.Fatal(err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.booked = append(f.booked, dates...)
}

// lastCall books some of the dates once more, and never again: what is lost of them
// now, no later flip makes good.
func (f *fire) lastCall(n int) {
	f.mu.Lock()
	n = min(n, len(f.booked))
	last := slices.Clone(f.booked[:n])
	f.booked = f.booked[n:]
	f.mu.Unlock()
	for _, d := range last {
		f.take(d)
	}
}

// burn books a hundred times a second, and runs the buckets, until the fire is put
// out. Bookings that are late, because all clerks are at work, are made up for.
func (f *fire) burn(buckets ...string) {
	ctx, stop := context.WithCancel(f.t.Context())
	f.stop, f.lit = stop, time.Now()
	orders := make(chan signal.ProductDate)
	f.all.Go(func() {
		defer close(orders)
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Until(f.lit.Add(time.Duration(n) * time.Second / bookingsASecond))):
			}
			if d, ok := f.any(); ok {
				orders <- d
			}
		}
	})
	for range 32 {
		f.all.Go(func() {
			for d := range orders {
				f.take(d)
			}
		})
	}
	for _, bucket := range buckets {
		f.all.Go(func() {
			for ctx.Err() == nil {
				f.run(bucket)
				select {
				case <-ctx.Done():
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
}

// putOut ends bookings and runs, after those under way, and is how many flips a
// second there were.
func (f *fire) putOut() (rate float64) {
	f.stop()
	f.all.Wait()
	return float64(f.flipped.Load()) / time.Since(f.lit).Seconds()
}

func (f *fire) any() (signal.ProductDate, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.booked) == 0 {
		return signal.ProductDate{}, false
	}
	return f.booked[mathrand.IntN(len(f.booked))], true
}

// take is what the application does: it commits, then flips. It is the test's end
// that ends neither half-way.
func (f *fire) take(d signal.ProductDate) {
	ctx := context.WithoutCancel(f.t.Context())
	if err := f.book(ctx, d, -1); err != nil {
		f.t.Error(err)
		return
	}
	if err := f.flips.Flip(ctx, d.Key()); err != nil {
		f.t.Error(err)
		return
	}
	f.flipped.Add(1)
}

// book adds to what is left of a date.
func (f *fire) book(ctx context.Context, d signal.ProductDate, n int) error {
	_, err := f.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &f.table,
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: fmt.Sprintf("inventoryPool::%s::%s::%s::%s::%s", d.CollectionID, d.ActivityType, d.ActivityID, d.ProductID, d.Date)},
			"sk": &types.AttributeValueMemberS{Value: "pool"},
		},
		UpdateExpression:         aws.String("SET #c = :c ADD #a :n"),
		ExpressionAttributeNames: map[string]string{"#a": "availability", "#c": "capacity"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":n": &types.AttributeValueMemberN{Value: strconv.Itoa(n)}, ":c": &types.AttributeValueMemberN{Value: strconv.Itoa(2 * capacity)},
		},
	})
	if err != nil {
		return fmt.Errorf("book %q: %w", d, err)
	}
	return nil
}

// run is a tick. A bucket may be about to come, or gone.
func (f *fire) run(bucket string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(f.t.Context()), time.Minute)
	defer stop()
	report, err := f.runner.Run(ctx, bucket)
	if err != nil && !errors.Is(err, dynamo.ErrNotRegistered) {
		f.t.Errorf("a run of %s: %v", bucket, err)
	}
	f.cleaned.Add(int64(report.Cleaned))
}

// holdNothingLost holds that after a few more ticks each of the dates, and no other,
// has a clean signal whose value is what is left.
func (f *fire) holdNothingLost(pattern func(signal.ProductDate) signal.Pattern, buckets []string, dates []signal.ProductDate) {
	f.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for _, d := range dates {
		estimate, err := f.pools.Estimate(f.t.Context(), d)
		if err != nil {
			f.t.Fatal(err)
		}
		want, _ := pattern(d).Cache(estimate)
		for {
			item, err := f.store.Get(f.t.Context(), d.Key())
			if err != nil {
				f.t.Fatal(err)
			}
			if item.Text(signal.AttrGSISK) == signal.Clean || time.Now().After(deadline) {
				if item.Text(signal.AttrGSISK) != signal.Clean || item.Text(signal.AttrValue) != want {
					f.t.Errorf("%s is %v, want %s", d, item, want)
				}
				break
			}
			for _, bucket := range buckets {
				f.run(bucket)
			}
		}
	}
	products := map[signal.Product]bool{}
	for _, d := range dates {
		products[d.Product] = true
	}
	for product := range products {
		for item, err := range f.store.Query(f.t.Context(), dynamo.Query{Hash: signal.AttrPK, Partition: product.PK()}) {
			if err != nil {
				f.t.Fatal(err)
			}
			if !slices.ContainsFunc(dates, func(d signal.ProductDate) bool { return d.Key() == item.Key() }) {
				f.t.Errorf("a flip or a check brought back %v", item)
			}
		}
	}
}
