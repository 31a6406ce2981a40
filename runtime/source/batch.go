package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Asker asks for many signals in one request.
type Asker interface {
	// Ask returns an answer for each date, in their order. No two dates are the
	// same. The read must begin after Ask is called. An error means that none was
	// answered. It must return soon after its context is done, and sometime without
	// that.
	Ask(ctx context.Context, dates []signal.ProductDate) ([]Answer, error)
}

// Answer is what there is behind one signal of a batch.
type Answer struct {
	Estimate signal.Estimate
	// Err is why there is no estimate: an *ItemError, or ErrUnanswered.
	Err error
}

// ErrUnanswered is an answer that has nothing for a signal, which is then asked
// for again in a smaller batch.
var ErrUnanswered = errors.New("the source did not answer for it")

// Batching says how signals are gathered into batches.
type Batching struct {
	// Size is how many signals a batch has at most.
	Size int
	// Linger is for how long a signal waits for others at most.
	Linger time.Duration
	// Concurrency is how many requests there are at once at most. While all are
	// out, those who wait gather in larger batches.
	Concurrency int
}

// Batches makes a Source of an Asker: it gathers concurrent calls of Estimate into
// batches. A call never joins a request that is already out, whose read may have
// begun before the call.
type Batches struct {
	asker Asker
	Batching
	slots chan struct{}

	mu sync.Mutex
	// waiting are those not asked for yet, oldest first; byDate is the same.
	waiting []*wanted
	byDate  map[signal.ProductDate]*wanted
	// lingering is whether a timer will send those who wait.
	lingering bool
}

// NewBatches returns the source. Size and Concurrency must be positive.
func NewBatches(asker Asker, b Batching) *Batches {
	return &Batches{asker: asker, Batching: b, slots: make(chan struct{}, b.Concurrency), byDate: map[signal.ProductDate]*wanted{}}
}

// Estimate asks for a signal, together with others that are wanted now. An error
// is ErrShared if the signal was not asked for alone.
func (b *Batches) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	if err := ctx.Err(); err != nil {
		return signal.Estimate{}, fmt.Errorf("ask for %q: %w: %w", d, ErrShared, err)
	}
	w := b.want(d)
	select {
	case <-w.done:
	case <-ctx.Done():
		if err := b.leave(w, ctx.Err()); err != nil {
			return signal.Estimate{}, err
		}
	}
	return w.estimate, w.err
}

// want joins those who wait for the next batch.
func (b *Batches) want(d signal.ProductDate) *wanted {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := b.byDate[d]; w != nil {
		w.callers++
		return w
	}
	w := &wanted{date: d, callers: 1, done: make(chan struct{})}
	b.byDate[d] = w
	b.waiting = append(b.waiting, w)
	// Each full batch has a send of its own, and what is beyond it a timer: as many
	// as it takes, because a send takes a full batch or all there is.
	switch {
	case len(b.waiting)%b.Size == 0:
		go b.send()
	case !b.lingering:
		b.lingering = true
		time.AfterFunc(b.Linger, func() {
			b.mu.Lock()
			b.lingering = false
			b.mu.Unlock()
			b.send()
		})
	}
	return w
}

// send asks for a batch of those who wait by the time that a request may go out.
func (b *Batches) send() {
	b.slots <- struct{}{}
	b.mu.Lock()
	n := min(b.Size, len(b.waiting))
	batch := slices.Clone(b.waiting[:n])
	b.waiting = slices.Delete(b.waiting, 0, n)
	for _, w := range batch {
		delete(b.byDate, w.date)
	}
	b.mu.Unlock()
	b.ask(batch)
}

// ask asks for a batch in the slot that it has, and for halves of what that left
// open in slots of their own.
func (b *Batches) ask(batch []*wanted) {
	open := b.request(batch)
	<-b.slots
	if len(open) == 0 {
		return
	}
	for half := range slices.Chunk(open, (len(open)+1)/2) {
		go func() {
			b.slots <- struct{}{}
			b.ask(half)
		}()
	}
}

// request sends one request, and returns those that it left open.
func (b *Batches) request(batch []*wanted) (open []*wanted) {
	r, batch := b.begin(batch)
	if len(batch) == 0 {
		return nil
	}
	defer r.cancel()
	dates := make([]signal.ProductDate, len(batch))
	for i, w := range batch {
		dates[i] = w.date
	}
	answers, err := recovered(func() ([]Answer, error) { return b.asker.Ask(r.ctx, dates) })
	if err == nil && len(answers) != len(dates) {
		err = fmt.Errorf("%w: %d answers for %d signals", ErrAnswer, len(answers), len(dates))
	}
	return b.end(batch, answers, err)
}
