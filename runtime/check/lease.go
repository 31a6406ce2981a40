package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// renewal is the time between two renewals of a run's hold of its bucket.
const renewal = 15 * time.Second

const notWritten = "run item not written: this run is missing in the bucket's health"

// heldError is a bucket that another run has.
type heldError struct{ until time.Time }

func (e *heldError) Error() string {
	return fmt.Sprintf("another run has the bucket, until %s unless it renews that", signal.FormatInstant(e.until))
}

// begin takes the bucket's run item, and reads there how the runs before went. The
// error is a *heldError if another run has it. A run that cannot take it for the
// moment does as well: only what will stop the checks too is an error.
func (r *run) begin(ctx context.Context) (history, error) {
	limit := longestBegin
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, deadline.Sub(r.started)/5)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if r.onDemand {
		// Between a tick and this is no cadence.
		item, err := r.hold(ctx, protocol.TakeRunUnnoted(r.name, r.id, r.started))
		if passing(err) || errors.Is(err, dynamo.ErrRefused) {
			// It does without: what holds it is no run, or cannot be told.
			err = nil
		}
		return historyOf(item), err
	}
	item, err := r.hold(ctx, protocol.TakeRun(r.name, r.id, r.started))
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); ok {
		item, err = r.holdAnyway(ctx, refused.Old)
	}
	if passing(err) || errors.Is(err, dynamo.ErrRefused) {
		r.log.WarnContext(ctx, notWritten, "error", err.Error())
		return historyOf(item), nil
	}
	return historyOf(item), err
}

// holdAnyway takes the run item though it says that a later run has started. If that
// may be so, by a clock that is a little ahead, the later one stays noted.
func (r *run) holdAnyway(ctx context.Context, old signal.Item) (signal.Item, error) {
	if what, ok := protocol.Astray(old, r.started); ok {
		r.log.WarnContext(ctx, "run item overwritten: its "+what+" is of another type, or more than an hour ahead, and would keep every run from being noted; compare the clocks of all that write the table")
		return r.hold(ctx, protocol.RetakeRun(r.name, r.id, r.started, old))
	}
	if later := old.Text(protocol.AttrStartedAt); later != signal.FormatInstant(r.started) {
		r.log.WarnContext(ctx, "this run is missing in the bucket's health: by its clock, a later run has started", "startedAt", later)
	}
	_, err := r.hold(ctx, protocol.TakeRunUnnoted(r.name, r.id, r.started))
	return old, err
}

// hold sends a write that takes the run item. Refused means that a later run has
// started.
func (r *run) hold(ctx context.Context, w protocol.Write) (signal.Item, error) {
	item, err := r.Store.Write(ctx, w)
	refused, ok := errors.AsType[*dynamo.RefusedError](err)
	if !ok {
		return item, err
	}
	if refused.Old.Text(protocol.AttrRunBy) == r.id {
		// It is this very run's, whose answer was lost.
		return refused.Old, nil
	}
	if until, held := protocol.RunHeld(refused.Old, r.started); held {
		return nil, &heldError{until}
	}
	return nil, err
}

// keep renews the run's hold of its bucket until stop is called. A run that has
// lost it goes on: the claims are the fence.
func (r *run) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(renewal)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			_, err := r.Store.Write(ctx, protocol.RenewRun(r.name, r.id, r.Now()))
			switch {
			case err == nil || ctx.Err() != nil:
			case errors.Is(err, dynamo.ErrRefused):
				r.log.WarnContext(ctx, "the bucket is another run's by now; this one goes on, because no check is made twice")
				return
			default:
				r.log.WarnContext(ctx, "hold of the bucket not renewed; another run may begin", "error", err.Error())
			}
		}
	}()
	return func() { cancel(); <-done }
}

// end writes the counts into the run item and gives it back, unless a later run
// has begun. A run that could not list what is dirty only gives it back: it has no
// report.
func (r *run) end(ctx context.Context, listed bool) {
	ctx, cancel := r.until(context.WithoutCancel(ctx), r.limits.end, errOutOfTime)
	defer cancel()
	if listed {
		report := r.report()
		_, err := r.Store.Write(ctx, protocol.EndRun(r.name, r.id, r.started, r.Now(), report.Counts.value()))
		if err == nil {
			return
		}
		if !errors.Is(err, dynamo.ErrRefused) {
			r.log.WarnContext(ctx, notWritten, "error", err.Error())
		}
	}
	if _, err := r.Store.Write(ctx, protocol.ReleaseRun(r.name, r.id)); err != nil && !errors.Is(err, dynamo.ErrRefused) {
		r.log.WarnContext(ctx, "run item not given back: the bucket's next run has to wait until it is free", "error", err.Error())
	}
}

func passing(err error) bool {
	return errors.Is(err, dynamo.ErrThrottled) || errors.Is(err, dynamo.ErrConflict) || errors.Is(err, dynamo.ErrUnknown)
}
