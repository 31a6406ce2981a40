package suite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Pace is what a run that drains many signals does to those who write beside it.
type Pace struct {
	// Peak is the most write units that the run's own writes cost one shard of the
	// index within one second.
	Peak float64
	// Flips are the flips made beside it, Throttled those turned away.
	Flips, Throttled int
	// Seconds are how long the run took, by its own clock.
	Seconds float64
}

// pace is P5: the write budget.
func (s *Suite) pace(ctx context.Context) (record.Row, error) {
	size := s.sized(100_000, 500)
	r := record.Row{
		Title: "A run leaves room for writers",
		How: fmt.Sprintf("A run that drains %s dirty signals of one shard on the simulator, with AWS's limits of a partition and time that jumps, %d checks at once, while others flip %d signals of the shard a second, at random, each once and without a repeat: at the default budget of %d finishes a second, and with none.",
			record.Number(float64(size)), paceAtOnce, flipsBeside, signal.DefaultChecks().WriteBudget),
	}
	// Their time jumps: neither is slower beside the other.
	var paced, free Pace
	var failed [2]error
	var both sync.WaitGroup
	both.Go(func() {
		failed[0] = s.child(ctx, paceChild, PaceTask{size, signal.DefaultChecks().WriteBudget}, &paced)
	})
	both.Go(func() { failed[1] = s.child(ctx, paceChild, PaceTask{size, unpaced}, &free) })
	both.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return r, err
	}
	budget := float64(2 * signal.DefaultChecks().WriteBudget)
	share := func(p Pace) float64 { return 100 * float64(p.Throttled) / float64(max(1, p.Flips)) }
	r.Lines = []record.Line{
		{What: "the most write units of the run in one second and shard, by its budget", Value: paced.Peak / budget, Unit: "x", Goal: record.AtMost(1.05), Detail: fmt.Sprintf("%s of %s units", record.Number(paced.Peak), record.Number(budget))},
		{What: "flips beside it that were throttled", Value: share(paced), Unit: "%", Goal: record.AtMost(0), Detail: fmt.Sprintf("%d of %d in %s", paced.Throttled, paced.Flips, record.Quantity(paced.Seconds, "s"))},
		{What: "without a budget: flips beside it that were throttled", Value: share(free), Unit: "%", Goal: record.AtLeast(float64(s.sized(10, 0))), Detail: fmt.Sprintf("%d of %d in %s; the run's own peak %s units", free.Throttled, free.Flips, record.Quantity(free.Seconds, "s"), record.Number(free.Peak))},
	}
	return r, nil
}

// PaceTask is how many signals to drain, at which budget.
type PaceTask struct{ Size, Budget int }

const (
	flipsBeside = 50
	// paceAtOnce is how many checks run at once: so many that without a budget they
	// want more than a partition takes.
	paceAtOnce = 256
)

// inBubble runs f where time jumps: package testing alone knows how to make such a
// place. It does not return.
func inBubble(f func(*testing.T)) {
	test := testing.InternalTest{Name: "Bench", F: func(t *testing.T) { synctest.Test(t, f) }}
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{test}, nil, nil)
}

// drainBeside drains the bucket while others write, in a bubble.
func drainBeside(ctx context.Context, task PaceTask) (p Pace, err error) {
	spent := &spending{}
	season, err := simulatedAs(ctx, simulator.Config{OnCall: spent.add}, task.Size, func(b *signal.Bucket) {
		b.Checks.Concurrency, b.Checks.WriteBudget = paceAtOnce, task.Budget
	})
	if err != nil {
		return p, err
	}
	if err := season.soil(ctx, 1); err != nil {
		return p, err
	}
	season.db.SetLimits(simulator.PartitionLimits())
	began := time.Now()
	over := make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() { p.Flips, p.Throttled = season.flipBeside(ctx, over) })
	report, err := season.runner(season.db.Client(runnerName, simulator.WithOptions(patient)), taking(5*time.Millisecond)).Run(ctx, bucketName)
	p.Seconds = time.Since(began).Seconds()
	close(over)
	writers.Wait()
	if err == nil && report.Cleaned == 0 {
		err = fmt.Errorf("the run cleaned nothing: %+v", report.Counts)
	}
	p.Peak = spent.peak
	return p, err
}

// patient repeats as the function's own client does.
func patient(o *dynamodb.Options) {
	o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff, o.RateLimiter = 10, 2*time.Second, ratelimit.None
	})
}

// flipBeside flips signals at random until it is over.
func (s *season) flipBeside(ctx context.Context, over <-chan struct{}) (flips, throttled int) {
	store := dynamo.NewStore(s.db.Client(writerName), s.table)
	random := rand.New(rand.NewPCG(1, 2))
	for {
		// Not in step with the seconds that a partition's units are counted in.
		wait := time.Duration(random.ExpFloat64() * float64(time.Second) / flipsBeside)
		select {
		case <-over:
			return flips, throttled
		case <-time.After(wait):
		}
		flips++
		_, err := store.WriteOnce(ctx, protocol.Flip(s.day(random.IntN(s.size)).Key(), time.Now()))
		if errors.Is(err, dynamo.ErrThrottled) {
			throttled++
		}
	}
}

// spending keeps the most that a run has cost an index within one second.
type spending struct {
	second       int64
	within, peak float64
}

func (s *spending) add(o simulator.Outcome) {
	if o.Client != runnerName {
		return
	}
	if second := o.At.Unix(); second != s.second {
		s.second, s.within = second, 0
	}
	s.within += o.Indexes.Write
	s.peak = max(s.peak, s.within)
}
