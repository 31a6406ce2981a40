package check

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// mostSwept is how many expired signals a run removes at most; TTL gets the
	// rest, or the next run.
	mostSwept = 200
	// sweepers are how many are removed at once.
	sweepers = 8
)

// rubbish is expired signals that TTL has left, as a run meets them. The zero value
// is ready.
type rubbish struct {
	mu   sync.Mutex
	keys []signal.Key
	met  int
	left bool
	// fault is why the first that was not removed was not.
	fault error
}

// meet takes note of an expired signal, unless there are enough.
func (x *rubbish) meet(key signal.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.met == mostSwept {
		return
	}
	x.met++
	// A text must not keep alive the page that it was read with.
	x.keys = append(x.keys, signal.Key{PK: strings.Clone(key.PK), SK: strings.Clone(key.SK)})
}

func (x *rubbish) next() (key signal.Key, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.keys) == 0 {
		return signal.Key{}, false
	}
	key, x.keys = x.keys[0], x.keys[1:]
	return key, true
}

// full is whether it takes no more.
func (x *rubbish) full() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.met == mostSwept
}

// empty makes room, unless all has been given up on.
func (x *rubbish) empty() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.left {
		x.met = 0
	}
}

// failed takes note of why one was not removed.
func (x *rubbish) failed(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.fault == nil {
		x.fault = err
	}
}

func (x *rubbish) firstError() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.fault == nil {
		return ""
	}
	return x.fault.Error()
}

// leave gives up on all that is left: it would fail alike.
func (x *rubbish) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.keys, x.met, x.left = nil, mostSwept, true
}

// sweep removes the expired signals that the run has met.
func (r *run) sweep(ctx context.Context) {
	var workers sync.WaitGroup
	for range sweepers {
		workers.Go(func() {
			for ctx.Err() == nil {
				key, ok := r.rubbish.next()
				if !ok {
					return
				}
				if err := r.remove(ctx, key); err != nil && ctx.Err() == nil {
					r.log.WarnContext(ctx, "expired signal not swept", "key", key.String(), "error", err.Error())
					r.rubbish.failed(err)
					if errors.Is(err, dynamo.ErrAccessDenied) {
						r.rubbish.leave()
					}
				}
			}
		})
	}
	workers.Wait()
}

func (r *run) remove(ctx context.Context, key signal.Key) error {
	if _, err := signal.ParseKey(key); err != nil {
		// Whatever it is, it is not ours to delete.
		return nil //nolint:nilerr // nor is it an error
	}
	item, err := r.Store.Get(ctx, key, signal.AttrGlobalID, signal.AttrTTL, signal.AttrExpiry, signal.AttrGSIPK)
	if err != nil || !protocol.Overdue(item, r.Now()) {
		return err
	}
	if _, shard, ok := signal.ParseShardKey(item.Text(signal.AttrGSIPK)); ok {
		r.afford(ctx, shard, 1)
	}
	_, err = r.Store.Write(ctx, protocol.Sweep(key, item, r.Now()))
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); ok && refused.Old != nil {
		// It has been seeded anew, or is not expired any more.
		return nil
	}
	if err != nil && !errors.Is(err, dynamo.ErrRefused) {
		return err
	}
	r.tally.count(func(c *Counts) { c.Swept++ })
	return nil
}

// afford waits until the budget of a shard has so many units, and spends them.
func (r *run) afford(ctx context.Context, shard int, units float64) {
	for ctx.Err() == nil {
		pause := r.budget.take(r.Now(), shard, units)
		if pause == 0 {
			return
		}
		r.pause(ctx, pause)
	}
}
