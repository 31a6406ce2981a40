package operate

import (
	"context"
	"fmt"
	"io"
	"iter"

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
	report, err := o.Runner.SweepNow(ctx, entries)
	if err != nil {
		return nil, fmt.Errorf("sweep %s: %w", t.about(), err)
	}
	return &Sweep{Task: t.Task, About: t.about(), Expired: report.Expired, Swept: report.Swept, Error: report.SweepError}, nil
}

// Findings is whether some that have expired are still there.
func (s *Sweep) Findings() bool { return s.Swept < s.Expired }

// Print writes it for people.
func (s *Sweep) Print(w io.Writer) error {
	out := &text{w: w}
	out.line("%s: %d expired an hour ago or more, %d deleted", s.About, s.Expired, s.Swept)
	switch {
	case !s.Findings():
	case s.Error != "":
		out.line("the others could not be deleted: %s", s.Error)
	default:
		out.line("the others had gone already, or there was no time for them: run it again")
	}
	return out.err
}
