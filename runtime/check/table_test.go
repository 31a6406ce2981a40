package check_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// table is a table in memory, whose every operation can be made to fail.
type table struct {
	mu    sync.Mutex
	items map[signal.Key]signal.Item

	// onWrite, if set, answers a write instead; do performs it.
	onWrite func(w protocol.Write, do func() (signal.Item, error)) (signal.Item, error)
	// onRead, if set, is called before a read of an item.
	onRead func(signal.Key) error
	// onQuery, if set, is called before a query.
	onQuery func(context.Context, dynamo.Query) error
	// ghosts are what the index still has, and the table no longer.
	ghosts []signal.Item
	// written is what has been sent, in order.
	written []protocol.Write
	// claims are the ids of all claims so far.
	claims map[string]bool
}

func newTable() *table { return &table{items: map[signal.Key]signal.Item{}, claims: map[string]bool{}} }

func (t *table) put(items ...signal.Item) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, i := range items {
		t.items[keyOf(i)] = i
	}
}

func (t *table) item(k signal.Key) signal.Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.items[k].Clone()
}

// sent is the writes of an operation, in order.
func (t *table) sent(op protocol.Op) []protocol.Write {
	t.mu.Lock()
	defer t.mu.Unlock()
	var of []protocol.Write
	for _, w := range t.written {
		if w.Op == op {
			of = append(of, w)
		}
	}
	return of
}

// apply applies a write as DynamoDB would.
func (t *table) apply(w protocol.Write) (signal.Item, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.items[w.Key]
	next, applied := w.Apply(old)
	if !applied {
		return nil, fmt.Errorf("%s: %w", w.Op, &dynamo.RefusedError{Old: old.Clone()})
	}
	if next == nil {
		delete(t.items, w.Key)
	} else {
		t.items[w.Key] = next
	}
	return next.Clone(), nil
}

func (t *table) Write(ctx context.Context, w protocol.Write) (signal.Item, error) {
	if w.Op == protocol.OpClaim {
		return nil, fmt.Errorf("%s %s: it may be repeated, and a repeat that is late revives the claim after its finish", w.Op, w.Key)
	}
	return t.send(ctx, w)
}

func (t *table) WriteOnce(ctx context.Context, w protocol.Write) (signal.Item, error) {
	id := claimID(w)
	t.mu.Lock()
	again := t.claims[id]
	t.claims[id] = true
	t.mu.Unlock()
	if again {
		return nil, fmt.Errorf("%s %s: its id is that of an earlier claim", w.Op, w.Key)
	}
	return t.send(ctx, w)
}

func claimID(w protocol.Write) string {
	for _, a := range w.Set {
		if a.Attr == signal.AttrClaimedBy {
			id, _ := a.Value.Text()
			return id
		}
	}
	return ""
}

func (t *table) send(ctx context.Context, w protocol.Write) (signal.Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", dynamo.ErrUnknown, err)
	}
	t.mu.Lock()
	t.written = append(t.written, w)
	t.mu.Unlock()
	do := func() (signal.Item, error) { return t.apply(w) }
	if t.onWrite != nil {
		return t.onWrite(w, do)
	}
	return do()
}

func (t *table) Get(ctx context.Context, k signal.Key, attrs ...string) (signal.Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", dynamo.ErrUnknown, err)
	}
	if t.onRead != nil {
		if err := t.onRead(k); err != nil {
			return nil, err
		}
	}
	return projected(t.item(k), attrs), nil
}

// projected is what a read of some attributes gives of an item; none are all.
func projected(i signal.Item, attrs []string) signal.Item {
	if len(attrs) == 0 || i == nil {
		return i.Clone()
	}
	some := signal.Item{}
	for _, a := range attrs {
		if i[a].Exists() {
			some[a] = i[a]
		}
	}
	return some
}

// Count counts as Query would yield.
func (t *table) Count(ctx context.Context, q dynamo.Query) (n int64, err error) {
	for _, err := range t.Query(ctx, q) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// Query answers from the cadence index, or of the table by a range of sort keys.
func (t *table) Query(ctx context.Context, q dynamo.Query) iter.Seq2[signal.Item, error] {
	return func(yield func(signal.Item, error) bool) {
		if t.onQuery != nil {
			if err := t.onQuery(ctx, q); err != nil {
				yield(nil, err)
				return
			}
		}
		if q.After != nil && (q.After.Text(q.Hash) != q.Partition || q.After.Text(q.Range) != q.Equals) {
			yield(nil, fmt.Errorf("%w: the starting key is outside of the query", dynamo.ErrRejected))
			return
		}
		for _, i := range t.entries(q) {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func (t *table) entries(q dynamo.Query) []signal.Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	var entries []signal.Item
	for _, i := range slices.Concat(slices.Collect(maps.Values(t.items)), t.ghosts) {
		if i.Text(q.Hash) != q.Partition || keyOf(i).String() <= keyOf(q.After).String() && q.After != nil {
			continue
		}
		if q.From == "" && i.Text(q.Range) != q.Equals || q.From != "" && (i.Text(q.Range) < q.From || i.Text(q.Range) > q.To) {
			continue
		}
		entries = append(entries, projected(i, q.Attrs))
	}
	slices.SortFunc(entries, func(a, b signal.Item) int { return strings.Compare(keyOf(a).String(), keyOf(b).String()) })
	return entries
}

// registry reads the table's registry items.
type registry struct{ *table }

func (r registry) Get(_ context.Context, name string) (signal.Bucket, error) {
	item := r.item(signal.RegistryKey(name))
	if item == nil {
		return signal.Bucket{}, fmt.Errorf("read bucket %q: %w", name, dynamo.ErrNotRegistered)
	}
	return signal.ParseBucket(item)
}

func keyOf(i signal.Item) signal.Key {
	return signal.Key{PK: i.Text(signal.AttrPK), SK: i.Text(signal.AttrSK)}
}
