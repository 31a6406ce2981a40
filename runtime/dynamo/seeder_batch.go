package dynamo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
)

const (
	// batchSize is the most that one request takes.
	batchSize = 25
	// batchesAtOnce is enough for what a partition takes: 1,000 writes a second
	// are 40 batches, of some 20 ms each.
	batchesAtOnce = 4
	// updatesAtOnce is how many single writes are under way at once.
	updatesAtOnce = 32
	// maxRepeats is how often in a row entries are sent again without any of them
	// getting through.
	maxRepeats   = 12
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// sendAll sends n puts and deletes in batches, each written or refused by itself.
// write is asked for each of them once, in their order, by one goroutine at a time,
// and not before its batch's turn has come: a season's are not kept all at once.
//
// done is told what became of each that was sent, from one goroutine at a time: nil
// if it was written, ErrRefused if its condition did not hold, or why its outcome is
// another or unknown. After the first failure that repeating does not cure, or an
// error of write's, which is the error returned, nothing more is sent.
func (s *Seeder) sendAll(ctx context.Context, n int, write func(i int) (protocol.Write, error), done func(i int, err error)) error {
	var mu sync.Mutex
	record := func(i int, err error) {
		mu.Lock()
		defer mu.Unlock()
		done(i, err)
	}
	all := batches{n: n, write: write}
	return inParallel(ctx, (n+batchSize-1)/batchSize, batchesAtOnce, func(ctx context.Context, _ int) error {
		first, writes, err := all.take()
		if err != nil {
			return err
		}
		return s.sendBatch(ctx, writes, func(i int, err error) { record(first+i, err) })
	})
}

// batches are the writes of sendAll.
type batches struct {
	n     int
	write func(i int) (protocol.Write, error)

	mu     sync.Mutex
	next   int
	failed error
}

// take is the next batch, and the number of its first write. After an error there
// is none any more.
func (b *batches) take() (first int, writes []protocol.Write, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = b.next
	writes = make([]protocol.Write, 0, batchSize)
	for b.failed == nil && b.next < min(first+batchSize, b.n) {
		var w protocol.Write
		if w, b.failed = b.write(b.next); b.failed == nil {
			writes = append(writes, w)
			b.next++
		}
	}
	return first, writes, b.failed
}

// sendBatch sends up to 25 writes, those that are throttled again and again.
func (s *Seeder) sendBatch(ctx context.Context, writes []protocol.Write, done func(i int, err error)) error {
	left := make([]int, len(writes))
	for i := range left {
		left[i] = i
	}
	// What was once without an answer may have been written, whatever is said of it, or
	// of another, later.
	all := make([]attempts, len(writes))
	tell := func(i int, err error) { done(i, all[i].mark(err)) }
	giveUp := func(which []int, err error) error {
		for _, i := range which {
			tell(i, err)
		}
		return err
	}
	pause, repeats := firstPause, 0
	for {
		answers, err := s.sendOnce(ctx, writes, left)
		if err != nil {
			return giveUp(left, err)
		}
		var again []int
		var passing, failed error
		for i, err := range answers {
			switch {
			case err == nil, errors.Is(err, ErrRefused):
				tell(left[i], err)
			case errors.Is(err, ErrThrottled), errors.Is(err, ErrConflict), errors.Is(err, ErrUnknown):
				again, passing = append(again, left[i]), err
				all[left[i]].unanswered = all[left[i]].unanswered || errors.Is(err, ErrUnknown)
			default:
				tell(left[i], err)
				failed = err
			}
		}
		switch {
		case failed != nil:
			return giveUp(again, failed)
		case len(again) == 0:
			return nil
		case len(again) < len(left):
			pause, repeats = firstPause, 0
		case repeats == maxRepeats:
			return giveUp(again, passing)
		}
		left = again
		repeats++
		if err := s.sleep(ctx, s.jitter(pause)); err != nil {
			return giveUp(again, fmt.Errorf("%w; the last answer was: %w", err, passing))
		}
		pause = min(2*pause, longestPause)
	}
}

// sendOnce sends the writes that left lists; answers are in its order.
func (s *Seeder) sendOnce(ctx context.Context, writes []protocol.Write, left []int) (answers []error, err error) {
	in := &dynamodb.BatchExecuteStatementInput{Statements: make([]types.BatchStatementRequest, len(left))}
	for i, n := range left {
		in.Statements[i] = statement(s.store.table, writes[n])
	}
	first := writes[left[0]]
	ctx, stop := graceful(ctx)
	defer stop()
	var all attempts
	out, err := s.api.BatchExecuteStatement(ctx, in, func(o *dynamodb.Options) { o.Retryer = all.watch(o.Retryer) })
	if err == nil && len(out.Responses) != len(left) {
		err = fmt.Errorf("%d answers", len(out.Responses))
	}
	if err != nil {
		return nil, fmt.Errorf("%s %q, one of %d in table %q: %w", first.Op, first.Key, len(left), s.store.table, all.mark(classify(err)))
	}
	answers = make([]error, len(left))
	for i, answer := range out.Responses {
		if answer.Error != nil {
			w := writes[left[i]]
			answers[i] = fmt.Errorf("%s %q in table %q: %w", w.Op, w.Key, s.store.table, statementError(answer.Error, out))
		}
	}
	return answers, nil
}

// inParallel calls f for 0 to n-1, some at once. After the first error, which it
// returns, or when ctx is done, no more are begun; those under way are awaited.
func inParallel(ctx context.Context, n, atOnce int, f func(ctx context.Context, i int) error) error {
	var (
		mu    sync.Mutex
		next  int
		first error
		all   sync.WaitGroup
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == n || first != nil {
			return 0, false
		}
		if err := context.Cause(ctx); err != nil {
			first = err
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range min(n, atOnce) {
		all.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				if err := f(ctx, i); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return first
}
