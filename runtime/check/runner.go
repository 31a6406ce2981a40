package check

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// Store is the signals' table, as *dynamo.Store has it.
type Store interface {
	Get(ctx context.Context, key signal.Key, attrs ...string) (signal.Item, error)
	Write(context.Context, protocol.Write) (signal.Item, error)
	WriteOnce(context.Context, protocol.Write) (signal.Item, error)
	Query(context.Context, dynamo.Query) iter.Seq2[signal.Item, error]
	Count(context.Context, dynamo.Query) (int64, error)
}

// Registry is the table's buckets, as *dynamo.Registry has them.
type Registry interface {
	Get(ctx context.Context, name string) (signal.Bucket, error)
}

// Runner runs buckets. All of its fields but Settle, SourceTimeout, Table and
// Throttled must be set.
type Runner struct {
	Store    Store
	Registry Registry
	Source   source.Source
	// Settle is by how much Source may lag behind what has been committed, clock
	// skew and the moment that a transaction takes to become visible included; 0 if
	// it is strongly consistent.
	Settle time.Duration
	// SourceTimeout is for how long Source waits for an answer before it gives up; 0
	// if that is not known. A bucket whose lease is less than 20 s longer is warned of.
	SourceTimeout time.Duration
	// Table is the table's name, for the dimensions of the metrics.
	Table string
	// Index is the name of the cadence index.
	Index string
	// Now is the clock. The deadline of a run's context is an instant of it.
	Now func() time.Time
	// NewID returns a random id that was never returned before, anywhere.
	NewID func() string
	// Random returns a number in [0, 1), by which waits are spread.
	Random func() float64
	// Log takes one line per run, with its metrics, and one per signal that could not be checked.
	Log *slog.Logger
	// Throttled, if set, returns how many answers of throttling Store and Source
	// have had and repeated so far, which they do not report as errors.
	Throttled func() int64
}

// Names in the log's lines that are the metrics' dimensions.
const (
	attrBucket = "bucket"
	attrTable  = "table"
)

// Run checks what is dirty and due in a bucket, and audits a part of what is
// clean, until the deadline of ctx at the latest. A signal that cannot be checked is
// in the report, not an error; nor is it one that another run has the bucket.
//
// The error is dynamo.ErrNotRegistered, signal.ErrFormat or signal.ErrRegistry if
// the bucket cannot be run, dynamo.ErrTableNotFound or ErrIndexNotFound if there
// is nowhere to look, or another of the adapter's classes. What was done before
// it is in the report and stands.
func (r *Runner) Run(ctx context.Context, bucket string) (Report, error) {
	run := r.newRun(bucket)
	err := run.do(ctx)
	report := run.report()
	run.logEnd(ctx, report, err)
	return report, err
}

func (r *Runner) newRun(bucket string) *run {
	id := r.NewID()
	return &run{
		Runner:         r,
		name:           bucket,
		id:             id,
		log:            r.Log.With(attrBucket, signal.BucketID(bucket), "run", id),
		started:        r.Now().UTC().Truncate(time.Millisecond),
		absorbedBefore: r.absorbed(),
	}
}

func (r *Runner) absorbed() int64 {
	if r.Throttled == nil {
		return 0
	}
	return r.Throttled()
}
