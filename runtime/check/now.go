package check

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Outcome is what came of a signal that somebody wanted checked, or audited, now.
type Outcome struct {
	Key signal.Key
	// Result is a protocol.Result or one of the results below.
	Result protocol.Result
	// Flipped is whether it was clean, and so was flipped before its check.
	Flipped bool
	// Before is the value that it had, "" for none, and Value the one that was
	// stored, "" if none was.
	Before, Value string
	// Reason is why there is no value, or why it is still dirty.
	Reason string
}

// Results beside those of the protocol.
const (
	// Gone: there is no such signal, or it is in another bucket by now.
	Gone protocol.Result = "gone"
	// Unreached: it was not tried, for want of time, or for a table or a source
	// that is too busy.
	Unreached protocol.Result = "not reached"
	// Same: an audit found the value right.
	Same protocol.Result = "same"
	// Mismatched: an audit found another value, for which nobody had flipped; the
	// signal is dirty now.
	Mismatched protocol.Result = "mismatched"
	// Valueless: an audit found that it has never had a value; it is dirty now.
	Valueless protocol.Result = "without a value"
	// Unaudited: an audit could make no comparison.
	Unaudited protocol.Result = "not compared"
	// Passed: an audit found nothing to compare, because it is dirty, has changed
	// meanwhile or has expired.
	Passed protocol.Result = "passed"
)

// CheckNow checks signals of a bucket now, whether they are due or not. Those that
// are not dirty are flipped first, so that a value is what the source says after this
// was called. heard is called for each, one at a time. The error is as Run's.
func (r *Runner) CheckNow(ctx context.Context, bucket string, keys []signal.Key, heard func(Outcome)) (Report, error) {
	return r.now(ctx, bucket, "check on demand", heard, func(run *run) error {
		if err := run.remember(ctx); err != nil {
			return err
		}
		run.mindTimeout(ctx)
		computing, cancel := run.until(ctx, run.limits.compute, errOutOfTime)
		defer cancel()
		writing, cancel := run.until(context.WithoutCancel(ctx), run.limits.finish, errOutOfTime)
		defer cancel()
		due := &queue{home: run.home}
		run.gather(computing, keys, due)
		err := run.drain(computing, writing, due)
		for next, ok := due.any(0); ok; next, ok = due.any(0) {
			_, flipped := run.flipped.Load(next.key)
			run.heard(Outcome{Key: next.key, Result: Unreached, Flipped: flipped, Reason: unreached})
		}
		return err
	})
}

const (
	unreached    = "there was no time for it, or the source is gone: it is still dirty"
	noSuchSignal = "there is no such signal"
)

// RunNow is Run for all that is dirty, whether it is due or not. It holds the
// bucket meanwhile, but is not noted as one of its runs, and audits nothing.
func (r *Runner) RunNow(ctx context.Context, bucket string) (Report, error) {
	return r.now(ctx, bucket, "run on demand", nil, func(run *run) error { return run.held(ctx) })
}

// AuditNow compares signals of a bucket with the source: those of keys, or all that
// are clean. It is not paced, writes no value, and flips what is wrong. heard is
// called for each, one at a time. complete is whether it got to the end.
func (r *Runner) AuditNow(ctx context.Context, bucket string, keys []signal.Key, heard func(Outcome)) (report Report, complete bool, err error) {
	report, err = r.now(ctx, bucket, "audit on demand", heard, func(run *run) error {
		computing, cancel := run.until(ctx, run.limits.compute, errOutOfTime)
		defer cancel()
		writing, cancel := run.until(context.WithoutCancel(ctx), run.limits.finish, errOutOfTime)
		defer cancel()
		const forever = 1000 * time.Hour
		a := &auditor{run: run, computing: computing, writing: writing, until: run.started.Add(forever)}
		complete, err = a.all(keys)
		return err
	})
	return report, complete, err
}

// SweepNow deletes those of the entries, of the table or of the index, that have
// been expired for an hour. It needs no bucket: what has expired is checked by
// nobody. An error of the entries ends it after those that came before.
func (r *Runner) SweepNow(ctx context.Context, entries iter.Seq2[signal.Item, error]) (Report, error) {
	run := r.newRun("")
	run.log = r.Log
	run.budget = newBudget(signal.DefaultChecks().WriteBudget)
	run.limits = limitsOf(ctx, run.started)
	writing, cancel := run.until(ctx, run.limits.compute, errOutOfTime)
	defer cancel()
	var lost error
	for item, err := range entries {
		if err != nil {
			lost = fmt.Errorf("find expired signals: %w", err)
			break
		}
		if !protocol.Overdue(item, run.started) {
			continue
		}
		run.tally.count(func(c *Counts) { c.Expired++ })
		run.rubbish.meet(item.Key())
		if run.rubbish.full() {
			run.sweep(writing)
			run.rubbish.empty()
		}
	}
	run.sweep(writing)
	return run.report(), lost
}

// now is what all that is done on demand has in common.
func (r *Runner) now(ctx context.Context, bucket, what string, heard func(Outcome), work func(*run) error) (Report, error) {
	run := r.newRun(bucket)
	run.onDemand = true
	if heard != nil {
		var mu sync.Mutex
		run.heard = func(o Outcome) {
			mu.Lock()
			defer mu.Unlock()
			heard(o)
		}
	}
	err := run.prepare(ctx)
	if err == nil {
		err = work(run)
	}
	report := run.report()
	attrs := []slog.Attr{slog.Int64("durationMs", report.DurationMS)}
	if err != nil {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	run.log.LogAttrs(ctx, slog.LevelInfo, what, attrs...)
	return report, err
}

// remember reads how the bucket's runs have gone, without taking its run item: for
// some signals, the claims suffice.
func (r *run) remember(ctx context.Context) error {
	item, err := r.Store.Get(ctx, signal.RunKey(r.name))
	r.history = historyOf(item)
	return err
}

// gather puts the signals of keys into the queue, and flips those that are clean.
func (r *run) gather(ctx context.Context, keys []signal.Key, due *queue) {
	var (
		mu      sync.Mutex
		workers sync.WaitGroup
		next    = make(chan signal.Key)
	)
	for range min(r.bucket.Checks.Concurrency, len(keys)) {
		workers.Go(func() {
			for key := range next {
				shard, since, o := r.ready(ctx, key)
				if o.Result != "" {
					r.heard(o)
					continue
				}
				mu.Lock()
				due.add(key, shard, since)
				r.tally.count(func(c *Counts) { c.Seen++; c.Due++ })
				mu.Unlock()
			}
		})
	}
	for _, key := range keys {
		next <- key
	}
	close(next)
	workers.Wait()
	due.sort()
}

// ready makes a signal one that can be claimed. A result says that it cannot be.
func (r *run) ready(ctx context.Context, key signal.Key) (shard int, since int64, o Outcome) {
	o = Outcome{Key: key}
	end := func(result protocol.Result, reason string) (int, int64, Outcome) {
		o.Result, o.Reason = result, reason
		return 0, 0, o
	}
	item, err := r.Store.Get(ctx, key)
	if err != nil {
		return end(Unreached, err.Error())
	}
	o.Before = item.Text(signal.AttrValue)
	name, shard, ok := signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	switch fault := malformed(item, r.started); {
	case item.Text(signal.AttrSchema) != signal.SchemaSignal:
		return end(Gone, noSuchSignal)
	case !ok || name != r.name:
		return end(Gone, "it is not in bucket "+r.name+" any more")
	case fault != nil:
		return end(protocol.Failed, fault.Error())
	case protocol.Expired(item, r.started):
		return end(protocol.ExpiredMeanwhile, "its date is over")
	}
	at := r.started
	if item.Text(signal.AttrGSISK) != signal.Dirty {
		// A flip writes to the index what a finish does.
		r.afford(ctx, shard, unitsPerClean)
		switch _, err := r.Store.Write(ctx, protocol.Flip(key, r.Now())); {
		case errors.Is(err, dynamo.ErrRefused):
			return end(Gone, noSuchSignal)
		case err != nil:
			return end(Unreached, err.Error())
		}
		r.flipped.Store(key, nil)
	} else if dirty, err := signal.ParseInstant(item.Text(signal.AttrDirtySince)); err == nil {
		at = dirty
	}
	return shard, at.UnixMilli(), o
}

// heardOf is what came of a check.
func (a *attempt) heardOf(stored bool) Outcome {
	o := Outcome{Key: a.check.Key(), Result: a.check.Result(), Before: a.check.Claimed().Text(signal.AttrValue)}
	_, o.Flipped = a.flipped.Load(o.Key)
	if stored {
		o.Value = a.outcome.Value
	}
	switch {
	case a.unreached:
		o.Result, o.Reason = Unreached, "it is still dirty: "+a.passedOver.Error()
	case a.fault != nil:
		o.Result, o.Reason = protocol.Failed, a.fault.Error()
	case o.Result == protocol.NotClaimed:
		o.Result, o.Reason = a.notClaimed()
	case o.Result == protocol.BackedOff:
		o.Reason = "the source failed: " + a.sourceErr.Error()
	case o.Result == protocol.Raced:
		o.Reason = "it was flipped again meanwhile: the next run checks it"
	case o.Result == protocol.Settling:
		o.Reason = "the source lags: a check after the settle time cleans it"
	case o.Result == protocol.Released:
		o.Reason = unreached
	case o.Result == protocol.Superseded:
		o.Reason = "another check took it over, or it was deleted or seeded anew"
	case o.Result == protocol.Abandoned:
		o.Reason = "whether it was stored is unknown: if it was not, a run takes it when its lease is over"
	}
	return o
}

// notClaimed is what a claim that was not had means, by the item as it was then.
func (a *attempt) notClaimed() (protocol.Result, string) {
	switch until := a.refusedBy.Int(signal.AttrLeaseUntil); {
	case a.refusedBy == nil:
		return Gone, noSuchSignal
	case a.refusedBy.Text(signal.AttrGSISK) != signal.Dirty:
		return protocol.NotClaimed, "another check was faster"
	case until > a.began.UnixMilli():
		return protocol.NotClaimed, "another check has it, until " + signal.FormatInstant(time.UnixMilli(until)) + " at the latest"
	}
	return Unreached, "the claim did not get through: it is still dirty"
}

// hear tells what came of an audit.
func (a *auditor) hear(key signal.Key, before string, result protocol.Result, reason string) {
	if a.heard != nil {
		a.heard(Outcome{Key: key, Before: before, Result: result, Reason: reason})
	}
}
