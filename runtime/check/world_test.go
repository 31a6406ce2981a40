package check_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// world is a table with a bucket, a source, and a clock that only moves when
// everybody waits.
type world struct {
	*testing.T
	table  *table
	runner check.Runner
	// bucket is what is registered when a run begins.
	bucket signal.Bucket
	// estimate is the source.
	estimate func(context.Context, signal.ProductDate) (signal.Estimate, error)

	mu    sync.Mutex
	asked []signal.ProductDate
	logs  bytes.Buffer
}

// inWorld runs a test in a world of its own, whose bucket is 5min.
func inWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, table: newTable()}
		w.bucket = signal.Bucket{
			Name: "5min", Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true,
			Checks: signal.DefaultChecks(), GlobalID: "bucket",
		}
		// The tests of the audit and of the write budget turn them on.
		w.bucket.Checks.MaxStaleness, w.bucket.Checks.WriteBudget = 0, 1_000_000
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		w.runner = check.Runner{
			Store: w.table, Registry: registry{w.table}, Source: w, Index: "cadence-index",
			Now: time.Now, NewID: rand.Text, Random: func() float64 { return 0 },
			Log: slog.New(slog.NewJSONHandler(&w.logs, nil)),
		}
		test(w)
	})
}

func (w *world) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	w.mu.Lock()
	w.asked = append(w.asked, d)
	w.mu.Unlock()
	return w.estimate(ctx, d)
}

// run runs the bucket, which must work.
func (w *world) run() check.Report {
	w.Helper()
	report, err := w.tryRun(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return report
}

func (w *world) tryRun(ctx context.Context) (check.Report, error) {
	w.table.put(w.bucket.Item())
	return w.runner.Run(ctx, w.bucket.Name)
}

// runFor runs the bucket in an invocation of that length.
func (w *world) runFor(d time.Duration) check.Report {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), d)
	defer cancel()
	report, err := w.tryRun(ctx)
	if err != nil {
		w.Fatal(err)
	}
	return report
}

// with changes a seeded item.
type with func(signal.Item)

// attr sets an attribute.
func attr(name string, v signal.Value) with { return func(i signal.Item) { i[name] = v } }

// clean makes the signal clean.
func clean(i signal.Item) {
	i[signal.AttrGSISK] = signal.S(signal.Clean)
	delete(i, signal.AttrDirtySince)
}

// dirtyFor makes the signal one that became dirty a while ago.
func dirtyFor(d time.Duration) with {
	return attr(signal.AttrDirtySince, signal.S(signal.FormatInstant(time.Now().Add(-d))))
}

// tiered makes it a signal of the default tiers.
func tiered(i signal.Item) {
	i[signal.AttrPattern] = signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}.Value()
}

// seed puts a dirty, exact signal of a date into the table.
func (w *world) seed(date string, changes ...with) signal.Key {
	w.Helper()
	d, err := signal.ParseDate(date)
	if err != nil {
		w.Fatal(err)
	}
	s := protocol.Seeding{
		ProductDate: signal.ProductDate{Product: loop, Date: d},
		GSIPK:       signal.ShardKey(w.bucket.Name, 0),
		GlobalID:    "seeded for " + date,
		Pattern:     signal.Pattern{Mode: signal.Exact},
		Expiry:      time.Now().Add(1000 * time.Hour),
		SeededBy:    "test",
		Dirty:       true,
	}
	item := protocol.Seed(s, time.Now()).Item
	for _, c := range changes {
		c(item)
	}
	w.table.put(item)
	return keyOf(item)
}

var loop = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}

// flip is a change that has been committed and now flips the signal.
func (w *world) flip(k signal.Key) {
	w.Helper()
	if _, err := w.table.apply(protocol.Flip(k, time.Now())); err != nil {
		w.Error(err)
	}
}

// bit is a signal's dirty bit.
func (w *world) bit(k signal.Key) string { return w.table.item(k).Text(signal.AttrGSISK) }

// value is a signal's cached value.
func (w *world) value(k signal.Key) string { return w.table.item(k).Text(signal.AttrValue) }

// free is whether nobody has claimed a signal.
func (w *world) free(k signal.Key) bool { return !w.table.item(k)[signal.AttrClaimedBy].Exists() }

// wantCounts compares the counts that a test is about; the others must be 0,
// but for the duration and the age.
func (w *world) wantCounts(got check.Report, want check.Counts) {
	w.Helper()
	got.DurationMS, got.OldestDirtyAgeSeconds = 0, 0
	want.DurationMS, want.OldestDirtyAgeSeconds = 0, 0
	if got.Counts != want {
		w.Errorf("counts:\n got %+v\nwant %+v", got.Counts, want)
	}
}

// logged is the log's lines with that message.
func (w *world) logged(message string) []map[string]any {
	w.Helper()
	var lines []map[string]any
	for line := range bytes.Lines(w.logs.Bytes()) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			w.Fatalf("log line %q: %v", line, err)
		}
		if fields["msg"] == message {
			lines = append(lines, fields)
		}
	}
	return lines
}
