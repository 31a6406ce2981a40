package check

import (
	"context"
	"errors"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// shortestCadence is EventBridge's own.
const shortestCadence = time.Minute

// history is what a bucket's run item tells about the runs before.
type history struct {
	// gap is the time between the last two starts; 0 if there were no two.
	gap time.Duration
	// computed of checked is how the previous run's checks went.
	computed, checked int64
}

// begin takes note of the run in the bucket's run item. A run that is not noted
// does as well, so only what will stop the checks too is an error.
func (r *run) begin(ctx context.Context) (history, error) {
	item, err := r.Store.Write(ctx, protocol.BeginRun(r.name, r.started))
	if err == nil {
		return historyOf(item), nil
	}
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); ok {
		// A later run has begun, or this very one, whose answer was lost.
		return historyOf(refused.Old), nil
	}
	if passing(err) {
		r.log.WarnContext(ctx, "run item not written: this run is missing in the bucket's health", "error", err.Error())
		return history{}, nil
	}
	return history{}, err
}

// end writes the counts into the run item, unless a later run has begun.
func (r *run) end(ctx context.Context) {
	report := r.report()
	write := protocol.EndRun(r.name, r.started, r.Now(), report.Counts.value())
	if _, err := r.Store.Write(ctx, write); err != nil && !errors.Is(err, dynamo.ErrRefused) {
		r.log.WarnContext(ctx, "run item not written: this run is missing in the bucket's health", "error", err.Error())
	}
}

func passing(err error) bool {
	return errors.Is(err, dynamo.ErrThrottled) || errors.Is(err, dynamo.ErrConflict) || errors.Is(err, dynamo.ErrUnknown)
}

func historyOf(item signal.Item) history {
	var h history
	started, err := signal.ParseInstant(item.Text(protocol.AttrStartedAt))
	before, err2 := signal.ParseInstant(item.Text(protocol.AttrPreviousStartedAt))
	if err == nil && err2 == nil {
		h.gap = started.Sub(before)
	}
	report, _ := item[protocol.AttrReport].Fields()
	counts := signal.Item(report)
	h.computed = counts.Int(countComputed)
	h.checked = h.computed + counts.Int(countFailed) + counts.Int(countBackedOff)
	return h
}

// sourceWorks is whether the source answered for at least half of the previous
// run's checks. A run without checks shows nothing.
func (h history) sourceWorks() bool { return h.checked > 0 && 2*h.computed >= h.checked }

// cadence is the time between the bucket's ticks; by its schedule, or, where that
// is a cron expression, as it was last.
func (r *run) cadence() time.Duration {
	if d := r.bucket.Cadence.Duration(); d > 0 {
		return d
	}
	return max(r.history.gap, shortestCadence)
}
