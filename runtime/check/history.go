package check

import (
	"time"

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
// is a cron expression, as it was last. Where it is not known, the shortest there
// is keeps a signal from waiting for longer than it should.
func (r *run) cadence() time.Duration {
	if d := r.bucket.Cadence.Duration(); d > 0 {
		return d
	}
	return max(r.history.gap, shortestCadence)
}
