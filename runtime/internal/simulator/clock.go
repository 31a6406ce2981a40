package simulator

import (
	"context"
	"sync"
	"time"
)

// Clock tells a DB the time and lets its clients wait.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or returns ctx's error as soon as it ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// ManualClock stands still until it is moved. Sleeping moves it, so that a
// single goroutine never waits.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at start.
func NewClock(start time.Time) *ManualClock { return &ManualClock{now: start} }

// Now is where the clock stands.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on by d; a negative d does nothing.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
}

// Sleep moves the clock on by d, unless ctx has ended.
func (c *ManualClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.Advance(d)
	return nil
}

// bubbleClock is the clock of the synctest bubble it is used in.
type bubbleClock struct{}

func (bubbleClock) Now() time.Time { return time.Now() }

func (bubbleClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	// Both may be ready, and then it must not be chance which is taken.
	return ctx.Err()
}
