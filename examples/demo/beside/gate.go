package beside

import (
	"context"
	"errors"
	"sync"
)

// Gate stands between a tick and DynamoDB, and holds the first write that would clean
// a signal until it is opened: what happens in the meantime happens between the read
// and the write, each time.
type Gate struct {
	once, openOnce sync.Once
	// held is closed when a write is held, opened when it may go on, and arrived when
	// DynamoDB has answered it.
	held, opened, arrived chan struct{}
}

func newGate() *Gate {
	return &Gate{held: make(chan struct{}), opened: make(chan struct{}), arrived: make(chan struct{})}
}

// Pass sends a write that cleans a signal; the first of them once the gate is open.
func (g *Gate) Pass(send func()) {
	first := false
	g.once.Do(func() { first = true })
	if !first {
		send()
		return
	}
	close(g.held)
	<-g.opened
	send()
	close(g.arrived)
}

// open lets the write go on that is held, and every other.
func (g *Gate) open() { g.openOnce.Do(func() { close(g.opened) }) }

// awaitHeld waits until a write of a tick is held.
func (g *Gate) awaitHeld(ctx context.Context, t *Tick) error {
	select {
	case <-g.held:
		return nil
	case err := <-t.ended:
		return errors.Join(errors.New("the tick ended without a write"), err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// awaitArrived waits until the write that was held has arrived at DynamoDB.
func (g *Gate) awaitArrived(ctx context.Context) error {
	select {
	case <-g.arrived:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
