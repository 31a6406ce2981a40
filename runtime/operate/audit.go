package operate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Audits is the answer of an audit.
type Audits struct {
	Task  string `json:"task"`
	About string `json:"about"`
	// Audited is how many clean values were compared with the source. Mismatched
	// were wrong, and nobody had flipped them; Valueless had never had a value. Both
	// are dirty now, and the next run computes them.
	Audited    int `json:"audited"`
	Mismatched int `json:"mismatched"`
	Valueless  int `json:"valueless"`
	// Failed could not be compared. Passed had nothing to compare.
	Failed int `json:"failed"`
	Passed int `json:"passed"`
	// Complete is whether all were reached.
	Complete bool `json:"complete"`
	// None is what there is to say of a product that has no signals at all.
	None string `json:"none,omitempty"`
	// Stopped is the error that ended it before it got to all; what is counted was
	// done, and stands.
	Stopped string `json:"stopped,omitempty"`
	// Signals are those that were not simply right, and Omitted how many more.
	Signals []Audited `json:"signals,omitempty"`
	Omitted int       `json:"omitted,omitempty"`
}

// Audited is what came of a signal.
type Audited struct {
	Signal string          `json:"signal"`
	Result protocol.Result `json:"result"`
	// Cached is the value that it had.
	Cached string `json:"cached,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func (o *Operator) audit(ctx context.Context, t Task) (*Audits, error) {
	a := &Audits{Task: t.Task, About: t.about(), Complete: true}
	odd := map[string]Audited{}
	heard := func(out check.Outcome) {
		if !a.count(out.Result) {
			return
		}
		if o.Most > 0 && len(odd) == o.Most {
			a.Omitted++
			return
		}
		name := shown(out.Key)
		odd[name] = Audited{Signal: name, Result: out.Result, Cached: out.Before, Reason: out.Reason}
	}
	audit := func(bucket string, keys []signal.Key, heard func(check.Outcome)) error {
		_, complete, err := o.Runner.AuditNow(ctx, bucket, keys, heard)
		a.Complete = a.Complete && complete
		return err
	}
	var err error
	if t.Bucket != "" {
		var name string
		if name, err = ParseBucket(t.Bucket); err == nil {
			err = audit(name, nil, heard)
		}
	} else {
		var found members
		var expired int
		if found, expired, err = o.subject(ctx, t); err == nil {
			if len(found) == 0 && expired == 0 {
				a.None, _ = o.nothingOf(ctx, t.Product)
			}
			err = found.each(audit, heard)
		}
	}
	if err != nil {
		err = fmt.Errorf("audit %s: %w", t.about(), err)
		if a.Audited+a.Failed+a.Passed == 0 {
			return nil, err
		}
		a.Complete, a.Stopped = false, err.Error()
	}
	for _, name := range slices.Sorted(maps.Keys(odd)) {
		a.Signals = append(a.Signals, odd[name])
	}
	return a, nil
}

// count counts a result, and says whether it is worth a line.
func (a *Audits) count(result protocol.Result) (odd bool) {
	switch result {
	case check.Same:
		a.Audited++
		return false
	case check.Mismatched:
		a.Audited++
		a.Mismatched++
	case check.Valueless:
		a.Audited++
		a.Valueless++
	case check.Passed:
		a.Passed++
	default:
		a.Failed++
	}
	return true
}

// Findings is whether a value was wrong, or could not be compared, or there was no
// signal at all.
func (a *Audits) Findings() bool { return a.Mismatched+a.Failed > 0 || !a.Complete || a.None != "" }

// Print writes it for people.
func (a *Audits) Print(w io.Writer) error {
	out := &text{w: w}
	if a.None != "" {
		out.line("%s: %s", a.About, a.None)
		return out.err
	}
	for _, s := range a.Signals {
		line := s.Signal + "  " + string(s.Result)
		if s.Result == check.Mismatched {
			line += ": it showed " + s.Cached
		}
		if s.Reason != "" {
			line += ": " + s.Reason
		}
		out.line("%s", line)
	}
	if a.Omitted > 0 {
		out.line("... and %d more", a.Omitted)
	}
	out.line("%s: %d compared, %d wrong without a flip, %d without a value, %d could not be compared, %d had nothing to compare",
		a.About, a.Audited, a.Mismatched, a.Valueless, a.Failed, a.Passed)
	if a.Mismatched > 0 {
		out.line("some writer changes inventory without a flip (or the stream is behind): see which dates, and when they were booked. They are dirty now: the next run mends the values")
	}
	switch {
	case a.Stopped != "":
		out.stopped(a.Stopped, "compared")
	case !a.Complete:
		out.line("time ran out, or the source is gone: the rest was not compared")
	}
	return out.err
}
