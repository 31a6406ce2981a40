package operate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Checks is the answer of a check: of a signal or a product, what came of each
// signal; of a bucket, its run's report.
type Checks struct {
	Task    string    `json:"task"`
	About   string    `json:"about"`
	Signals []Checked `json:"signals,omitempty"`
	// Expired is how many of the product's dates are over, and left alone.
	Expired int `json:"expired,omitempty"`
	// None is what there is to say of a product that has no signals at all.
	None string        `json:"none,omitempty"`
	Run  *check.Report `json:"run,omitempty"`
	// Stopped is the error that ended it before it got to all; those that it did not
	// get to are among the signals.
	Stopped string `json:"stopped,omitempty"`
}

// Checked is what came of a signal.
type Checked struct {
	Signal string          `json:"signal"`
	Result protocol.Result `json:"result"`
	// Flipped is whether it was clean, and so was flipped first.
	Flipped bool   `json:"flipped,omitempty"`
	Before  string `json:"before,omitempty"`
	Value   string `json:"value,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

func (o *Operator) check(ctx context.Context, t Task) (*Checks, error) {
	c := &Checks{Task: t.Task, About: t.about()}
	if t.Bucket != "" {
		name, err := ParseBucket(t.Bucket)
		if err != nil {
			return nil, err
		}
		report, err := o.Runner.RunNow(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", t.about(), err)
		}
		c.Run = &report
		return c, nil
	}
	found, expired, err := o.subject(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", t.about(), err)
	}
	c.Expired = expired
	if len(found) == 0 && expired == 0 {
		c.None, _ = o.nothingOf(ctx, t.Product)
	}
	came, done := map[signal.Key]check.Outcome{}, false
	err = found.each(func(bucket string, keys []signal.Key, heard func(check.Outcome)) error {
		_, err := o.Runner.CheckNow(ctx, bucket, keys, heard)
		return err
	}, func(out check.Outcome) {
		came[out.Key] = out
		done = done || out.Result != check.Unreached || out.Flipped
	})
	if err != nil {
		err = fmt.Errorf("check %s: %w", t.about(), err)
		if !done {
			return nil, err
		}
		c.Stopped = err.Error()
		found.rest(came)
	}
	for _, out := range came {
		c.Signals = append(c.Signals, checkedOf(out))
	}
	slices.SortFunc(c.Signals, func(a, b Checked) int { return strings.Compare(a.Signal, b.Signal) })
	return c, nil
}

// rest tells of those that nothing was heard of.
func (m members) rest(came map[signal.Key]check.Outcome) {
	for _, keys := range m {
		for _, key := range keys {
			if _, heard := came[key]; !heard {
				came[key] = check.Outcome{Key: key, Result: check.Unreached, Reason: "the check ended before it"}
			}
		}
	}
}

// each does something for the signals of each bucket. Those of no bucket, or of one
// that cannot be used, are told as failed.
func (m members) each(do func(bucket string, keys []signal.Key, heard func(check.Outcome)) error, heard func(check.Outcome)) error {
	for _, bucket := range slices.Sorted(maps.Keys(m)) {
		failed := func(reason string) {
			for _, key := range m[bucket] {
				heard(check.Outcome{Key: key, Result: protocol.Failed, Reason: reason})
			}
		}
		if bucket == "" {
			failed("there is no such signal, or its " + signal.AttrGSIPK + " names no bucket: nobody checks it")
			continue
		}
		if err := do(bucket, m[bucket], heard); unusable(err) {
			failed(err.Error())
		} else if err != nil {
			return err
		}
	}
	return nil
}

func checkedOf(out check.Outcome) Checked {
	return Checked{
		Signal: shown(out.Key), Result: out.Result, Flipped: out.Flipped, Before: out.Before, Value: out.Value, Reason: out.Reason,
	}
}

// shown is a signal's name as people have it.
func shown(key signal.Key) string {
	d, err := signal.ParseKey(key)
	if err != nil {
		return key.String()
	}
	return d.String()
}

// Findings is whether a signal has not got its value, or there was nothing to check: a
// bucket that another run has, a product without signals.
func (c *Checks) Findings() bool {
	if c.Run != nil {
		r := c.Run
		return !r.HeldUntil.IsZero() || r.Failed+r.BackedOff+r.Remaining+r.Released+r.Abandoned > 0
	}
	return c.None != "" || c.Stopped != "" || slices.ContainsFunc(c.Signals, func(s Checked) bool { return !s.done() })
}

// done is whether the signal has its value, or somebody else is about to give it
// one.
func (c Checked) done() bool {
	switch c.Result {
	case protocol.Cleaned, protocol.Raced, protocol.Settling, protocol.NotClaimed, protocol.Superseded:
		return true
	}
	return false
}

// Print writes it for people.
func (c *Checks) Print(w io.Writer) error {
	out := &text{w: w}
	if r := c.Run; r != nil {
		if !r.HeldUntil.IsZero() {
			out.line("%s: another run has it, until %s unless it renews that, and checks what is due: nothing was done; try again after it", c.About, signal.FormatInstant(r.HeldUntil))
			return out.err
		}
		out.line("%s: %d dirty, %d checked, %d of them changed, %d clean now, %d flipped again meanwhile, %d failed, %d put off, %d not reached, %d of unknown outcome",
			c.About, r.Seen, r.Computed, r.Changed, r.Cleaned, r.Raced, r.Failed, r.BackedOff, r.Remaining+r.Released, r.Abandoned)
		for _, f := range r.Failures {
			out.line("  %s: %s", f.Key, f.Reason)
		}
		if r.SourceError != "" {
			out.line("  the source failed: %s", r.SourceError)
		}
		return out.err
	}
	for _, s := range c.Signals {
		out.line("%s  %s", s.Signal, s.text())
	}
	if c.Expired > 0 {
		out.line("left alone, because the date is over: %d", c.Expired)
	}
	switch {
	case c.None != "":
		out.line("%s: %s", c.About, c.None)
	case c.Stopped != "":
		out.stopped(c.Stopped, "checked")
	case len(c.Signals) == 0:
		out.line("%s: there is no signal to check", c.About)
	}
	return out.err
}

func (c Checked) text() string {
	text := string(c.Result)
	switch {
	case c.Value == "":
	case c.Value == c.Before:
		text += ": " + c.Value + ", as before"
	case c.Before == "":
		text += ": " + c.Value
	default:
		text += ": " + c.Before + " before, " + c.Value + " now"
	}
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	return text
}
