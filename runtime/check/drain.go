package check

import (
	"context"
	"sync"
	"time"

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
	// finishes, which goes on a little longer. release ends computing.
	computing, writing context.Context
	release            context.CancelFunc
	outage             outage

	mu sync.Mutex
	// answered is how many claims the table has granted or refused, turnedDown
	// how many it would not even look at, and why.
	answered, turnedDown int
	reason               error
}

// drain checks what is in the queue, as many at once as the bucket says, until
// the queue is empty, time runs out or the source is gone. The error is one that
// no claim gets past.
func (r *run) drain(computing, writing context.Context, due *queue) error {
	computing, release := context.WithCancel(computing)
	defer release()
	d := &drain{run: r, due: due, computing: computing, writing: writing, release: release}
	var workers sync.WaitGroup
	for range min(r.bucket.Checks.Concurrency, due.len()) {
		workers.Go(d.work)
	}
	workers.Wait()
	r.sourceGone = d.outage.isGone()
	r.tally.count(func(c *Counts) { c.Remaining += int64(due.len()) })
	return d.hopeless(1)
}

func (d *drain) work() {
	for d.timeLeft() && d.hopeless(fruitlessClaims) == nil {
		switch ended, probe := d.outage.enter(); {
		case probe:
			d.probe()
			continue
		case ended != nil:
			d.await(ended)
			continue
		}
		next, pause, ok := d.due.next(d.budget, d.Now())
		switch {
		case !ok:
			return
		case pause > 0:
			d.pause(d.computing, pause)
		default:
			d.check(next)
		}
	}
}

func (d *drain) await(ended <-chan struct{}) {
	select {
	case <-ended:
	case <-d.computing.Done():
	}
}

// check takes a signal through a check, and says whether it has asked the source.
func (d *drain) check(of due) (asked bool) {
	began := d.Now()
	a := newAttempt(d, of.key, began)
	a.run()
	a.count()
	ended := d.Now()
	d.budget.giveBack(ended, of, a.check.Result())
	d.pace.took(ended.Sub(began), ended)
	return a.asked
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

// pause waits for a time, or until a context ends.
func (r *run) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// home is the shard that a signal of the bucket belongs to.
func (r *run) home(key signal.Key) int { return signal.Shard(key, r.bucket.Shards) }
