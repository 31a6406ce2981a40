package check

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// auditor compares clean signals with the source, and flips those whose value is
// another.
type auditor struct {
	*run
	computing, writing context.Context
	// until is when it has to end, so that it does not keep the next run waiting.
	until time.Time

	mu sync.Mutex
	// next is the entry of the page that is looked at next, cut the first one that
	// there was no time for.
	next, cut int
	// errors of the source have come in a row; stopped is whether it is taken to be
	// gone.
	errors  int
	stopped bool
}

// audit walks on over the bucket's clean signals. What stops it is no error of the
// run: whatever has not been looked at is the next run's.
func (r *run) audit(computing, writing context.Context) {
	if r.bucket.Checks.MaxStaleness <= 0 || r.sourceGone {
		return
	}
	a := &auditor{run: r, computing: computing, writing: writing, until: r.started.Add(r.cadence() * 4 / 5)}
	// However long the checks took, the audit must get on.
	if least := r.Now().Add(r.cadence() / 10); a.until.Before(least) {
		a.until = least
	}
	if err := a.walk(); err != nil && computing.Err() == nil {
		r.log.WarnContext(writing, "audit stopped; the next run goes on with it", "error", err.Error())
	}
}

func (a *auditor) timeLeft() bool {
	if a.computing.Err() != nil {
		return false
	}
	now := a.Now()
	if !now.Before(a.until) {
		return false
	}
	return a.limits.compute.IsZero() || now.Add(a.pace.slowest(now)).Before(a.limits.compute)
}

// look audits the entries of a page, as many at once as the bucket says, and
// returns how many of them are done with.
func (a *auditor) look(entries []signal.Key) int {
	a.next, a.cut = 0, len(entries)
	var workers sync.WaitGroup
	for range min(a.bucket.Checks.Concurrency, len(entries)) {
		workers.Go(func() {
			for a.timeLeft() {
				i, ok := a.take(len(entries))
				if !ok {
					return
				}
				began := a.Now()
				if through := a.compare(entries[i], began); !through {
					a.cutOff(i)
				}
				ended := a.Now()
				a.pace.took(ended.Sub(began), ended)
			}
		})
	}
	workers.Wait()
	return min(a.next, a.cut)
}

func (a *auditor) take(entries int) (i int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped || a.next == entries {
		return 0, false
	}
	a.next++
	return a.next - 1, true
}

func (a *auditor) cutOff(i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cut = min(a.cut, i)
}

// compare audits one signal. It is not through with it if there was no time for it,
// in which case the next run begins with this signal.
func (a *auditor) compare(key signal.Key, now time.Time) (through bool) {
	item, err := a.Store.Get(a.computing, key)
	if err != nil {
		a.failed(key, err)
		return a.computing.Err() == nil
	}
	if protocol.Overdue(item, now) {
		a.rubbish.meet(key)
		a.hear(key, "", Passed, "its date is over")
		return true
	}
	audit, ok := protocol.NewAudit(key, item, now)
	if !ok {
		a.hear(key, item.Text(signal.AttrValue), Passed, "it is gone, dirty or expired: nothing to compare")
		return true
	}
	value, asOf, err := a.estimate(key, item, now)
	switch {
	case err == nil:
	case !asOf.IsZero() && a.hung(a.computing, asOf):
		a.report(key, a.unansweredFor(asOf, err))
		return true
	default:
		a.unanswered(key, err)
		return a.computing.Err() == nil
	}
	a.answered()
	a.conclude(key, item, audit, value, asOf)
	return a.computing.Err() == nil
}

func (a *auditor) estimate(key signal.Key, item signal.Item, began time.Time) (value string, asOf time.Time, err error) {
	date, err := signal.ParseKey(key)
	if err != nil {
		return "", asOf, &source.ItemError{Item: "it", Reason: "cannot be audited: " + err.Error()}
	}
	pattern, err := signal.ParsePattern(item[signal.AttrPattern])
	if err != nil {
		return "", asOf, &source.ItemError{Item: "it", Reason: "cannot be audited: " + err.Error()}
	}
	asOf, estimate, err := a.ask(a.computing, began, date)
	if err != nil {
		return "", asOf, err
	}
	value, _ = pattern.Cache(estimate)
	return value, asOf, nil
}

// conclude writes what the comparison says.
func (a *auditor) conclude(key signal.Key, item signal.Item, audit protocol.Audit, value string, asOf time.Time) {
	write := audit.Write(value, asOf, a.Now())
	flips := write.Op == protocol.OpAuditFlip
	if _, shard, ok := signal.ParseShardKey(item.Text(signal.AttrGSIPK)); ok && flips {
		a.afford(a.writing, shard, unitsPerClean)
	}
	after, err := a.Store.Write(a.writing, write)
	if err != nil && !errors.Is(err, dynamo.ErrRefused) {
		a.failed(key, err)
		return
	}
	mismatched := flips && audit.Mismatch(after)
	a.concluded(key, item.Text(signal.AttrValue), flips, mismatched)
	a.tally.count(func(c *Counts) {
		c.Audited++
		if mismatched {
			c.Mismatched++
		}
	})
	if mismatched {
		a.log.WarnContext(a.writing, "audit_mismatch: the value was another than the source's, and nobody had flipped the signal", "key", key.String())
	}
}

func (a *auditor) concluded(key signal.Key, before string, flips, mismatched bool) {
	switch {
	case mismatched:
		a.hear(key, before, Mismatched, "nobody had flipped it")
	case flips && before == "":
		a.hear(key, before, Valueless, "")
	case flips:
		a.hear(key, before, Passed, "it has changed meanwhile")
	default:
		a.hear(key, before, Same, "")
	}
}

func (a *auditor) answered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.errors = 0
}

// unanswered takes note of a signal that the source made no value for.
func (a *auditor) unanswered(key signal.Key, err error) {
	if a.computing.Err() != nil {
		return
	}
	a.failed(key, err)
	if blamesItem(err) {
		return
	}
	a.tally.sourceFailed(err.Error())
	a.mu.Lock()
	defer a.mu.Unlock()
	a.errors++
	// Where it has answered for others, it is these signals; an audit must get past
	// them, or it would end there for ever.
	if a.errors >= errorsInARow && !a.tally.answered() && !a.stopped {
		a.stopped = true
		a.log.WarnContext(a.writing, "the source fails: no more is audited in this run")
	}
}

func (a *auditor) failed(key signal.Key, err error) {
	if a.computing.Err() == nil {
		a.report(key, err)
	}
}

func (a *auditor) report(key signal.Key, err error) {
	a.hear(key, "", Unaudited, err.Error())
	throttled := errors.Is(err, dynamo.ErrThrottled)
	a.tally.count(func(c *Counts) {
		c.AuditFailed++
		if throttled {
			c.Throttles++
		}
	})
	a.log.WarnContext(a.writing, "signal not audited", "key", key.String(), "reason", fmt.Sprint(err))
}
