package check

import (
	"context"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// fruitlessClaims is how many claims the table may turn down, none having got
	// through, before the run asks whether it is these signals or all.
	fruitlessClaims = 10
	// fruitlessSamples is how many others, picked at random, it may turn down then
	// before the run takes it that it is all. The oldest alone show nothing: those
	// that can never be claimed grow old.
	fruitlessSamples = 10
)

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
	// how many it would not even look at, and why; samples are those of them that
	// were picked at random.
	answered, turnedDown, samples int
	reason                        error
}

// drain checks what is in the queue, as many at once as the bucket says, until
// the queue is empty, time runs out or the source is gone. The error is one that
// no claim gets past, neither the oldest nor a sample of all.
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
	return d.hopeless()
}

func (d *drain) work() {
	for d.timeLeft() && d.hopeless() == nil {
		switch ended, probe := d.outage.enter(); {
		case probe:
			d.probe()
			continue
		case ended != nil:
			d.await(ended)
			continue
		}
		if d.fruitless() {
			if next, ok := d.pick(); ok {
				d.check(next)
				continue
			}
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

// pick takes one of the signals at random, and waits until its shards have budget
// left.
func (d *drain) pick() (next due, ok bool) {
	next, ok = d.due.any(d.Random())
	if !ok {
		return due{}, false
	}
	for pause := d.budget.lacks(d.Now(), next.from, next.to); pause > 0 && d.computing.Err() == nil; pause = d.budget.lacks(d.Now(), next.from, next.to) {
		d.pause(d.computing, pause)
	}
	d.budget.spend(d.Now(), next.from, next.to)
	return next, true
}

// check takes a signal through a check, and says whether it has asked the source.
func (d *drain) check(of due) (asked bool) {
	began := d.Now()
	a := newAttempt(d, of, began)
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
func (d *drain) claimTurnedDown(err error, atRandom bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.turnedDown++
	if atRandom {
		d.samples++
	}
	d.reason = err
}

// fruitless is whether so many claims were turned down, and none got through, that
// the next is to be picked at random.
func (d *drain) fruitless() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answered == 0 && d.turnedDown >= fruitlessClaims
}

// hopeless is why no claim gets through, if none of a sample has either.
func (d *drain) hopeless() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.answered > 0 || d.samples < fruitlessSamples {
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
