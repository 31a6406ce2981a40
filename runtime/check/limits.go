package check

import (
	"context"
	"errors"
	"time"
)

// longestMargin is what is kept at the end of an invocation, for finishes that
// have to be repeated. An invocation of less than four times that keeps a quarter.
const longestMargin = 5 * time.Second

// longestBegin is how long a run tries to take its run item, which it can do
// without. An invocation of less than five times that gives it a fifth.
const longestBegin = 2 * time.Second

// longestPatience is how long the source has for an answer when the invocation
// ends, before it counts as one that hangs. An invocation of less than twice that
// gives it a half.
const longestPatience = 3 * time.Second

var errOutOfTime = errors.New("the invocation ends")

// limits are the instants at which the parts of a run end. Zero is never.
type limits struct {
	// compute ends the reading of the source, finish the writing of what came of
	// it; what is left after that, until the end, is for the run item.
	compute, finish, end time.Time
}

func limitsOf(ctx context.Context, now time.Time) limits {
	deadline, ok := ctx.Deadline()
	if !ok {
		return limits{}
	}
	margin := min(longestMargin, max(0, deadline.Sub(now)/4))
	return limits{compute: deadline.Add(-margin), finish: deadline.Add(-margin / 4), end: deadline}
}

// until ends a context at an instant of the run's clock.
func (r *run) until(ctx context.Context, at time.Time, cause error) (context.Context, context.CancelFunc) {
	if at.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, at.Sub(r.Now()), cause)
}
