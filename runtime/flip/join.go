package flip

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// line is what is under way for one key: at most one flight in the air, and one
// that waits for it to land.
type line struct {
	flying, waiting *flight
}

// flight is one flip made for everybody who boarded it.
type flight struct {
	// ctx has the first caller's values (a trace, say) but not its end.
	ctx  context.Context
	done chan struct{}
	// err is set before done is closed.
	err error
	// passengers are who still wait for it.
	passengers int
}

// Flip marks a signal dirty, unless a strongly consistent read shows that its
// last change is still to be checked. A signal that is not there is no error.
//
// Callers that arrive while a flip of the same key is in flight join the next
// one, all together, and never the one in flight: its read may be older than
// their change.
//
// A flip that has been asked for is made: whoever asks has committed a change, so
// the end of ctx ends only this caller's waiting, with ctx's error. It neither
// fails the others nor takes the flip back, which goes on for as long as the
// client's limit. So there are at most two flips per key, and at most one
// goroutine, each for a limited time, however many callers come and go. Errors
// are those of Blind, and the same for all who joined.
func (c *Client) Flip(ctx context.Context, key signal.Key) error {
	f := c.board(ctx, key)
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	f.passengers--
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.err
	default:
		return fmt.Errorf("wait for flip of %q, which goes on: %w", key, context.Cause(ctx))
	}
}

// Wait returns once every flip that was asked for before has been made or has
// failed, or with ctx's error. It is for the end of a process, or of a Lambda's
// invocation, some of whose callers may have stopped waiting.
func (c *Client) Wait(ctx context.Context) error {
	for _, f := range c.last() {
		select {
		case <-f.done:
		case <-ctx.Done():
			return fmt.Errorf("wait for flips under way: %w", context.Cause(ctx))
		}
	}
	return nil
}

// board puts a caller on the next flight to leave, which may be a new one.
func (c *Client) board(ctx context.Context, key signal.Key) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, busy := c.lines[key]
	if !busy {
		f := newFlight(ctx)
		l = &line{flying: f}
		c.lines[key] = l
		go c.operate(key, l)
		return f
	}
	if l.waiting == nil {
		l.waiting = newFlight(ctx)
		return l.waiting
	}
	l.waiting.passengers++
	return l.waiting
}

func newFlight(ctx context.Context) *flight {
	return &flight{ctx: context.WithoutCancel(ctx), done: make(chan struct{}), passengers: 1}
}

// operate makes the flights of a line, one after the other, until nobody is left.
func (c *Client) operate(key signal.Key, l *line) {
	for f := l.flying; f != nil; {
		f.err = c.coalesced(f.ctx, key)
		next, passengers := c.land(key, l, f)
		if f.err != nil && passengers == 0 {
			c.log.LogAttrs(f.ctx, slog.LevelWarn, "flip failed after its callers had stopped waiting",
				slog.String("signal", key.String()), slog.Any("error", f.err))
		}
		f = next
	}
}

// land ends a flight and returns the one to leave next, if any, and how many had
// waited for the one that ended.
func (c *Client) land(key signal.Key, l *line, f *flight) (next *flight, passengers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(f.done)
	l.flying, l.waiting = l.waiting, nil
	if l.flying == nil {
		delete(c.lines, key)
	}
	return l.flying, f.passengers
}

// last is the last flight of every line.
func (c *Client) last() []*flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	flights := make([]*flight, 0, len(c.lines))
	for _, l := range c.lines {
		if l.waiting != nil {
			flights = append(flights, l.waiting)
		} else {
			flights = append(flights, l.flying)
		}
	}
	return flights
}
