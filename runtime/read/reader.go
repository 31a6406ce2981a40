package read

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Defaults of a Reader.
const (
	DefaultCadenceIndex  = "cadence-index"
	DefaultGlobalIDIndex = "globalId-index"
	DefaultBucketsFor    = 10 * time.Second
)

// ErrNotFound: there is no such signal or bucket.
var ErrNotFound = errors.New("not found")

// API is what a Reader calls of the SDK; a *dynamodb.Client has it.
type API interface {
	dynamo.BatchGetAPI
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// Reader reads the signals of one table. It is safe for concurrent use; a process
// should have one, so that what it remembers of the buckets is shared.
type Reader struct {
	api   API
	store *dynamo.Store
	table string

	now           func() time.Time
	consistent    bool
	cadenceIndex  string
	globalIDIndex string
	bucketsFor    time.Duration

	mu      sync.Mutex
	buckets map[string]remembered
}

type remembered struct {
	Bucket
	at time.Time
}

// Option changes a setting of a Reader.
type Option func(*Reader)

// WithClock sets the clock that decides what has expired and what is stale.
func WithClock(now func() time.Time) Option { return func(r *Reader) { r.now = now } }

// WithConsistentReads makes all reads of the table strongly consistent, for twice
// the price. A reader sees a flip a little sooner by it, nothing else.
func WithConsistentReads() Option { return func(r *Reader) { r.consistent = true } }

// WithCadenceIndex sets the name of the index on gsipk and gsisk.
func WithCadenceIndex(name string) Option { return func(r *Reader) { r.cadenceIndex = name } }

// WithGlobalIDIndex sets the name of the index on globalId.
func WithGlobalIDIndex(name string) Option { return func(r *Reader) { r.globalIDIndex = name } }

// WithBucketsFor sets for how long the state of a bucket is remembered; 0 reads it
// each time.
func WithBucketsFor(d time.Duration) Option { return func(r *Reader) { r.bucketsFor = d } }

// New returns the reader of a table.
func New(api API, table string, options ...Option) *Reader {
	r := &Reader{
		api: api, store: dynamo.NewStore(narrowed{api: api}, table), table: table,
		now: time.Now, cadenceIndex: DefaultCadenceIndex, globalIDIndex: DefaultGlobalIDIndex,
		bucketsFor: DefaultBucketsFor, buckets: map[string]remembered{},
	}
	for _, o := range options {
		o(r)
	}
	return r
}

// Range reads a product's signals from one date to another, both included, in
// order. Dates without a signal are left out.
func (r *Reader) Range(ctx context.Context, p signal.Product, first, last signal.Date) ([]Reading, error) {
	if last.Compare(first) < 0 {
		return nil, nil
	}
	q := dynamo.Query{
		Hash: signal.AttrPK, Partition: p.PK(), Range: signal.AttrSK, From: first.String(), To: last.String(),
		Attrs: append([]string{signal.AttrPK, signal.AttrSK}, attrs()...), Eventual: !r.consistent,
	}
	var readings []Reading
	for item, err := range r.store.Query(ctx, q) {
		if err != nil {
			return nil, fmt.Errorf("read signals of %s: %w", p, err)
		}
		if reading, ok := parse(item); ok {
			readings = append(readings, reading)
		}
	}
	return readings, r.judge(ctx, readings)
}

// Each reads signals by their keys: one reading for each, in the order given. One
// that does not exist is Missing.
func (r *Reader) Each(ctx context.Context, dates ...signal.ProductDate) ([]Reading, error) {
	keys := make([]signal.Key, len(dates))
	for i, d := range dates {
		keys[i] = d.Key()
	}
	items, err := r.get(ctx, keys)
	if err != nil {
		return nil, err
	}
	readings := make([]Reading, len(dates))
	for i, d := range dates {
		reading, ok := parse(items[keys[i]])
		if !ok {
			reading = Reading{Missing: true, Unknown: true}
		}
		reading.ProductDate = d
		readings[i] = reading
	}
	return readings, r.judge(ctx, readings)
}

// ByGlobalID reads the signal of a globalId, through its index, which shows a
// signal a moment after it was seeded. The error is ErrNotFound if there is none.
func (r *Reader) ByGlobalID(ctx context.Context, id string) (Reading, error) {
	q := dynamo.Query{
		Index: r.globalIDIndex, Hash: signal.AttrGlobalID, Partition: id,
		Attrs: []string{signal.AttrPK, signal.AttrSK},
	}
	var keys []signal.Key
	for item, err := range r.store.Query(ctx, q) {
		if err != nil {
			return Reading{}, fmt.Errorf("find signal %q: %w", id, err)
		}
		keys = append(keys, item.Key())
	}
	items, err := r.get(ctx, keys)
	if err != nil {
		return Reading{}, err
	}
	for _, key := range keys {
		// The index may still show one that was deleted or seeded anew.
		if reading, ok := parse(items[key]); ok && reading.GlobalID == id {
			readings := []Reading{reading}
			err := r.judge(ctx, readings)
			return readings[0], err
		}
	}
	return Reading{}, fmt.Errorf("find signal %q in table %q: %w", id, r.table, ErrNotFound)
}

func (r *Reader) get(ctx context.Context, keys []signal.Key) (map[signal.Key]signal.Item, error) {
	return dynamo.BatchGet{Table: r.table, Keys: keys, Attrs: attrs(), Eventual: !r.consistent}.Read(ctx, r.api)
}

// narrowed is a Store's API of which a reader uses one call.
type narrowed struct {
	dynamo.StoreAPI // nil: no reader writes, and it gets in batches
	api             API
}

func (n narrowed) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return n.api.Query(ctx, in, opts...)
}
