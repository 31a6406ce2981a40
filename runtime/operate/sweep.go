package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Sweep is the answer of a sweep.
type Sweep struct {
	Task  string `json:"task"`
	About string `json:"about"`
	// Expired is how many have been expired for an hour or more, and Swept how many
	// of them are deleted now.
	Expired int64 `json:"expired"`
	Swept   int64 `json:"swept"`
	// Error is why the first that could not be deleted was not, if it is known.
	Error string `json:"error,omitempty"`
	// None is what there is to say of a product or a bucket of which nothing is known.
	None string `json:"none,omitempty"`
	// Stopped is the error that ended it before all were looked at; what is counted
	// was done, and stands.
	Stopped string `json:"stopped,omitempty"`
}

func (o *Operator) sweep(ctx context.Context, t Task) (*Sweep, error) {
	var entries iter.Seq2[signal.Item, error]
	if t.Bucket != "" {
		name, err := ParseBucket(t.Bucket)
		if err != nil {
			return nil, err
		}
		entries = o.Signals.Members(ctx, o.Runner.Index, name)
	} else {
		p, err := ParseProduct(t.Product)
		if err != nil {
			return nil, err
		}
		entries = o.entries(ctx, p)
	}
	looked := false
	report, err := o.Runner.SweepNow(ctx, func(yield func(signal.Item, error) bool) {
		for item, err := range entries {
			looked = looked || err == nil
			if !yield(item, err) {
				return
			}
		}
	})
	s := &Sweep{Task: t.Task, About: t.about(), Expired: report.Expired, Swept: report.Swept, Error: report.SweepError}
	switch {
	case err != nil:
		err = fmt.Errorf("sweep %s: %w", t.about(), err)
		if s.Expired == 0 {
			return nil, err
		}
		s.Stopped = err.Error()
	case !looked:
		s.None = o.unknown(ctx, t)
	}
	return s, nil
}

// unknown is what there is to say of a product or a bucket that has no signals, "" if
// that is all there is to it.
func (o *Operator) unknown(ctx context.Context, t Task) string {
	if t.Product != "" {
		if says, known := o.nothingOf(ctx, t.Product); !known {
			return says
		}
		return ""
	}
	name, err := ParseBucket(t.Bucket)
	if err == nil {
		_, err = o.Runner.Registry.Get(ctx, name)
	}
	if errors.Is(err, dynamo.ErrNotRegistered) {
		return "there is no such bucket, and no signal of one: see whether the name is right, and whether this is the table"
	}
	return ""
}

// Findings is whether some that have expired are still there, or nothing is known of
// what was to be swept.
func (s *Sweep) Findings() bool { return s.Swept < s.Expired || s.Stopped != "" || s.None != "" }

// Print writes it for people.
func (s *Sweep) Print(w io.Writer) error {
	out := &text{w: w}
	if s.None != "" {
		out.line("%s: %s", s.About, s.None)
		return out.err
	}
	out.line("%s: %d expired an hour ago or more, %d deleted", s.About, s.Expired, s.Swept)
	switch {
	case s.Swept == s.Expired:
	case s.Error != "":
		out.line("the others could not be deleted: %s", s.Error)
	default:
		out.line("the others had gone already, or there was no time for them: run it again")
	}
	if s.Stopped != "" {
		out.stopped(s.Stopped, "looked at")
	}
	return out.err
}
