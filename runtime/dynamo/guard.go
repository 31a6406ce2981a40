package dynamo

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// guardReads is how many consistent reads a Guard makes at once.
const guardReads = 32

// Guard finds out whether a bucket still has signals, before it is destroyed.
type Guard struct {
	store *Store
	index string
}

// NewGuard returns the guard of a table's buckets; index is the name of its
// cadence index.
func NewGuard(s *Store, index string) *Guard { return &Guard{store: s, index: index} }

// Find is the keys of the unexpired signals that a bucket has, dirty and clean
// ones, in order. It finds no more than most; more says that there may be others.
// The index lags behind the table, so that it may still list signals that were
// destroyed or moved a moment ago: each hit is read consistently before it counts.
// The error may be ErrIndexNotFound or ErrTableNotFound.
func (g *Guard) Find(ctx context.Context, bucket string, now time.Time, most int) (found []signal.Key, more bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	var (
		mu    sync.Mutex
		first error
		reads sync.WaitGroup
		slots = make(chan struct{}, guardReads)
	)
	record := func(key signal.Key, live bool, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil && first == nil {
			first = err
			stop()
		}
		if live {
			found = append(found, key)
		}
	}
	decided := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(found) >= most || first != nil
	}
	for key, err := range g.hits(ctx, bucket, now) {
		if err != nil {
			record(key, false, err)
			break
		}
		if decided() {
			more = true
			break
		}
		slots <- struct{}{}
		reads.Go(func() {
			defer func() { <-slots }()
			live, err := g.live(ctx, key, bucket, now)
			record(key, live, err)
		})
	}
	reads.Wait()
	if first != nil {
		return nil, false, fmt.Errorf("count signals of bucket %q: %w", bucket, first)
	}
	slices.SortFunc(found, func(a, b signal.Key) int { return cmp.Or(strings.Compare(a.PK, b.PK), strings.Compare(a.SK, b.SK)) })
	if len(found) > most {
		found, more = found[:most], true
	}
	return found, more, nil
}

// hits yields the keys that the index lists of the bucket, less those that it shows
// to have expired.
func (g *Guard) hits(ctx context.Context, bucket string, now time.Time) iter.Seq2[signal.Key, error] {
	return func(yield func(signal.Key, error) bool) {
		for item, err := range g.store.Members(ctx, g.index, bucket) {
			if err == nil && protocol.Expired(item, now) {
				continue
			}
			if !yield(item.Key(), err) {
				return
			}
		}
	}
}

func (g *Guard) live(ctx context.Context, key signal.Key, bucket string, now time.Time) (bool, error) {
	item, err := g.store.Get(ctx, key, signal.AttrGSIPK, signal.AttrSchema, signal.AttrExpiry, signal.AttrTTL)
	if err != nil {
		return false, err
	}
	name, _, _ := signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	return name == bucket && item.Text(signal.AttrSchema) == signal.SchemaSignal && !protocol.Expired(item, now), nil
}
