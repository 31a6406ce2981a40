package flip

import (
	"context"
	"errors"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// The pauses between attempts grow from one to the other.
	shortestPause = 10 * time.Millisecond
	longestPause  = time.Second

	// attempts is how many there is time for when each waits in vain for an
	// answer: a connection that has died must not use up the whole limit.
	attempts = 4
)

// Blind marks a signal dirty by one write, without reading it and without sharing
// the write with other callers. A signal that is not there is no error.
//
// What may pass (a conflict with a transaction, throttling, no answer) is tried
// again until ctx or the client's limit ends. The error is then
// dynamo.ErrConflict, ErrThrottled or ErrUnknown; one that cannot pass is
// dynamo.ErrTableNotFound, ErrAccessDenied or ErrRejected, at once. After an
// error the flip may or may not have been made. Unlike Flip, a Blind ends with
// ctx: give it one that outlives the caller's request.
func (c *Client) Blind(ctx context.Context, key signal.Key) error {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	return c.write(ctx, key)
}

// coalesced makes a flip that may be left out: a signal that is dirty, and that
// nobody has claimed since, will be checked anyway, from a later read.
func (c *Client) coalesced(ctx context.Context, key signal.Key) error {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	// A read that failed says nothing; a write is right whatever it would have said.
	if item, err := c.read(ctx, key); err == nil && !protocol.NeedsFlip(item) {
		return nil
	}
	return c.write(ctx, key)
}

func (c *Client) read(ctx context.Context, key signal.Key) (signal.Item, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit/attempts)
	defer cancel()
	return c.store.Get(ctx, key, signal.AttrPK, signal.AttrGSISK, signal.AttrRev, signal.AttrClaimedRev)
}

func (c *Client) write(ctx context.Context, key signal.Key) error {
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		err := c.send(ctx, key)
		switch {
		case err == nil, errors.Is(err, dynamo.ErrRefused):
			return nil
		case !mayPass(err) || !c.rest(ctx, pause):
			return err
		}
	}
}

func (c *Client) send(ctx context.Context, key signal.Key) error {
	ctx, cancel := context.WithTimeout(ctx, c.limit/attempts)
	defer cancel()
	_, err := c.store.Write(ctx, protocol.Flip(key, c.now()))
	return err
}

func mayPass(err error) bool {
	return errors.Is(err, dynamo.ErrConflict) || errors.Is(err, dynamo.ErrThrottled) || errors.Is(err, dynamo.ErrUnknown)
}

// rest waits for at most a pause, and says whether there is time for more.
func (c *Client) rest(ctx context.Context, pause time.Duration) bool {
	t := time.NewTimer(time.Duration(c.jitter() * float64(pause)))
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
