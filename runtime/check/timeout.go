package check

import (
	"context"
	"fmt"
	"time"
)

// besideTimeout is what a lease must have beside the source's time-out: ten seconds
// for the claim and the waiting for a batch, and leaseMargin for the finish.
const besideTimeout = 20 * time.Second

// cutOffError is a check that its lease did not leave the time for.
type cutOffError struct{ after, lease time.Duration }

func (e *cutOffError) Error() string {
	return fmt.Sprintf("cut off %s after the claim, in time before its lease of %s ends", e.after, e.lease)
}

// mindTimeout says so if the bucket's lease is too short for the source: then what is
// slow is cut off before the source itself would have given up, so that no answer
// says anything about the signal.
func (r *run) mindTimeout(ctx context.Context) {
	lease, needed := r.bucket.Checks.Lease, r.SourceTimeout+besideTimeout
	if r.SourceTimeout == 0 || lease >= needed {
		return
	}
	r.leaseTooShort = true
	warning := fmt.Sprintf("the bucket's lease_seconds is %d and the source's time-out %d s: checks that take longer than %s are cut off, and tried again later; set lease_seconds to %d or more, or give the source a time-out of %d s less",
		int64(lease/time.Second), int64(r.SourceTimeout/time.Second), r.limitOfLease(), int64(needed/time.Second), int64((needed-lease)/time.Second))
	r.tally.warn(warning)
	r.log.WarnContext(ctx, "lease too short for the source", "reason", warning)
}

// limitOfLease is how long after its claim a check is cut off.
func (r *run) limitOfLease() time.Duration {
	lease := r.bucket.Checks.Lease
	return lease - min(leaseMargin, lease/2)
}
