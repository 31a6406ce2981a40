package main

import (
	"context"
	"sync"
)

// workers is how many requests the demo has under way at once.
const workers = 16

// each does something for all of a list, several at a time, and returns the first
// error, which ends the others.
func each[T any](ctx context.Context, list []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan T)
	var all sync.WaitGroup
	for range min(workers, len(list)) {
		all.Go(func() {
			for v := range next {
				if err := do(ctx, v); err != nil {
					cancel(err)
				}
			}
		})
	}
feed:
	for _, v := range list {
		select {
		case next <- v:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	all.Wait()
	return context.Cause(ctx)
}
