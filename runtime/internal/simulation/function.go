package simulation

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// invocation is how long a function may run.
const invocation = 2 * time.Minute

// schedule triggers runs. A function that crashes is followed by another.
func (w *world) schedule(a Actor) {
	var c *simulator.Client
	for _, s := range a.Steps {
		time.Sleep(s.Wait)
		if c == nil || c.Crashed() {
			c = w.Client(named(functionName, a.Number), simulator.WithSkew(a.Skew))
		}
		var runs sync.WaitGroup
		if s.Deed == TickTwice {
			other := w.Client(named(functionName, a.Number), simulator.WithSkew(a.Skew))
			runs.Go(func() { w.tick(other) })
		}
		w.tick(c)
		runs.Wait()
	}
}

// tick runs the buckets that signals may be in.
func (w *world) tick(c *simulator.Client) {
	w.run(c, regular)
	if w.plan.has(OtherBucket) {
		w.run(c, seldom)
	}
}

func (p Plan) has(deed Deed) bool {
	for _, a := range p.Actors {
		for _, s := range a.Steps {
			if s.Deed == deed {
				return true
			}
		}
	}
	return false
}

// run is one invocation of the function.
func (w *world) run(c *simulator.Client, bucket string) {
	store := dynamo.NewStore(c, table)
	r := check.Runner{
		Store: w.rules.store(store), Registry: dynamo.NewRegistry(store), Source: w.source(c), Settle: w.plan.settle(),
		Index: simulator.CadenceIndex, Now: c.Now, NewID: c.NewID, Random: c.Jitter, Log: slog.New(slog.DiscardHandler),
	}
	if w.rules.SameID {
		r.NewID = func() string { return "request" }
	}
	if w.rules.NoSettle {
		r.Settle = 0
	}
	ctx, cancel := c.WithTimeout(invocation)
	defer cancel()
	if w.rules.EarlyRead {
		r.Source = readEarly(ctx, w.plan, r.Source)
	}
	report, err := r.Run(ctx, bucket)
	w.story.tell(time.Now(), "%s ends its run of %s: %s %v", c, bucket, counted(report.Counts), err)
	bad := err != nil || c.Crashed() || !report.HeldUntil.IsZero() || report.SourceError != "" ||
		report.Remaining+report.Released+report.Abandoned+report.Superseded+report.Refused+report.Failed > 0
	if bad {
		w.judge.excuse(cadence)
	}
}

// source is where availability comes from.
func (w *world) source(c *simulator.Client) source.Source {
	switch {
	case w.plan.Lag > 0:
		return &lagging{w.judge, c, w.plan}
	case w.rules.StaleSource:
		return source.NewPool(dynamo.NewStore(staleReads{c}, table))
	}
	return source.NewPool(dynamo.NewStore(c, table))
}

// lagging is a source that shows what was there some time before.
type lagging struct {
	judge  *judge
	client *simulator.Client
	plan   Plan
}

// Estimate is source.Source's.
func (l *lagging) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	behind := time.Duration(l.client.Jitter() * float64(l.plan.Lag))
	for day := range l.plan.Days {
		if l.plan.day(day) == d {
			return signal.Estimate{Available: l.judge.sum(day, time.Now().Add(-behind)), Capacity: 100}, ctx.Err()
		}
	}
	return signal.Estimate{NoInventory: true}, nil
}

// early is a source that was asked before.
type early map[signal.ProductDate]signal.Estimate

func readEarly(ctx context.Context, p Plan, s source.Source) source.Source {
	known := early{}
	for i := range p.Days {
		if e, err := s.Estimate(ctx, p.day(i)); err == nil {
			known[p.day(i)] = e
		}
	}
	return known
}

// Estimate is source.Source's.
func (e early) Estimate(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
	estimate, ok := e[d]
	if !ok {
		return estimate, context.DeadlineExceeded
	}
	return estimate, nil
}
