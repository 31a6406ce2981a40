package goals_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
)

// engine is a table that has all to do with one request at a time, and takes its
// time for each.
type engine struct {
	*simulator.Client
	busy chan struct{}
	each time.Duration
}

func newEngine(c *simulator.Client, each time.Duration) *engine {
	return &engine{c, make(chan struct{}, 1), each}
}

func (e *engine) work() {
	e.busy <- struct{}{}
	time.Sleep(e.each)
	<-e.busy
}

// UpdateItem is the SDK's.
func (e *engine) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	e.work()
	return e.Client.UpdateItem(ctx, in, options...)
}

// GetItem is the SDK's.
func (e *engine) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	e.work()
	return e.Client.GetItem(ctx, in, options...)
}

// Query is the SDK's.
func (e *engine) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	e.work()
	return e.Client.Query(ctx, in, options...)
}

// Where the engine is what takes time, a check is two writes and little more.
func TestP3_checksBesideBareWrites(t *testing.T) {
	inWorld(t, simulator.Config{}, func(w *simulator.World, p *platform) {
		const signals, each = 1000, time.Millisecond
		p.register()
		p.seed(0, signals, true)
		bare := dynamo.NewStore(newEngine(w.Client("bare"), each), table)
		began := time.Now()
		for n := range signals {
			if _, err := bare.Write(w.Context(), protocol.Flip(day(n).Key(), time.Now())); err != nil {
				w.Error(err)
			}
		}
		writes := time.Since(began)

		c := w.Client("function")
		store := dynamo.NewStore(newEngine(c, each), table)
		r := p.runner(c)
		r.Store, r.Registry = store, dynamo.NewRegistry(store)
		began = time.Now()
		report := p.runFor(r, c, time.Hour)
		checks := time.Since(began)
		ratio := float64(writes) / float64(checks)
		w.Logf("%d bare writes in %s, as many checks in %s: %.2f", signals, writes, checks, ratio)
		if report.Cleaned != signals || ratio < 0.45 {
			w.Errorf("%d cleaned, at %.2f times the rate of bare writes", report.Cleaned, ratio)
		}
	})
}

// Where checks take time, many at once take little more than one.
func TestP3_checksBesideOneAtATime(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		times float64
	}{{20 * time.Millisecond, 40}, {5 * time.Millisecond, 15}} {
		inWorld(t, simulator.Config{}, func(w *simulator.World, p *platform) {
			const signals = 1280
			p.source = takes(c.takes)
			inTurn := p.drain(w, "one at a time", 1, signals)
			atOnce := p.drain(w, "many at once", 64, signals)
			ratio := float64(inTurn) / float64(atOnce)
			w.Logf("checks of %s: %s one at a time, %s 64 at once: %.1f", c.takes, inTurn, atOnce, ratio)
			if ratio < c.times {
				w.Errorf("checks of %s: %.1f times the rate of one at a time, want %.0f", c.takes, ratio, c.times)
			}
		})
	}
}

// drain measures how long a run takes to clean so many, with so many checks at
// once and writes that take two milliseconds each way.
func (p *platform) drain(w *simulator.World, who string, concurrency, signals int) time.Duration {
	p.bucket.Checks.Concurrency = concurrency
	p.register()
	p.seed(0, signals, true)
	c := w.Client(who)
	r := p.runner(c)
	r.Store = distant{r.Store}
	began := time.Now()
	if report := p.runFor(r, c, time.Hour); report.Cleaned != int64(signals) {
		p.Errorf("%d cleaned", report.Cleaned)
	}
	return time.Since(began)
}
