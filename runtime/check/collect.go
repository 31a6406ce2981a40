package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// collect finds the bucket's dirty signals that are due. It queries every shard
// key that a signal of the bucket can have, whatever number of shards is in use,
// so that no signal is ever where nobody looks.
func (r *run) collect(ctx context.Context) (*queue, error) {
	ctx, cancel := r.until(ctx, r.limits.compute, errOutOfTime)
	defer cancel()
	due := &queue{home: r.home}
	for shard := range signal.MaxShards {
		if err := r.collectShard(ctx, shard, due); err != nil {
			return nil, unlisted(ctx, err)
		}
	}
	due.sort()
	r.tally.count(func(c *Counts) { c.Due = int64(due.len()) })
	return due, nil
}

func (r *run) collectShard(ctx context.Context, shard int, due *queue) error {
	query := dynamo.Query{
		Index: r.Index,
		Hash:  signal.AttrGSIPK, Partition: signal.ShardKey(r.name, shard),
		Range: signal.AttrGSISK, Equals: signal.Dirty,
		Attrs: []string{signal.AttrPK, signal.AttrSK, signal.AttrDirtySince, signal.AttrTTL, signal.AttrNotBefore},
	}
	for item, err := range r.Store.Query(ctx, query) {
		if err != nil {
			return err
		}
		r.sortOut(ctx, item, shard, due)
	}
	return nil
}

// sortOut puts what is due into the queue. The index is a little behind the
// table, so this only saves claims: each is refused for the same reasons.
func (r *run) sortOut(ctx context.Context, item signal.Item, shard int, due *queue) {
	key := signal.Key{PK: item.Text(signal.AttrPK), SK: item.Text(signal.AttrSK)}
	r.tally.count(func(c *Counts) { c.Seen++ })
	if err := malformed(item, r.started); err != nil {
		r.failed(ctx, key, err)
		return
	}
	if protocol.Expired(item, r.started) {
		r.tally.count(func(c *Counts) { c.Expired++ })
		if protocol.Overdue(item, r.started) {
			r.rubbish.meet(key)
		}
		return
	}
	quarantined := protocol.Quarantined(item[signal.AttrNotBefore])
	if quarantined {
		r.tally.quarantined(key.String())
	}
	var since int64
	if at, err := signal.ParseInstant(item.Text(signal.AttrDirtySince)); err == nil {
		since = at.UnixMilli()
		if !quarantined {
			r.tally.dirtyFor(r.started.Sub(at))
		}
	}
	if !r.onDemand && protocol.PutOff(item, r.started) {
		r.tally.count(func(c *Counts) { c.NotDue++ })
		return
	}
	due.add(key, shard, since)
}

// malformed is why every claim of a signal is refused, whatever the time: nobody
// would learn of it, or take it for one that has expired.
func malformed(item signal.Item, now time.Time) error {
	attr, fault, ok := protocol.Malformed(item, now)
	if !ok {
		return nil
	}
	return fmt.Errorf("its %s %s, so that it is never claimed: correct or remove it", attr, fault)
}

func unlisted(ctx context.Context, err error) error {
	err = fmt.Errorf("list its dirty signals: %w", err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w before all are listed; give the function more time", err, context.Cause(ctx))
	case errors.Is(err, dynamo.ErrIndexNotFound):
		return fmt.Errorf("%w: create an index of %s and %s that projects %s, %s and %s, or give the runtime the name of the one that there is", err,
			signal.AttrGSIPK, signal.AttrGSISK, signal.AttrDirtySince, signal.AttrTTL, signal.AttrNotBefore)
	case errors.Is(err, dynamo.ErrRejected):
		return fmt.Errorf("%w: the index must have the keys %s and %s, and project %s, %s and %s", err,
			signal.AttrGSIPK, signal.AttrGSISK, signal.AttrDirtySince, signal.AttrTTL, signal.AttrNotBefore)
	}
	return err
}
