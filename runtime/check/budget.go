package check

import (
	"math"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// unitsPerClean is what a clean finish costs the cadence index: the entry is taken
// out under one key and put in under another.
const unitsPerClean = 2

// budget is what the checks of a run may write to each shard of the cadence index.
// A shard is one partition of it, and takes 1,000 units a second; beyond that, it
// is the table that is throttled, and with it the application's own flips.
type budget struct {
	// rate is units per second and shard, burst how many are saved up at most.
	rate, burst float64

	mu     sync.Mutex
	saved  [signal.MaxShards]float64
	filled [signal.MaxShards]time.Time
}

// newBudget is for that many clean finishes per second and shard. What is saved up
// is a twentieth of a second's, so that no second has more than that above.
func newBudget(finishes int) *budget {
	rate := float64(unitsPerClean * finishes)
	b := &budget{rate: rate, burst: max(unitsPerClean, rate/20)}
	for i := range b.saved {
		b.saved[i] = b.burst
	}
	return b
}

// lacks is how long it takes until a signal can be cleaned that leaves one shard
// for another, which may be the same.
func (b *budget) lacks(now time.Time, from, to int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if from == to {
		return b.wait(now, from, unitsPerClean)
	}
	return max(b.wait(now, from, 1), b.wait(now, to, 1))
}

// spend takes the units of cleaning a signal.
func (b *budget) spend(now time.Time, from, to int) {
	b.add(now, from, -1)
	b.add(now, to, -1)
}

// giveBack returns what a check has not used.
func (b *budget) giveBack(now time.Time, d due, r protocol.Result) {
	switch r {
	case protocol.Cleaned, protocol.Abandoned:
	case protocol.Raced, protocol.Settling, protocol.Failed, protocol.BackedOff:
		// Its entry stays where it is, and is changed.
		b.add(now, d.to, 1)
	default:
		b.add(now, d.from, 1)
		b.add(now, d.to, 1)
	}
}

// take spends units of a shard once there are that many; pause is how long to
// wait if there are not.
func (b *budget) take(now time.Time, shard int, units float64) (pause time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if pause = b.wait(now, shard, units); pause == 0 {
		b.saved[shard] -= units
	}
	return pause
}

func (b *budget) add(now time.Time, shard int, units float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now, shard)
	b.saved[shard] = min(b.burst, b.saved[shard]+units)
}

func (b *budget) wait(now time.Time, shard int, units float64) time.Duration {
	b.fill(now, shard)
	// A rounding error is no reason to wait.
	lack := units - b.saved[shard]
	if lack < 1e-6 {
		return 0
	}
	return time.Duration(math.Ceil(lack / b.rate * float64(time.Second)))
}

func (b *budget) fill(now time.Time, shard int) {
	if at := b.filled[shard]; !at.IsZero() {
		b.saved[shard] = min(b.burst, b.saved[shard]+b.rate*max(0, now.Sub(at).Seconds()))
	}
	b.filled[shard] = now
}
