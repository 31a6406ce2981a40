package check

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// run is one run of one bucket.
type run struct {
	*Runner
	name           string
	log            *slog.Logger
	started        time.Time
	absorbedBefore int64

	bucket  signal.Bucket
	history history
	limits  limits
	pace    pace
	tally   tally
}

func (r *run) do(ctx context.Context) error {
	bucket, err := r.Registry.Get(ctx, r.name)
	if err != nil {
		return r.unusable(err)
	}
	r.bucket = bucket
	r.limits = limitsOf(ctx, r.started)
	if r.history, err = r.begin(ctx); err != nil {
		return fmt.Errorf("run bucket %q: %w", r.name, err)
	}
	due, err := r.collect(ctx)
	if err != nil {
		return fmt.Errorf("run bucket %q: %w", r.name, err)
	}
	if err := r.drain(ctx, due); err != nil {
		return fmt.Errorf("run bucket %q: %w", r.name, err)
	}
	r.end(ctx)
	return nil
}

func (r *run) unusable(err error) error {
	err = fmt.Errorf("run bucket %q: %w", r.name, err)
	if errors.Is(err, dynamo.ErrNotRegistered) {
		return fmt.Errorf("%w: without its registry item nothing says how to check its signals, so they stay dirty; apply availability_cadence_bucket %q for this table, or remove the rule that triggers it", err, r.name)
	}
	return err
}
