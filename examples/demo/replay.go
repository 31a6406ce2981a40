package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
)

// clerks is how many take bookings at the same time.
const clerks = 32

// replay is a morning of bookings, each followed by its flip.
type replay struct {
	season *season.Season
	db     *dynamodb.Client
	flips  *flip.Client

	booked, flipped atomic.Int64
}

// run takes the bookings at their seconds, in a morning that begins at a moment
// and is stretched or shortened to last as long as said. Bookings of one pool are
// taken in their order, all others side by side.
func (r *replay) run(ctx context.Context, begin time.Time, lasts time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pace := 1.0
	if d := r.season.Lasts(); d > 0 {
		pace = lasts.Seconds() / d.Seconds()
	}
	var all sync.WaitGroup
	for _, bookings := range shared(r.season.Morning, clerks) {
		all.Go(func() {
			for _, b := range bookings {
				at := begin.Add(time.Duration(pace * float64(b.Second) * float64(time.Second)))
				if err := r.take(ctx, at, b); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// take is what an application does: commit, then flip. (One whose booking ends
// with its outcome unknown would flip too; here that ends the demo.)
func (r *replay) take(ctx context.Context, at time.Time, b season.Booking) error {
	select {
	case <-time.After(time.Until(at)):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := book(ctx, r.db, r.season, b); err != nil {
		return err
	}
	r.booked.Add(1)
	if err := r.flips.Flip(ctx, r.season.ProductDate(b.Day).Key()); err != nil {
		// An application logs this and goes on; a demo must not have any.
		return fmt.Errorf("flip after line %d of %s: %w", b.Line, season.MorningFile, err)
	}
	r.flipped.Add(1)
	return nil
}

// shared deals bookings out, all of one pool to the same clerk.
func shared(bookings []season.Booking, clerks int) [][]season.Booking {
	hands := make([][]season.Booking, clerks)
	owner := map[season.Slot]int{}
	for _, b := range bookings {
		clerk, ok := owner[b.Slot]
		if !ok {
			clerk = len(owner) % clerks
			owner[b.Slot] = clerk
		}
		hands[clerk] = append(hands[clerk], b)
	}
	return hands
}
