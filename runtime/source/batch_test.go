package source_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

func day(n int) signal.ProductDate {
	return signal.ProductDate{Product: july1.Product, Date: july1.Date.AddDays(n)}
}

// asker notes what it is asked, and answers with the day of the month of 31.
type asker struct {
	// takes is how long an answer takes.
	takes time.Duration
	// fails is why a batch fails, or nil.
	fails func(dates []signal.ProductDate) error
	// answers changes the answers.
	answers func(dates []signal.ProductDate, a []source.Answer) []source.Answer

	mu      sync.Mutex
	batches [][]int
	now     int
	most    int
	ended   []error
}

func (a *asker) Ask(ctx context.Context, dates []signal.ProductDate) ([]source.Answer, error) {
	days := make([]int, len(dates))
	answers := make([]source.Answer, len(dates))
	for i, d := range dates {
		days[i] = d.Date.Day
		answers[i].Estimate = signal.Estimate{Available: int64(d.Date.Day), Capacity: 31}
	}
	a.mu.Lock()
	a.batches = append(a.batches, days)
	a.now++
	a.most = max(a.most, a.now)
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.now--
	}()
	select {
	case <-time.After(a.takes):
	case <-ctx.Done():
		a.mu.Lock()
		a.ended = append(a.ended, ctx.Err())
		a.mu.Unlock()
		return nil, ctx.Err()
	}
	if a.fails != nil {
		if err := a.fails(dates); err != nil {
			return nil, err
		}
	}
	if a.answers != nil {
		answers = a.answers(dates, answers)
	}
	return answers, nil
}

// asked is the days of the month of each batch.
func (a *asker) asked() [][]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.batches)
}

func (a *asker) sizes() []int {
	batches := a.asked()
	sizes := make([]int, len(batches))
	for i, b := range batches {
		sizes[i] = len(b)
	}
	return sizes
}

type outcome struct {
	estimate signal.Estimate
	err      error
	took     time.Duration
}

// askAll asks for the first days of July at once.
func askAll(ctx context.Context, s source.Source, n int) []outcome {
	outcomes := make([]outcome, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			began := time.Now()
			e, err := s.Estimate(ctx, day(i))
			outcomes[i] = outcome{e, err, time.Since(began)}
		})
	}
	group.Wait()
	return outcomes
}

func wantEstimates(t *testing.T, outcomes []outcome, except ...int) {
	t.Helper()
	for i, o := range outcomes {
		if slices.Contains(except, i) {
			continue
		}
		if want := (signal.Estimate{Available: int64(i + 1), Capacity: 31}); o.err != nil || o.estimate != want {
			t.Errorf("day %d: %+v, %v", i+1, o.estimate, o.err)
		}
	}
}

var batching = source.Batching{Size: 10, Linger: 5 * time.Millisecond, Concurrency: 2}

func TestBatches_gather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{takes: time.Second}
		wantEstimates(t, askAll(t.Context(), source.NewBatches(a, batching), 25))
		if sizes := a.sizes(); len(sizes) != 3 || slices.Max(sizes) != 10 || a.most != 2 {
			t.Errorf("25 signals in batches of %v, %d at once; want three of at most 10, two at once", sizes, a.most)
		}
		seen := slices.Sorted(slices.Values(slices.Concat(a.asked()...)))
		if len(seen) != 25 || len(slices.Compact(seen)) != 25 {
			t.Errorf("asked for %v", seen)
		}
	})
}

func TestBatches_doNotWaitForOthersLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := source.NewBatches(&asker{}, batching)
		if o := askAll(t.Context(), s, 3); o[0].took != batching.Linger {
			t.Errorf("waited for %s", o[0].took)
		}
		if o := askAll(t.Context(), s, 10); o[9].took != 0 {
			t.Errorf("a full batch waited for %s", o[9].took)
		}
	})
}

// The protocol takes an answer to be of a read that began after the call.
func TestBatches_noCallJoinsARequestThatIsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{takes: time.Second}
		s := source.NewBatches(a, batching)
		var group sync.WaitGroup
		ask := func() { group.Go(func() { wantEstimates(t, askAll(t.Context(), s, 1)) }) }
		ask()
		time.Sleep(batching.Linger / 2)
		ask()
		synctest.Wait()
		time.Sleep(batching.Linger)
		if diff := cmp.Diff([][]int{{1}}, a.asked()); diff != "" {
			t.Errorf("two calls before the request went out: %s", diff)
		}
		ask()
		time.Sleep(500 * time.Millisecond)
		ask()
		group.Wait()
		if diff := cmp.Diff([][]int{{1}, {1}, {1}}, a.asked()); diff != "" {
			t.Errorf("each call after that has a request of its own: %s", diff)
		}
	})
}

func TestBatches_growWhileAllRequestsAreOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{takes: time.Second}
		s := source.NewBatches(a, source.Batching{Size: 10, Linger: time.Millisecond, Concurrency: 1})
		var group sync.WaitGroup
		for i := range 9 {
			group.Go(func() { _, _ = s.Estimate(t.Context(), day(i)) })
			time.Sleep(10 * time.Millisecond)
		}
		group.Wait()
		if diff := cmp.Diff([]int{1, 8}, a.sizes()); diff != "" {
			t.Error(diff)
		}
	})
}

var errBroken = errors.New("the source is broken")

func poisonedBy(days ...int) func([]signal.ProductDate) error {
	return func(dates []signal.ProductDate) error {
		for _, d := range dates {
			if slices.Contains(days, d.Date.Day-1) {
				return errBroken
			}
		}
		return nil
	}
}

func TestBatches_findThePoisonedSignal(t *testing.T) {
	for poisoned := range 16 {
		synctest.Test(t, func(t *testing.T) {
			a := &asker{takes: time.Second, fails: poisonedBy(poisoned)}
			outcomes := askAll(t.Context(), source.NewBatches(a, source.Batching{Size: 16, Linger: time.Millisecond, Concurrency: 2}), 16)
			wantEstimates(t, outcomes, poisoned)
			err := outcomes[poisoned].err
			if !errors.Is(err, errBroken) || errors.Is(err, source.ErrShared) {
				t.Errorf("day %d was asked for alone in the end: %v", poisoned+1, err)
			}
			if n := len(a.asked()); n != 9 || outcomes[poisoned].took != 5*time.Second {
				t.Errorf("%d requests in %s; want 9, 5 of them one after the other", n, outcomes[poisoned].took)
			}
		})
	}
}

func TestBatches_anOutageIsKnownOfEachSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{fails: func([]signal.ProductDate) error { return errBroken }}
		for i, o := range askAll(t.Context(), source.NewBatches(a, batching), 10) {
			if !errors.Is(o.err, errBroken) || errors.Is(o.err, source.ErrShared) {
				t.Errorf("day %d: %v", i+1, o.err)
			}
		}
		if n := len(a.asked()); n != 19 {
			t.Errorf("%d requests, want 19", n)
		}
	})
}

// To send twice as many requests to a source that is over its rate helps nobody.
func TestBatches_aBusySourceIsNotAskedMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{fails: func([]signal.ProductDate) error { return fmt.Errorf("%w: 429", source.ErrBusy) }}
		for _, o := range askAll(t.Context(), source.NewBatches(a, batching), 10) {
			if !errors.Is(o.err, source.ErrBusy) || !errors.Is(o.err, source.ErrShared) {
				t.Error(o.err)
			}
		}
		if n := len(a.asked()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	})
}

func TestBatches_answersOfEachKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &source.ItemError{Item: "unit 7", Reason: "is broken"}
		a := &asker{answers: func(dates []signal.ProductDate, answers []source.Answer) []source.Answer {
			for i, d := range dates {
				switch {
				case d.Date.Day == 1:
					answers[i] = source.Answer{Err: broken}
				// It runs out of time after four signals, and never gets to the sixth.
				case i >= 4 || d.Date.Day == 6:
					answers[i] = source.Answer{Err: source.ErrUnanswered}
				}
			}
			return answers
		}}
		outcomes := askAll(t.Context(), source.NewBatches(a, batching), 10)
		wantEstimates(t, outcomes, 0, 5)
		if !errors.Is(outcomes[0].err, broken) {
			t.Error(outcomes[0].err)
		}
		if err := outcomes[5].err; !errors.Is(err, source.ErrUnanswered) || errors.Is(err, source.ErrShared) {
			t.Error(err)
		}
	})
}

func TestBatches_wrongNumberOfAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{answers: func(_ []signal.ProductDate, answers []source.Answer) []source.Answer { return answers[1:] }}
		for _, o := range askAll(t.Context(), source.NewBatches(a, batching), 3) {
			if !errors.Is(o.err, source.ErrAnswer) {
				t.Error(o.err)
			}
		}
	})
}

func TestBatches_eachCallerHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{takes: time.Minute}
		s := source.NewBatches(a, batching)
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var group sync.WaitGroup
		group.Go(func() {
			o := askAll(hasty, s, 1)[0]
			if o.took != time.Second || !errors.Is(o.err, context.DeadlineExceeded) || !errors.Is(o.err, source.ErrShared) {
				t.Errorf("after %s: %v", o.took, o.err)
			}
		})
		group.Go(func() { wantEstimates(t, askAll(t.Context(), s, 3)) })
		group.Wait()
		if len(a.ended) != 0 {
			t.Error("the request ended with the first of its callers")
		}
	})
}

func TestBatches_nobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{takes: time.Minute}
		s := source.NewBatches(a, batching)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		askAll(ctx, s, 3)
		synctest.Wait()
		if len(a.ended) != 1 || len(a.asked()) != 1 {
			t.Errorf("%d requests, %d ended; want the one to end with the last of its callers", len(a.asked()), len(a.ended))
		}

		// Those who leave before they are asked for are not asked for.
		ctx, cancel = context.WithTimeout(t.Context(), batching.Linger/2)
		defer cancel()
		if o := askAll(ctx, s, 1)[0]; !errors.Is(o.err, source.ErrShared) {
			t.Error(o.err)
		}
		if o := askAll(ctx, s, 1)[0]; !errors.Is(o.err, context.DeadlineExceeded) || o.took != 0 {
			t.Errorf("with a context that was done: %v after %s", o.err, o.took)
		}
		time.Sleep(time.Second)
		if len(a.asked()) != 1 {
			t.Errorf("asked for %v", a.asked())
		}
	})
}

// One that is cut off may be blamed only if all the time was its own.
func TestBatches_cutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{takes: time.Second, fails: func(dates []signal.ProductDate) error {
			if len(dates) > 1 {
				return errBroken
			}
			time.Sleep(time.Hour)
			return nil
		}}
		s := source.NewBatches(a, batching)
		cut := func(n int) []outcome {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			return askAll(ctx, s, n)
		}
		if err := cut(1)[0].err; errors.Is(err, source.ErrShared) {
			t.Errorf("alone from the beginning: %v", err)
		}
		err := cut(2)[0].err
		if !errors.Is(err, source.ErrShared) || !strings.Contains(err.Error(), errBroken.Error()) {
			t.Errorf("alone in the end; want what came before too: %v", err)
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestBatches_many(t *testing.T) {
	a := &asker{fails: poisonedBy(3, 17)}
	s := source.NewBatches(a, source.Batching{Size: 7, Linger: time.Microsecond, Concurrency: 3})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			for range 20 {
				wantEstimates(t, askAll(t.Context(), s, 25), 3, 17)
			}
		})
	}
	group.Wait()
	if a.most > 3 {
		t.Errorf("%d requests at once", a.most)
	}
	for _, batch := range a.asked() {
		if len(batch) > 7 || len(slices.Compact(slices.Sorted(slices.Values(batch)))) != len(batch) {
			t.Fatalf("batch %v", batch)
		}
	}
}
