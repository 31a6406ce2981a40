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
	return &Sweep{Task: t.Task, About: t.about(), Expired: report.Expired, Swept: report.Swept}, nil
}

// Findings is whether some that have expired are still there.
func (s *Sweep) Findings() bool { return s.Swept < s.Expired }

// Print writes it for people.
func (s *Sweep) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d expired an hour ago or more, %d deleted\n", s.About, s.Expired, s.Swept)
	if err == nil && s.Findings() {
		_, err = fmt.Fprintln(w, "the others could not be deleted, or there was no time for them: the log says why; run it again")
	}
	return err
}
