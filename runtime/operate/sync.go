package operate

import (
	"context"
	"fmt"
	"io"

	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// Sync is the answer of a sync.
type Sync struct {
	Task  string `json:"task"`
	About string `json:"about"`
	stream.Summary
}

func (o *Operator) sync(ctx context.Context, t Task) (*Sync, error) {
	target := stream.Target{Collection: t.Collection}
	if t.Product != "" {
		p, err := ParseProduct(t.Product)
		if err != nil {
			return nil, err
		}
		target.Product = p
	}
	ctx, stop := stream.InTime(ctx, o.now())
	defer stop()
	plan, err := o.Sync.Run(ctx, target, stream.Options{Apply: t.Apply, TakeOver: t.TakeOver})
	if err != nil {
		return nil, fmt.Errorf("sync %s: %w", t.about(), err)
	}
	return &Sync{Task: t.Task, About: t.about(), Summary: plan.Summary(o.Most)}, nil
}

// Findings is whether something could not be done, or nothing is known of what was to
// be synced.
func (s *Sync) Findings() bool { return s.Failed > 0 || s.Left > 0 || s.Unknown }

// Print writes it for people.
func (s *Sync) Print(w io.Writer) error {
	if err := s.Summary.Print(w); err != nil {
		return err
	}
	if s.Failed == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w, "what failed is done by running it again, once its cause is gone")
	return err
}
