package check

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// leaseMargin is how long before its lease ends a check is cut off, for the
// finish. A lease of less than twice that keeps a half.
const leaseMargin = 10 * time.Second

// errRev is a signal whose rev says nothing about the flips since its claim.
var errRev = fmt.Errorf("its %s is not a whole number of type Number, so that it can never be cleaned: remove it", signal.AttrRev)

// compute has a claimed signal's availability computed, by the pattern of the
// item as it was claimed.
func (a *attempt) compute() protocol.Outcome {
	date, err := signal.ParseKey(a.check.Key())
	if err != nil {
		return a.blame(err)
	}
	if _, whole := a.check.Claimed()[signal.AttrClaimedRev].Int(); !whole {
		return a.blame(errRev)
	}
	pattern, err := signal.ParsePattern(a.check.Claimed()[signal.AttrPattern])
	if err != nil {
		return a.blame(err)
	}
	if a.computing.Err() != nil {
		return protocol.Outcome{Kind: protocol.NotStarted}
	}
	a.asked = true
	asOf, estimate, err := a.ask(a.computing, a.began, date)
	if err != nil {
		return a.unanswered(err, asOf)
	}
	a.outage.success()
	value, anomalies := pattern.Cache(estimate)
	for _, anomaly := range anomalies {
		a.log.WarnContext(a.writing, "estimate out of range, counted as the nearest sensible one", "key", a.check.Key().String(), "anomaly", string(anomaly))
	}
	if len(anomalies) > 0 {
		a.tally.count(func(c *Counts) { c.Anomalies++ })
	}
	return protocol.Outcome{Value: value, AsOf: asOf, NotBefore: a.Now().Add(a.Settle)}
}

// ask reads the source for a signal that was claimed, or read, when it began, and
// ends in time for the finish. asOf is taken before the read of the source begins
// and after the claim returned; the protocol rests on both.
func (r *run) ask(computing context.Context, began time.Time, date signal.ProductDate) (asOf time.Time, e signal.Estimate, err error) {
	limit := r.limitOfLease()
	cutOff := &cutOffError{limit, r.bucket.Checks.Lease}
	ctx, cancel := r.until(computing, began.Add(limit), cutOff)
	defer cancel()

	asOf = r.Now()
	e, err = source.Estimate(ctx, r.Source, date)
	if panicked, ok := errors.AsType[*source.PanicError](err); ok {
		r.log.ErrorContext(context.WithoutCancel(ctx), "the source panicked", "key", date.Key().String(), "panic", fmt.Sprint(panicked.Value), "stack", string(panicked.Stack))
	}
	if err != nil && ctx.Err() != nil && computing.Err() == nil {
		err = fmt.Errorf("%w: %w", cutOff, err)
	}
	return asOf, e, err
}

// hung is whether the source, asked at an instant, had time enough for an answer
// when the invocation ended. What hangs until then in every run must be put off, or
// it keeps the others from being reached for ever.
func (r *run) hung(computing context.Context, asked time.Time) bool {
	if !errors.Is(context.Cause(computing), errOutOfTime) {
		return false
	}
	patience := min(longestPatience, r.limits.compute.Sub(r.started)/2)
	return r.Now().Sub(asked) >= patience
}

func (r *run) unansweredFor(asked time.Time, err error) error {
	return fmt.Errorf("no answer for %s, until the invocation ended; give the source a shorter time-out, or the function a longer one: %w", r.Now().Sub(asked).Truncate(100*time.Millisecond), err)
}

// unanswered is what is made of an error of the source, which was asked at an
// instant.
func (a *attempt) unanswered(err error, asked time.Time) protocol.Outcome {
	if blamesItem(err) {
		return a.blame(err)
	}
	if a.hung(a.computing, asked) {
		return a.putOff(a.unansweredFor(asked, err))
	}
	if a.computing.Err() != nil {
		return protocol.Outcome{Kind: protocol.NotStarted}
	}
	if errors.Is(err, dynamo.ErrThrottled) {
		a.throttled()
	}
	a.outage.failure()
	if _, cutOff := errors.AsType[*cutOffError](err); cutOff && a.leaseTooShort {
		return a.putOff(err)
	}
	if !errors.Is(err, source.ErrBusy) && !errors.Is(err, source.ErrShared) && a.history.sourceWorks() {
		return a.blame(err)
	}
	return a.putOff(err)
}

// putOff has the signal tried again later, for an error that is the source's.
func (a *attempt) putOff(err error) protocol.Outcome {
	a.sourceErr = err
	level := slog.LevelDebug
	if a.tally.sourceFailed(err.Error()) {
		level = slog.LevelWarn
	}
	a.log.Log(a.writing, level, "source failed", "key", a.check.Key().String(), "reason", err.Error())

	now := a.Now()
	var dirty time.Duration
	if since, err := signal.ParseInstant(a.check.Claimed().Text(signal.AttrDirtySince)); err == nil {
		dirty = now.Sub(since)
	}
	return protocol.Outcome{Kind: protocol.SourceFault, NotBefore: now.Add(backOffByAge(a.cadence(), dirty))}
}

// blamesItem is whether an error is for the one signal alone that was asked for: a
// fault of its data, or a panic over them.
func blamesItem(err error) bool {
	if _, ok := errors.AsType[*source.PanicError](err); ok {
		return !errors.Is(err, source.ErrShared)
	}
	_, ok := errors.AsType[*source.ItemError](err)
	return ok
}

// blame counts an error against the signal.
func (a *attempt) blame(err error) protocol.Outcome {
	a.fault = err
	attempts := a.check.Claimed().Int(signal.AttrAttempts) + 1
	wait := backOff(a.cadence(), attempts, a.Random())
	if attempts >= int64(a.bucket.Checks.MaxAttempts) {
		wait = quarantine
		if !protocol.Quarantined(a.check.Claimed()[signal.AttrNotBefore]) {
			a.tally.quarantined(a.check.Key().String())
		}
	}
	return protocol.Outcome{Kind: protocol.Fault, NotBefore: a.Now().Add(wait)}
}
