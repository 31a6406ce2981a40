package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// wanted is a signal on its way to an estimate, guarded by its Batches until it is
// done.
type wanted struct {
	date signal.ProductDate
	// callers is how many still wait for it.
	callers int
	// request is the one that is out for it, or nil.
	request *request
	// together is whether it has been asked for with others.
	together bool
	// failure is that of the last request that had it.
	failure error

	done     chan struct{}
	estimate signal.Estimate
	err      error
}

// request is one that is out.
type request struct {
	ctx    context.Context
	cancel context.CancelFunc
	// wanted is for how many signals somebody still waits.
	wanted int
}

// begin makes a request for those of a batch that somebody still waits for.
func (b *Batches) begin(batch []*wanted) (*request, []*wanted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	live := batch[:0:0]
	for _, w := range batch {
		if w.callers > 0 {
			live = append(live, w)
		}
	}
	r := &request{wanted: len(live)}
	// Each caller's context ends its own waiting alone.
	r.ctx, r.cancel = context.WithCancel(context.Background())
	for _, w := range live {
		w.request = r
		w.together = w.together || len(live) > 1
	}
	return r, live
}

// end hands out what came of a request, and returns those to be asked for again.
func (b *Batches) end(batch []*wanted, answers []Answer, err error) (open []*wanted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, w := range batch {
		w.request = nil
		failure := err
		if failure == nil {
			failure = answers[i].Err
		}
		if failure == nil {
			w.finish(answers[i].Estimate, nil)
			continue
		}
		if _, ok := errors.AsType[*ItemError](failure); ok && err == nil {
			w.finish(signal.Estimate{}, failure)
			continue
		}
		w.failure = failure
		switch failed := fmt.Errorf("ask for %q: %w", w.date, failure); {
		case len(batch) == 1:
			w.finish(signal.Estimate{}, failed)
		case errors.Is(failure, ErrBusy):
			// To ask more often would not make it less so, and no signal is blamed.
			w.finish(signal.Estimate{}, shared(failed))
		default:
			open = append(open, w)
		}
	}
	return open
}

// leave takes a caller away whose context is done. It returns nil if there is an
// answer nevertheless.
func (b *Batches) leave(w *wanted, reason error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.done:
		return nil
	default:
	}
	w.callers--
	if r := w.request; r != nil && w.callers == 0 {
		r.wanted--
		if r.wanted == 0 {
			r.cancel()
		}
	}
	err := fmt.Errorf("ask for %q: no answer in time: %w", w.date, reason)
	if w.failure != nil {
		err = fmt.Errorf("%w; before that: %w", err, w.failure)
	}
	// One that was in a batch before has not had a whole time of its own.
	if w.request == nil || w.together {
		return shared(err)
	}
	return err
}

func (w *wanted) finish(e signal.Estimate, err error) {
	w.estimate, w.err = e, err
	close(w.done)
}

func shared(err error) error { return fmt.Errorf("%w: %w", ErrShared, err) }
