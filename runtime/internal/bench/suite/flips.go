package suite

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// flips is P2: many callers of one signal.
func (s *Suite) flips(ctx context.Context) (record.Row, error) {
	r := record.Row{
		Title: "Flips of one signal by many callers",
		How: fmt.Sprintf("%d goroutines of one process flip one signal without pause, on %s: through the client, which lets them join and reads what is dirty already, and by an UpdateItem each, with a connection for each. "+
			"Then they flip it after changes that are counted, while runs check it; the last value must have them all.", callers, s.EngineName),
	}
	season, done, err := s.onEngine(ctx, 1)
	if err != nil {
		return r, err
	}
	defer done()
	window := time.Duration(s.sized(1000, 50)) * time.Millisecond
	key := season.day(0).Key()
	pair, err := record.Alternate(s.Rounds,
		func() (float64, error) {
			return flipRate(ctx, callers, window, flip.New(s.Engine, season.table).Flip, func(int) signal.Key { return key })
		},
		func() (float64, error) {
			return flipRate(ctx, callers, window, flip.New(s.Engine, season.table).Blind, func(int) signal.Key { return key })
		})
	if err != nil {
		return r, err
	}
	lost, err := s.lost(ctx, season, s.sized(2000, 100))
	if err != nil {
		return r, err
	}
	r.Lines = []record.Line{
		pair.Line("flips a second, joined by one UpdateItem each", "flips/s", record.AtLeast(20)),
		{What: "changes that the value lacks once all is quiet", Value: float64(lost), Goal: record.AtMost(0), Detail: "after two runs in the midst of them, and one at the end"},
	}
	return r, nil
}

// flipRate is how many flips a second so many callers get done, caller i those of
// the signal that of names.
func flipRate(ctx context.Context, callers int, window time.Duration, f func(context.Context, signal.Key) error, of func(caller int) signal.Key) (float64, error) {
	var count atomic.Int64
	failures := make([]error, callers)
	began := time.Now()
	end := began.Add(window)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for time.Now().Before(end) && failures[i] == nil {
				failures[i] = f(ctx, of(i))
				count.Add(1)
			}
		})
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return 0, err
		}
	}
	return float64(count.Load()) / time.Since(began).Seconds(), nil
}

// lost is how many of so many changes the signal's value does not know of in the
// end.
func (s *Suite) lost(ctx context.Context, season *season, changes int) (int64, error) {
	var committed atomic.Int64
	runner := season.runner(s.Engine, sourceFunc(func(context.Context, signal.ProductDate) (signal.Estimate, error) {
		return signal.Estimate{Available: committed.Load(), Capacity: int64(changes)}, nil
	}))
	client, key := flip.New(s.Engine, season.table), season.day(0).Key()
	ran := make(chan error, 1)
	err := each(ctx, 0, changes, callers, func(ctx context.Context, i int) error {
		committed.Add(1)
		if i == changes/3 {
			go func() {
				_, err := runner.Run(ctx, bucketName)
				if err == nil {
					_, err = runner.Run(ctx, bucketName)
				}
				ran <- err
			}()
		}
		return client.Flip(ctx, key)
	})
	if err != nil {
		return 0, err
	}
	if err := <-ran; err != nil {
		return 0, err
	}
	if _, err := runner.Run(ctx, bucketName); err != nil {
		return 0, err
	}
	item, err := season.store.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	value, err := strconv.ParseInt(item.Text(signal.AttrValue), 10, 64)
	return committed.Load() - value, err
}
