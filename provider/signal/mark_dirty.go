package signal

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// markersAtOnce is how many flips are under way at a time.
	markersAtOnce = 32
	// progressEvery is after how many signals the progress is told again.
	progressEvery = 500
)

// marker marks signals dirty.
type marker struct {
	reader *read.Reader
	flips  *flip.Client
}

// marked is what became of a selection.
type marked struct {
	// dirty have been marked, expired were left alone.
	dirty, expired int
}

// mark marks all signals of a selection dirty that have not expired, and tells how
// far it is. Marking goes on until one fails; the counts are right also then.
func (m marker) mark(ctx context.Context, s selection, tell func(marked)) (marked, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		wg     sync.WaitGroup
		slots  = make(chan struct{}, markersAtOnce)
		failed = make(chan error, 1)
		mu     sync.Mutex
		so     marked
	)
	fail := func(err error) {
		select {
		case failed <- err:
		default:
		}
		stop()
	}
	flipOne := func(key signal.Key) {
		defer func() { <-slots }()
		if err := m.flips.Flip(ctx, key); err != nil {
			fail(fmt.Errorf("mark %q: %w", key, err))
			return
		}
		mu.Lock()
		so.dirty++
		mu.Unlock()
	}
	told := 0
	for reading, err := range m.chosen(ctx, s) {
		if err != nil {
			fail(err)
		}
		if ctx.Err() != nil {
			break
		}
		mu.Lock()
		if reading.Expired {
			so.expired++
		}
		now := so
		mu.Unlock()
		if now.dirty >= told+progressEvery {
			told = now.dirty
			tell(now)
		}
		if reading.Expired {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() { flipOne(reading.Key()) })
	}
	wg.Wait()
	select {
	case err := <-failed:
		return so, err
	default:
		return so, context.Cause(ctx)
	}
}

// chosen yields the signals of a selection. A bucket's are yielded as they are
// found, dirty ones first, so that what moves in between is not missed: a signal
// that is flipped meanwhile needs no mark.
func (m marker) chosen(ctx context.Context, s selection) iter.Seq2[read.Reading, error] {
	if s.bucket != "" {
		return m.reader.InBucket(ctx, s.bucket, read.Any)
	}
	return func(yield func(read.Reading, error) bool) {
		readings, err := m.reader.Range(ctx, s.product, s.First, s.Last)
		if err != nil {
			yield(read.Reading{}, err)
			return
		}
		for _, reading := range readings {
			if !yield(reading, nil) {
				return
			}
		}
	}
}

func newMarker(r *read.Reader, api flip.API, table string, now func() time.Time) marker {
	return marker{reader: r, flips: flip.New(api, table, flip.WithClock(now), flip.WithLimit(time.Minute))}
}
