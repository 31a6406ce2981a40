package read

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// staleAfter is how many cadences may pass without a run.
	staleAfter = 3
	// shortestCadence is EventBridge's own.
	shortestCadence = time.Minute
)

// Bucket is a bucket and how its runs go.
type Bucket struct {
	// Bucket is the registered one; without a usable registry item it has its name
	// alone, and Registered is false.
	signal.Bucket
	Registered bool
	// StartedAt is when its last run began, PreviousStartedAt when the one before
	// did, and LastRunAt when the last one that came to its end did. Zero if none
	// has.
	StartedAt, PreviousStartedAt, LastRunAt time.Time
	// Counts are the numbers that the last run reported, by name.
	Counts map[string]int64
}

// Interval is the time between its ticks: by its schedule, or, where that is a cron
// expression, as it was last. It is 0 if it is not known.
func (b Bucket) Interval() time.Duration {
	if d := b.Bucket.Cadence.Duration(); d > 0 {
		return d
	}
	if gap := b.StartedAt.Sub(b.PreviousStartedAt); gap > 0 && !b.PreviousStartedAt.IsZero() {
		return max(gap, shortestCadence)
	}
	return 0
}

// Stale is whether no run has come to its end for three cadences, or ever.
func (b Bucket) Stale(now time.Time) bool {
	return !b.Registered || b.LastRunAt.IsZero() || b.late(b.LastRunAt, now)
}

// late is whether an instant is more than three cadences ago.
func (b Bucket) late(at, now time.Time) bool {
	cadence := b.Interval()
	return cadence > 0 && now.Sub(at) > staleAfter*cadence
}

// Bucket reads a bucket. The error is ErrNotFound if it is not registered,
// signal.ErrRegistry or signal.ErrFormat if its registry item cannot be read.
func (r *Reader) Bucket(ctx context.Context, name string) (Bucket, error) {
	items, err := r.bucketItems(ctx, []string{name})
	if err != nil {
		return Bucket{}, err
	}
	if items[signal.RegistryKey(name)] == nil {
		return Bucket{}, fmt.Errorf("read bucket %q in table %q: %w", name, r.table, ErrNotFound)
	}
	b, err := parseBucket(name, items)
	if err != nil {
		return Bucket{}, fmt.Errorf("read bucket %q in table %q: %w", name, r.table, err)
	}
	return b, nil
}

func (r *Reader) bucketItems(ctx context.Context, names []string) (map[signal.Key]signal.Item, error) {
	var keys []signal.Key
	for _, name := range names {
		keys = append(keys, signal.RegistryKey(name), signal.RunKey(name))
	}
	return dynamo.BatchGet{Table: r.table, Keys: keys, Eventual: !r.consistent}.Read(ctx, r.api)
}

// ParseBucket is a bucket of items that were read otherwise: its registry item and
// its run item, each nil if there is none. The error is signal.ErrRegistry or
// signal.ErrFormat.
func ParseBucket(name string, registry, run signal.Item) (Bucket, error) {
	return parseBucket(name, map[signal.Key]signal.Item{signal.RegistryKey(name): registry, signal.RunKey(name): run})
}

func parseBucket(name string, items map[signal.Key]signal.Item) (Bucket, error) {
	run := items[signal.RunKey(name)]
	b := Bucket{
		Bucket:            signal.Bucket{Name: name},
		StartedAt:         instant(run, protocol.AttrStartedAt),
		PreviousStartedAt: instant(run, protocol.AttrPreviousStartedAt),
		LastRunAt:         instant(run, protocol.AttrLastRunAt),
		Counts:            map[string]int64{},
	}
	report, _ := run[protocol.AttrReport].Fields()
	for count, v := range report {
		if n, ok := v.Int(); ok {
			b.Counts[count] = n
		}
	}
	item := items[signal.RegistryKey(name)]
	if item == nil {
		return b, nil
	}
	registered, err := signal.ParseBucket(item)
	if err != nil {
		return b, err
	}
	b.Bucket, b.Registered = registered, true
	return b, nil
}

// recall is the buckets of those names, as remembered or read. One whose registry
// item is missing or spoiled counts as not registered.
func (r *Reader) recall(ctx context.Context, names []string) (map[string]Bucket, error) {
	found := map[string]Bucket{}
	var unknown []string
	now := r.now()
	r.mu.Lock()
	for _, name := range names {
		known, ok := r.buckets[name]
		switch {
		case ok && now.Sub(known.at) < r.bucketsFor && !now.Before(known.at):
			found[name] = known.Bucket
		case !slices.Contains(unknown, name):
			unknown = append(unknown, name)
		}
	}
	r.mu.Unlock()
	if len(unknown) == 0 {
		return found, nil
	}
	items, err := r.bucketItems(ctx, unknown)
	if err != nil {
		return nil, fmt.Errorf("read buckets of table %q: %w", r.table, err)
	}
	read := map[string]remembered{}
	for _, name := range unknown {
		b, err := parseBucket(name, items)
		if errors.Is(err, signal.ErrFormat) {
			return nil, fmt.Errorf("read bucket %q in table %q: %w", name, r.table, err)
		}
		found[name], read[name] = b, remembered{b, now}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.buckets, read)
	return found, nil
}

// State chooses signals by their bit.
type State string

// The states.
const (
	Dirty State = signal.Dirty
	Clean State = signal.Clean
	Any   State = "any"
)

// InBucket yields the signals of a bucket, wherever in its shards, dirty ones
// first. They are found by the cadence index, which lags, and then read; one that
// has moved on meanwhile is left out. After an error it yields nothing more.
func (r *Reader) InBucket(ctx context.Context, bucket string, state State) iter.Seq2[Reading, error] {
	return func(yield func(Reading, error) bool) {
		var chunk []signal.Key
		flush := func() bool {
			readings, err := r.members(ctx, bucket, state, chunk)
			chunk = chunk[:0]
			if err != nil {
				return yield(Reading{}, err) && false
			}
			for _, reading := range readings {
				if !yield(reading, nil) {
					return false
				}
			}
			return true
		}
		for item, err := range r.store.Members(ctx, r.cadenceIndex, bucket, bits(state)...) {
			if err != nil {
				yield(Reading{}, err)
				return
			}
			chunk = append(chunk, item.Key())
			if len(chunk) == mostAtOnce && !flush() {
				return
			}
		}
		if len(chunk) > 0 {
			flush()
		}
	}
}

// mostAtOnce is what one read of items takes.
const mostAtOnce = 100

func bits(state State) []string {
	if state == Any {
		return []string{signal.Dirty, signal.Clean}
	}
	return []string{string(state)}
}

// members reads signals, less those that are not of that bucket and state.
func (r *Reader) members(ctx context.Context, bucket string, state State, keys []signal.Key) ([]Reading, error) {
	items, err := r.get(ctx, keys)
	if err != nil {
		return nil, err
	}
	var readings []Reading
	for _, key := range keys {
		reading, ok := parse(items[key])
		if ok && reading.Bucket == bucket && (state == Any || reading.Pending == (state == Dirty)) {
			readings = append(readings, reading)
		}
	}
	return readings, r.judge(ctx, readings)
}
