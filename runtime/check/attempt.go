package check

import (
	"context"
	"errors"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// mostTries is how often a write that met somebody's transaction, or a table
	// that is over its rate, is sent in all.
	mostTries = 6
	// firstWait is the longest wait before the second; it doubles each time.
	firstWait = 50 * time.Millisecond
	// throttledWait is the longest wait after a claim that was throttled.
	throttledWait = time.Second
)

// attempt is one check on its way through the protocol.
type attempt struct {
	*drain
	check protocol.Check
	// atRandom is whether the signal was picked at random.
	atRandom bool
	// began is when the claim was sent: its lease counts from then.
	began time.Time
	tries int

	// asked is whether the source was.
	asked bool
	// outcome is what came of computing, once it has been tried.
	outcome protocol.Outcome
	// unreached is a claim that was never made, for no fault of the signal, and
	// passedOver why not.
	unreached  bool
	passedOver error
	// fault is why the signal could not be checked.
	fault error
	// sourceErr is the source's, where it is not the signal's fault.
	sourceErr error
	// refusedBy is the item that a claim was refused for, or that was read back after
	// one whose answer was lost.
	refusedBy signal.Item
}

func newAttempt(d *drain, of due, began time.Time) *attempt {
	check := protocol.NewCheck(of.key, d.bucket, d.NewID(), began).Settling(d.Settle)
	if d.onDemand {
		check = check.OnDemand()
	}
	return &attempt{drain: d, atRandom: of.atRandom, began: began, check: check}
}

// run takes the check to its end.
func (a *attempt) run() {
	for {
		switch a.check.Action() {
		case protocol.SendOnce:
			a.claim()
		case protocol.ReadBack:
			a.readBack()
		case protocol.Compute:
			a.tries = 0
			a.outcome = a.compute()
			a.check = a.check.Computed(a.outcome)
		case protocol.Send:
			a.finish()
		case protocol.Done:
			return
		}
	}
}

func (a *attempt) claim() {
	item, err := a.Store.WriteOnce(a.writing, a.check.Write())
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); ok {
		a.claimAnswered()
		a.refusedBy = refused.Old
		if refused.Old.Text(signal.AttrGSISK) == signal.Dirty {
			a.fault = malformed(refused.Old, a.began)
		}
		a.check = a.check.Refused(refused.Old)
		return
	}
	switch {
	case err == nil:
		a.claimAnswered()
		a.check = a.check.Applied(item)
	case errors.Is(err, dynamo.ErrUnknown):
		a.check = a.check.Unknown()
	case errors.Is(err, dynamo.ErrConflict):
		if !a.again() {
			a.pass(err)
			return
		}
		a.began = a.Now()
		a.check = a.check.Conflict(a.NewID(), a.began)
	case errors.Is(err, dynamo.ErrThrottled):
		// The next tick is soon enough; but not the next signal at once.
		a.throttled()
		a.sleep(throttledWait)
		a.pass(err)
	default:
		a.claimTurnedDown(err, a.atRandom)
		a.fault = err
		a.check = a.check.Abandon()
	}
}

// pass leaves the signal to a later run.
func (a *attempt) pass(why error) {
	a.unreached, a.passedOver = true, why
	a.check = a.check.Abandon()
}

func (a *attempt) readBack() {
	item, err := a.Store.Get(a.writing, a.check.Key())
	if err != nil {
		a.check = a.check.Abandon()
		return
	}
	a.claimAnswered()
	a.refusedBy = item
	a.check = a.check.Read(item)
}

func (a *attempt) finish() {
	_, err := a.Store.Write(a.writing, a.check.Write())
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); ok {
		a.check = a.check.Refused(refused.Old)
		return
	}
	switch {
	case err == nil:
		a.check = a.check.Applied(nil)
	case errors.Is(err, dynamo.ErrConflict), errors.Is(err, dynamo.ErrThrottled):
		if errors.Is(err, dynamo.ErrThrottled) {
			a.throttled()
		}
		if !a.again() {
			a.check = a.check.Abandon()
			return
		}
		a.check = a.check.Conflict(a.NewID(), a.Now())
	case errors.Is(err, dynamo.ErrUnknown):
		a.check = a.check.Unknown()
	default:
		a.fault = err
		a.check = a.check.Abandon()
	}
}

func (a *attempt) throttled() { a.tally.count(func(c *Counts) { c.Throttles++ }) }

// again is whether the write is to be sent once more. It waits before that.
func (a *attempt) again() bool {
	a.tries++
	if a.tries >= mostTries {
		return false
	}
	a.sleep(firstWait << (a.tries - 1))
	return a.writing.Err() == nil
}

// sleep waits for a random part of a time.
func (a *attempt) sleep(longest time.Duration) {
	a.pause(a.writing, time.Duration(a.Random()*float64(longest)))
}

// count adds the check to the run's counts.
func (a *attempt) count() {
	claimed, result := a.check.Claimed(), a.check.Result()
	stored := result == protocol.Cleaned || result == protocol.Raced || result == protocol.Settling
	a.tally.count(func(c *Counts) {
		if claimed != nil {
			c.Claimed++
		}
		if claimed != nil && a.outcome.Value != "" {
			c.Computed++
		}
		if stored && !claimed[signal.AttrValue].Equal(signal.S(a.outcome.Value)) {
			c.Changed++
		}
		if a.unreached {
			c.Remaining++
		}
	})
	if stored && protocol.Quarantined(claimed[signal.AttrNotBefore]) {
		a.tally.recovered(a.check.Key().String())
	}
	if result == protocol.ExpiredMeanwhile {
		a.rubbish.meet(a.check.Key())
	}
	if a.heard != nil {
		a.heard(a.heardOf(stored))
	}
	switch {
	case a.fault != nil:
		a.failed(a.writing, a.check.Key(), a.fault)
	case !a.unreached:
		a.tally.ended(result)
		if result == protocol.Abandoned {
			a.log.WarnContext(a.writing, "outcome unknown: another run takes the signal when its lease is over", "key", a.check.Key().String())
		}
	}
}

// failed reports a signal that could not be checked.
func (r *run) failed(ctx context.Context, key signal.Key, reason error) {
	r.tally.failed(key.String(), reason.Error())
	r.log.WarnContext(ctx, "signal not checked", "key", key.String(), "reason", reason.Error())
}
