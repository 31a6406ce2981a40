package check

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// run is one run of one bucket.
type run struct {
	*Runner
	name           string
	id             string
	log            *slog.Logger
	started        time.Time
	absorbedBefore int64

	bucket  signal.Bucket
	history history
	limits  limits
	budget  *budget
	pace    pace
	tally   tally
	rubbish rubbish
	// heldUntil is set if another run has the bucket.
	heldUntil time.Time
	// onDemand is whether somebody wants it now: signals are checked whether they
	// are due or not, and it is no tick of the bucket's.
	onDemand bool
	// heard, if set, is told what came of each signal.
	heard func(Outcome)
	// flipped has the keys of those that were clean when they were asked for.
	flipped sync.Map
	// sourceGone is whether the source has failed for everything that was probed.
	sourceGone bool
	// leaseTooShort is whether checks are cut off before the source's own time-out.
	leaseTooShort bool
}

func (r *run) do(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	return r.held(ctx)
}

// prepare reads the settings that hold for this run.
func (r *run) prepare(ctx context.Context) error {
	bucket, err := r.Registry.Get(ctx, r.name)
	if err != nil {
		return r.unusable(err)
	}
	r.bucket = bucket
	r.limits = limitsOf(ctx, r.started)
	r.budget = newBudget(bucket.Checks.WriteBudget)
	return nil
}

// held is the run of a bucket that it has got hold of.
func (r *run) held(ctx context.Context) (err error) {
	if r.history, err = r.begin(ctx); err != nil {
		if held, ok := errors.AsType[*heldError](err); ok {
			r.heldUntil = held.until
			return nil
		}
		return fmt.Errorf("run bucket %q: %w", r.name, err)
	}
	r.mindTimeout(ctx)
	stop := r.keep(context.WithoutCancel(ctx))
	listed, err := r.work(ctx)
	stop()
	r.end(ctx, listed && !r.onDemand)
	if err != nil {
		return fmt.Errorf("run bucket %q: %w", r.name, err)
	}
	return nil
}

// work is what a run does while it has its bucket. listed is whether it has learned
// what is dirty: then it has something to report, even if no claim got through.
func (r *run) work(ctx context.Context) (listed bool, err error) {
	due, err := r.collect(ctx)
	if err != nil {
		return false, err
	}
	computing, cancel := r.until(ctx, r.limits.compute, errOutOfTime)
	defer cancel()
	// What is claimed is finished or given back even when the run is cancelled.
	writing, cancel := r.until(context.WithoutCancel(ctx), r.limits.finish, errOutOfTime)
	defer cancel()

	err = r.drain(computing, writing, due)
	r.sweep(computing)
	if !r.onDemand {
		r.audit(computing, writing)
		r.sweep(computing)
	}
	return true, err
}

func (r *run) unusable(err error) error {
	err = fmt.Errorf("run bucket %q: %w", r.name, err)
	if errors.Is(err, dynamo.ErrNotRegistered) {
		return fmt.Errorf("%w: without its registry item nothing says how to check its signals, so they stay dirty; apply availability_cadence_bucket %q for this table, or remove the rule that triggers it", err, r.name)
	}
	return err
}
