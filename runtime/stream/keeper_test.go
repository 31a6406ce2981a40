package stream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// meddled does something else before each write: what others do meanwhile.
type meddled struct {
	stream.Signals
	before func(what string, n int)

	mu sync.Mutex
	n  int
}

func (m *meddled) meddle(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	m.before(what, m.n)
}

func (m *meddled) Seed(ctx context.Context, d signal.ProductDate, t dynamo.Terms, b signal.Bucket) error {
	m.meddle("seed")
	return m.Signals.Seed(ctx, d, t, b)
}

func (m *meddled) Update(ctx context.Context, is dynamo.Standing, t dynamo.Terms, b signal.Bucket) error {
	m.meddle("update")
	return m.Signals.Update(ctx, is, t, b)
}

func (m *meddled) Adopt(ctx context.Context, is dynamo.Standing, t dynamo.Terms, b signal.Bucket) error {
	m.meddle("adopt")
	return m.Signals.Adopt(ctx, is, t, b)
}

func (m *meddled) Delete(ctx context.Context, is dynamo.Standing) error {
	m.meddle("delete")
	return m.Signals.Delete(ctx, is)
}

func (w *world) meddle(before func(what string, n int)) {
	w.keeper.Signals = &meddled{Signals: w.keeper.Signals, before: before}
}

// What changes between the look and the write is noticed by the look after it.
func TestConsume_changesDuringHandling(t *testing.T) {
	t.Parallel()
	hourly := signal.Item{"availabilityEstimationPattern": exact(minutes(60))}
	for name, tt := range map[string]struct {
		there  func(*world)
		change func(*world)
		want   stream.Counts
		then   func(signal.Item) bool
	}{
		"the date is deleted while it is seeded": {
			nil, func(w *world) { remove(w.t, w.platform, dateKey(campOn(5))) },
			stream.Counts{Records: 1, Seeded: 1, Deleted: 1},
			func(i signal.Item) bool { return i == nil },
		},
		"the product is deleted while it is seeded": {
			nil, func(w *world) { w.product(signal.Item{"isDeleted": signal.Bool(true)}) },
			stream.Counts{Records: 1, Seeded: 1, Deleted: 1},
			func(i signal.Item) bool { return i == nil },
		},
		"the pattern changes while it is seeded": {
			nil, func(w *world) { w.date(5, hourly) },
			stream.Counts{Records: 1, Seeded: 1, Updated: 1},
			func(i signal.Item) bool { return i.Text("gsipk") == "cadenceBucket::1h" },
		},
		"the zone changes while it is seeded": {
			nil, func(w *world) {
				p := vancouver()
				p["timezone"] = signal.S("America/Toronto")
				w.product(p)
			},
			stream.Counts{Records: 1, Seeded: 1, Updated: 1},
			func(i signal.Item) bool { return i.Text("expiry") == "2026-07-06T04:00:00.000Z" },
		},
		"another seeder is faster": {
			nil, func(w *world) { w.seededBy("terraform:x", 5, nil) },
			stream.Counts{Records: 1},
			func(i signal.Item) bool { return i.Text("seededBy") == "terraform:x" },
		},
		"a stranger is faster": {
			nil, func(w *world) { w.seededBy("", 5, nil) },
			stream.Counts{Records: 1, Adopted: 1},
			func(i signal.Item) bool { return i.Text("seededBy") == "stream" },
		},
		"another handler is faster, with what was true before": {
			nil, func(w *world) {
				w.seededBy("stream", 5, func(i signal.Item) { i["gsipk"] = signal.S("cadenceBucket::1h") })
			},
			stream.Counts{Records: 1, Updated: 1},
			func(i signal.Item) bool { return i.Text("gsipk") == "cadenceBucket::5min" },
		},
		"it is taken over while it is updated": {
			func(w *world) {
				w.seededBy("stream", 5, func(i signal.Item) { i["gsipk"] = signal.S("cadenceBucket::1h") })
			},
			func(w *world) { w.seededBy("terraform:x", 5, nil) },
			stream.Counts{Records: 1},
			func(i signal.Item) bool { return i.Text("seededBy") == "terraform:x" },
		},
		"it is gone while it is updated": {
			func(w *world) {
				w.seededBy("stream", 5, func(i signal.Item) { i["gsipk"] = signal.S("cadenceBucket::1h") })
			},
			func(w *world) { remove(w.t, w.signals, campOn(5).Key()) },
			stream.Counts{Records: 1, Seeded: 1},
			func(i signal.Item) bool { return i.Text("gsisk") == "dirty" },
		},
		"somebody takes it while it is adopted": {
			func(w *world) { w.seededBy("", 5, nil) },
			func(w *world) { w.seededBy("terraform:x", 5, nil) },
			stream.Counts{Records: 1},
			func(i signal.Item) bool { return i.Text("seededBy") == "terraform:x" },
		},
		"the date comes back while its signal is deleted": {
			func(w *world) {
				w.seededBy("stream", 5, nil)
				remove(w.t, w.platform, dateKey(campOn(5)))
			},
			func(w *world) { w.date(5, signal.Item{}) },
			stream.Counts{Records: 1, Deleted: 1, Seeded: 1},
			func(i signal.Item) bool { return i.Text("gsisk") == "dirty" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{})
			w.product(vancouver())
			w.date(5, signal.Item{})
			if tt.there != nil {
				tt.there(w)
			}
			w.meddle(func(_ string, n int) {
				if n == 1 {
					tt.change(w)
				}
			})
			want(t, w.consume(dateKey(campOn(5))), tt.want)
			if is := w.signal(5); !tt.then(is) {
				t.Errorf("the signal ends as %v", is)
			}
		})
	}
}

// What never comes to rest is given up, and delivered again.
func TestConsume_neverSettles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.product(vancouver())
	w.date(5, signal.Item{})
	w.seededBy("stream", 6, nil)
	writes := 0
	w.meddle(func(_ string, n int) {
		writes = n
		w.date(5, signal.Item{"availabilityEstimationPattern": exact(minutes(int64(5 + 55*(n%2))))})
	})
	r := w.consume(dateKey(campOn(5)), pool(6, "a"))
	if r.Retried != 1 || len(r.Failures) != 1 || r.Failures[0] != sequence(1) || r.Flipped != 1 {
		t.Errorf("report %+v", r)
	}
	if writes != 8 || !strings.Contains(w.log.String(), "keep changing") {
		t.Errorf("%d writes, log %s", writes, w.log.String())
	}
}

func rejecting(operation string, how simulator.Rejection) simulator.Faults {
	return func(_ *rand.Rand, c *simulator.Call) simulator.Fault {
		if c.Client == "function" && c.Operation == operation {
			return simulator.Fault{Reject: how}
		}
		return simulator.Fault{}
	}
}

// One record that cannot be handled now keeps no other from it, and only it is
// delivered again.
func TestConsume_onlyWhatFailedAgain(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]simulator.Rejection{
		"throttled": simulator.Throttling, "server error": simulator.ServerError, "no connection": simulator.NeverSent, "conflict": simulator.Conflicting,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Faults: rejecting("PutItem", how)})
			w.product(vancouver())
			w.date(5, signal.Item{})
			w.seededBy("stream", 6, nil)
			r := w.consume(pool(6, "a"), dateKey(campOn(5)), signal.Key{PK: "productDate::x", SK: "y"}, dateKey(campOn(5)))
			if diff := cmp.Diff([]string{sequence(2), sequence(4)}, r.Failures); diff != "" || r.Flipped != 1 || r.Poison != 1 || r.Retried != 2 {
				t.Errorf("report %+v, failures (-want +got):\n%s", r, diff)
			}
		})
	}
}

// passing answers the first question for a bucket with an error.
type passing struct {
	stream.Signals
	asked *atomic.Int64
}

func (p passing) Bucket(ctx context.Context, name string) (signal.Bucket, error) {
	if p.asked.Add(1) == 1 {
		return signal.Bucket{}, fmt.Errorf("read bucket %q: %w", name, dynamo.ErrThrottled)
	}
	return p.Signals.Bucket(ctx, name)
}

// That a bucket cannot be read for a moment is the one date's failure that met it, not
// that of all others of the batch.
func TestConsume_bucketThatCannotBeReadForAMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.product(vancouver())
	var keys []signal.Key
	for day := 5; day <= 31; day++ {
		w.date(day, signal.Item{})
		keys = append(keys, dateKey(campOn(day)))
	}
	w.keeper.Signals = passing{w.keeper.Signals, new(atomic.Int64)}
	if r := w.consume(keys...); len(r.Failures) != 1 || r.Seeded != len(keys)-1 {
		t.Errorf("%d of %d seeded, %d to be delivered again", r.Seeded, len(keys), len(r.Failures))
	}
}

// A table that takes no such write will not take it another time either.
func TestConsume_hopeless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.product(vancouver())
	w.date(5, signal.Item{})
	w.seededBy("stream", 6, nil)
	w.keeper.Signals = failing{w.keeper.Signals, dynamo.ErrRejected}
	r := w.consume(dateKey(campOn(5)), pool(6, "a"))
	if r.Abandoned != 1 || r.Retried != 0 || len(r.Failures) != 0 || len(r.Problems) != 1 || r.Problems[0].Key != campOn(5).String() {
		t.Errorf("report %+v", r)
	}
}

type failing struct {
	stream.Signals
	err error
}

func (f failing) Seed(context.Context, signal.ProductDate, dynamo.Terms, signal.Bucket) error {
	return fmt.Errorf("seed: %w", f.err)
}

// Where nothing can be done the invocation fails, and everything is delivered again.
func TestConsume_nothingCanBeDone(t *testing.T) {
	t.Parallel()
	for _, class := range []error{dynamo.ErrAccessDenied, dynamo.ErrTableNotFound} {
		w := newWorld(t, simulator.Config{})
		w.product(vancouver())
		w.date(5, signal.Item{})
		w.keeper.Signals = failing{w.keeper.Signals, class}
		records, err := stream.ParseEvent(batch(record("1", dateKey(campOn(5)).PK, "2026-07-05")))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := w.consumer.Consume(t.Context(), records); !errors.Is(err, class) || len(r.Failures) != 1 {
			t.Errorf("report %+v, error %v", r, err)
		}
	}
	w := newWorld(t, simulator.Config{Faults: rejecting("GetItem", simulator.ServerError)})
	records := []stream.Record{{Key: dateKey(campOn(5))}}
	if r, err := w.consumer.Consume(t.Context(), records); err == nil || r.Retried != 1 {
		t.Errorf("a record without a sequence number: %+v, %v", r, err)
	}
}

// What is not done by the deadline is said in time.
func TestConsume_deadline(t *testing.T) {
	t.Parallel()
	simulator.Run(t, simulator.WorldConfig{Start: now, Config: simulator.Config{Faults: func(_ *rand.Rand, c *simulator.Call) simulator.Fault {
		if c.Client == "function" {
			return simulator.Fault{Delay: 900 * time.Millisecond}
		}
		return simulator.Fault{}
	}}}, func(sim *simulator.World) {
		sim.DB().CreateTable(simulator.SignalTable(signalsTable, "INCLUDE"))
		sim.DB().CreateTable(simulator.SignalTable(platformTable, "ALL"))
		setup := sim.Client("test")
		w := &world{t: sim, signals: dynamo.NewStore(setup, signalsTable), platform: dynamo.NewStore(setup, platformTable), client: setup}
		w.register("5min", signal.Cadence{Minutes: 5})
		w.product(vancouver())
		for day := 5; day <= 31; day++ {
			w.date(day, signal.Item{})
		}
		c := sim.Client("function")
		consumer := &stream.Consumer{Keeper: newKeeper(c), Log: discard()}
		ctx, end := c.WithTimeout(8 * time.Second)
		defer end()
		records, err := stream.ParseEvent(batch(record("1", camp.ItemKey().PK, "1")))
		if err != nil {
			sim.Fatal(err)
		}
		r, err := consumer.Consume(ctx, records)
		if err != nil || len(r.Failures) != 1 || r.Seeded == 0 || r.Seeded == 27 || r.DurationMS > 8000 {
			sim.Errorf("report %+v, %v", r, err)
		}
		// The next delivery goes on where this one ended.
		ctx, end = c.WithTimeout(10 * time.Minute)
		defer end()
		again, err := consumer.Consume(ctx, records)
		if err != nil || len(again.Failures) != 0 || again.Seeded+again.Unchanged != 27 || again.Unchanged < r.Seeded {
			sim.Errorf("report %+v, then %+v, %v", r, again, err)
		}
	})
}

// Reading costs nothing that is not needed: a date is three reads, a whole product
// one read and three queries.
func TestConsume_reads(t *testing.T) {
	t.Parallel()
	calls := map[string]int{}
	w := newWorld(t, simulator.Config{OnCall: func(o simulator.Outcome) {
		if o.Client == "function" {
			calls[o.Operation]++
		}
	}})
	w.product(vancouver())
	for day := 5; day <= 31; day++ {
		w.date(day, signal.Item{})
	}
	w.consume(camp.ItemKey())
	clear(calls)
	w.consume(dateKey(campOn(5)))
	w.consume(camp.ItemKey())
	// Of each, one more is the bucket.
	if diff := cmp.Diff(map[string]int{"GetItem": 3 + 1 + 1 + 1, "Query": 3}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	w.keeper.Platform = dynamo.NewStore(strict{w.client, t}, platformTable)
	w.consume(dateKey(campOn(5)), camp.ItemKey())
}

// strict fails a test whose reads are not strongly consistent.
type strict struct {
	*simulator.Client
	t *testing.T
}

func (l strict) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if in.ConsistentRead == nil || !*in.ConsistentRead {
		l.t.Errorf("an eventually consistent read of %v", in.Key)
	}
	return l.Client.GetItem(ctx, in, opts...)
}

func (l strict) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if in.ConsistentRead == nil || !*in.ConsistentRead {
		l.t.Errorf("an eventually consistent query of %v", in.ExpressionAttributeValues)
	}
	return l.Client.Query(ctx, in, opts...)
}
