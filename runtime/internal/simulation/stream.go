package simulation

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// records are the table's stream: what has changed and was not handled yet, in
// order within a shard; a shard is a day's pools, or the productDates.
type records struct {
	plan Plan

	mu      sync.Mutex
	waiting map[string][]record
	count   int
	over    bool
}

// record names what has changed.
type record struct {
	sequence, pk, sk string
}

func newRecords(p Plan) *records { return &records{plan: p, waiting: map[string][]record{}} }

// datesShard is the shard of productDates and products.
const datesShard = "dates"

// shards are those that need a consumer.
func (r *records) shards() []string {
	var shards []string
	if r.plan.has(BookUntold) {
		for day := range r.plan.Days {
			shards = append(shards, r.plan.day(day).PoolPK())
		}
	}
	if r.plan.Kept {
		shards = append(shards, datesShard)
	}
	return shards
}

func (r *records) changed(c simulator.Change) {
	either := c.New
	if either == nil {
		either = c.Old
	}
	rec := record{pk: textOf(either["pk"]), sk: textOf(either["sk"])}
	shard := rec.pk
	switch {
	case strings.HasPrefix(rec.pk, signal.SchemaProductDate+"::"):
		shard = datesShard
	case !strings.HasPrefix(rec.pk, "inventoryPool::"):
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	rec.sequence = fmt.Sprint(r.count)
	r.waiting[shard] = append(r.waiting[shard], rec)
}

// next is up to two records of a shard; ok is false once there will be no more.
func (r *records) next(shard string) (some []record, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := r.waiting[shard]
	return waiting[:min(2, len(waiting))], len(waiting) > 0 || !r.over
}

func (r *records) handled(shard string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[shard] = r.waiting[shard][n:]
}

// end says that nothing changes any more.
func (r *records) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// consume delivers a shard's records, in batches of which each may be delivered
// twice, to functions that may crash.
func (w *world) consume(shard string, number int) {
	var c *simulator.Client
	for {
		some, ok := w.records.next(shard)
		switch {
		case !ok:
			return
		case len(some) == 0:
			// Never at the very moment of anything else, or chance would decide which
			// comes first.
			time.Sleep(20*time.Second + time.Duration(number+1)*time.Nanosecond)
			continue
		case c == nil || c.Crashed():
			c = w.Client(named(consumerName, number))
		}
		seen := make([]vector, w.plan.Days)
		for day := range seen {
			seen[day] = w.judge.visible(day)
		}
		done := len(some)
		if !w.rules.Deaf {
			done = w.deliver(c, some)
		}
		for day := range seen {
			// The flip began after that was seen.
			if done > 0 && w.plan.day(day).PoolPK() == shard {
				w.judge.flipped(day, seen[day])
			}
		}
		if done > 0 && c.Jitter() < 0.2 && !w.calm.Load() {
			// The same again.
			w.deliver(c, some)
		}
		w.records.handled(shard, done)
	}
}

// deliver invokes the consumer with a batch; done is how many records it has
// handled before the first that it wants again.
func (w *world) deliver(c *simulator.Client, some []record) (done int) {
	keeper := &stream.Keeper{
		Signals:  dynamo.NewSteward(c, table, stream.Owner, c.Now, c.Reader()),
		Platform: dynamo.NewStore(c, table),
		Flips:    flip.New(api{c, w.rules}, table, flip.WithClock(c.Now), flip.WithJitter(c.Jitter)),
		Defaults: stream.Defaults{Pattern: &signal.Pattern{Mode: signal.Exact}, Bucket: regular},
		Now:      c.Now,
	}
	batch := make([]stream.Record, len(some))
	for i, r := range some {
		batch[i] = stream.Record{Sequence: r.sequence, Key: signal.Key{PK: r.pk, SK: r.sk}}
	}
	ctx, end := c.WithTimeout(time.Minute)
	defer end()
	report, err := (&stream.Consumer{Keeper: keeper, Log: slog.New(slog.DiscardHandler)}).Consume(ctx, batch)
	w.story.tell(time.Now(), "%s was told of %v: %s %v", c, some, counted(report.Counts), err)
	if c.Crashed() || err != nil {
		return 0
	}
	done = len(batch)
	for _, again := range report.Failures {
		for i, r := range batch[:done] {
			if r.Sequence == again {
				done = i
				break
			}
		}
	}
	return done
}
