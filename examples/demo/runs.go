package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// often is how often the buckets' run items are looked at.
	often = 250 * time.Millisecond
	// tooLong is how long a tick of a one-minute rule may take to come.
	tooLong = 3 * time.Minute
)

// bucketRun is a finished run of a bucket, as its run item tells.
type bucketRun struct {
	bucket         string
	started, ended time.Time
	counts         signal.Item
}

// left is how many of the signals that it found dirty the run left so: flipped
// again meanwhile, failed, or not reached.
func (r bucketRun) left() int64 {
	return r.counts.Int("seen") - r.counts.Int("expired") - r.counts.Int("refused") - r.counts.Int("cleaned")
}

// watch keeps every finished run of some buckets. A run item has only the last,
// so it looks often.
type watch struct {
	store   *dynamo.Store
	buckets []string

	mu   sync.Mutex
	runs map[string][]bucketRun
	err  error
}

func newWatch(store *dynamo.Store, buckets []string) *watch {
	return &watch{store: store, buckets: buckets, runs: map[string][]bucketRun{}}
}

// follow looks until ctx ends.
func (w *watch) follow(ctx context.Context) {
	tick := time.NewTicker(often)
	defer tick.Stop()
	for {
		for _, name := range w.buckets {
			if err := w.look(ctx, name); err != nil && ctx.Err() == nil {
				w.mu.Lock()
				w.err = err
				w.mu.Unlock()
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (w *watch) look(ctx context.Context, bucket string) error {
	item, err := w.store.Get(ctx, signal.RunKey(bucket))
	if err != nil {
		return fmt.Errorf("look at the runs of bucket %q: %w", bucket, err)
	}
	started, errStarted := signal.ParseInstant(item.Text(protocol.AttrStartedAt))
	ended, errEnded := signal.ParseInstant(item.Text(protocol.AttrLastRunAt))
	if errStarted != nil || errEnded != nil || ended.Before(started) {
		return nil // none has ended, or another has begun
	}
	counts, _ := item[protocol.AttrReport].Fields()
	w.mu.Lock()
	defer w.mu.Unlock()
	runs := w.runs[bucket]
	if len(runs) == 0 || runs[len(runs)-1].started.Before(started) {
		w.runs[bucket] = append(runs, bucketRun{bucket, started, ended, counts})
	}
	return nil
}

// after is each bucket's first run that started after a moment of its own.
func (w *watch) after(moments map[string]time.Time) ([]bucketRun, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []bucketRun
	for _, name := range w.buckets {
		i := slices.IndexFunc(w.runs[name], func(r bucketRun) bool { return r.started.After(moments[name]) })
		if i >= 0 {
			found = append(found, w.runs[name][i])
		}
	}
	return found, w.err
}

// await waits until every bucket has a run after its moment, and tells meanwhile
// which have.
func (w *watch) await(ctx context.Context, moments map[string]time.Time, tell func(done []bucketRun)) ([]bucketRun, error) {
	tick := time.NewTicker(often)
	defer tick.Stop()
	deadline := time.Now().Add(tooLong)
	for {
		runs, err := w.after(moments)
		if err != nil || len(runs) == len(w.buckets) {
			return runs, err
		}
		if time.Now().After(deadline) {
			return nil, w.missing(runs)
		}
		tell(runs)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (w *watch) missing(runs []bucketRun) error {
	var names []string
	for _, b := range w.buckets {
		if !slices.ContainsFunc(runs, func(r bucketRun) bool { return r.bucket == b }) {
			names = append(names, b)
		}
	}
	return runtimeFault{fmt.Errorf("no finished run of %s within %s: EventBridge did not invoke the function, or the function failed", strings.Join(names, ", "), tooLong)}
}

// starts are the moments at which runs started.
func starts(runs []bucketRun) map[string]time.Time {
	moments := map[string]time.Time{}
	for _, r := range runs {
		moments[r.bucket] = r.started
	}
	return moments
}
