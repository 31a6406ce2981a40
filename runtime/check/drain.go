package check

import (
	"context"
	"sync"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// fruitlessClaims is how many claims the table may turn down, none having got
// through, before the run takes it that none will.
const fruitlessClaims = 10

// drain is what the checks of a run share.
type drain struct {
	*run
	due *queue
	// computing is the context of the source's reads, writing that of claims and
	// finishes, which goes on a little longer.
	computing, writing context.Context

	mu sync.Mutex
	// answered is how many claims the table has granted or refused, turnedDown
	// how many it would not even look at, and why.
	answered, turnedDown int
	reason               error
}

// drain checks what is in the queue, as many at once as the bucket says, until
// the queue is empty or time runs out. The error is one that no claim gets past.
func (r *run) drain(ctx context.Context, due *queue) error {
	computing, cancel := r.until(ctx, r.limits.compute, errOutOfTime)
	defer cancel()
	// What is claimed is finished or given back even when the run is cancelled.
	writing, cancel := r.until(context.WithoutCancel(ctx), r.limits.finish, errOutOfTime)
	defer cancel()

	d := &drain{run: r, due: due, computing: computing, writing: writing}
	var workers sync.WaitGroup
	for range min(r.bucket.Checks.Concurrency, due.len()) {
		workers.Go(d.work)
	}
	workers.Wait()
	r.tally.count(func(c *Counts) { c.Remaining += int64(due.len()) })
	return d.hopeless(1)
}

func (d *drain) work() {
	for d.timeLeft() && d.hopeless(fruitlessClaims) == nil {
		key, ok := d.due.next()
		if !ok {
			return
		}
		d.check(key)
	}
}

func (d *drain) check(key signal.Key) {
	began := d.Now()
	a := newAttempt(d, key, began)
	a.run()
	a.count()
	ended := d.Now()
	d.pace.took(ended.Sub(began), ended)
}

// timeLeft is whether there is time for one more check, as slow as the slowest of
// late.
func (d *drain) timeLeft() bool {
	if d.computing.Err() != nil {
		return false
	}
	if d.limits.compute.IsZero() {
		return true
	}
	now := d.Now()
	return now.Add(d.pace.slowest(now)).Before(d.limits.compute)
}

func (d *drain) claimAnswered() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answered++
}

// claimTurnedDown takes note of a claim that the table would not look at: that
// may be this signal's fault alone, or that of all.
func (d *drain) claimTurnedDown(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turnedDown++
	d.reason = err
}

// hopeless is why no claim gets through, if at least that many have tried and
// none has.
func (d *drain) hopeless(atLeast int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.answered > 0 || d.turnedDown < atLeast {
		return nil
	}
	return d.reason
}
