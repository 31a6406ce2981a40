package operate

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrClock is a clock that is so wrong that nothing can be done by it.
var ErrClock = errors.New("the clock of this machine is wrong")

// mostSkew is by how much a clock may be wrong. Leases are minutes and what has
// expired is swept an hour later, so that less does no harm.
const mostSkew = 5 * time.Minute

// Skew is by how much the service's clock is ahead of this machine's; ok is false if
// that cannot be told.
type Skew func(context.Context) (skew time.Duration, ok bool)

// MindClock is ErrClock if the clock is wrong by more than five minutes: what has
// expired, is due or is somebody's goes by it. Nil is a clock that need not be looked at.
func MindClock(ctx context.Context, skew Skew) error {
	if skew == nil {
		return nil
	}
	by, ok := skew(ctx)
	if says, wrong := Astray(by); ok && wrong {
		return fmt.Errorf("%w: it is %s, and what has expired, is due or is being checked is told by it. Nothing was done: set it right", ErrClock, says)
	}
	return nil
}

// Astray is whether a clock is wrong by more than five minutes, and how that is said.
func Astray(skew time.Duration) (says string, wrong bool) {
	skew = skew.Round(time.Second)
	if skew > 0 {
		return fmt.Sprintf("%s behind DynamoDB's", skew), skew > mostSkew
	}
	return fmt.Sprintf("%s ahead of DynamoDB's", -skew), skew < -mostSkew
}
