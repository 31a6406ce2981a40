package read_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/golden"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const table = "reservations"

var (
	camp = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	now  = time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)
)

func on(day int) signal.ProductDate {
	return signal.ProductDate{Product: camp, Date: signal.Date{Year: 2026, Month: time.July, Day: day}}
}

// world is a table with what others have done in it.
type world struct {
	t      *testing.T
	client *simulator.Client
	store  *dynamo.Store
	clock  *simulator.ManualClock
}

func newWorld(t *testing.T, config simulator.Config) *world {
	t.Helper()
	clock := simulator.NewClock(now)
	config.Clock = clock
	db := simulator.New(config)
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	client := db.Client("reader")
	return &world{t: t, client: client, store: dynamo.NewStore(client, table), clock: clock}
}

func (w *world) reader(options ...read.Option) *read.Reader {
	return read.New(w.client, table, append([]read.Option{read.WithClock(w.clock.Now)}, options...)...)
}

func (w *world) write(write protocol.Write) {
	w.t.Helper()
	if _, err := w.store.Write(w.t.Context(), write); err != nil {
		w.t.Fatal(err)
	}
}

// bucket registers a bucket of five minutes, and notes a run so long ago.
func (w *world) bucket(name string, cadence signal.Cadence, ran time.Duration) {
	w.t.Helper()
	w.write(protocol.Register(signal.Bucket{
		Name: name, Cadence: cadence, ScheduleExpression: "rate(5 minutes)", Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: "bucket-" + name,
	}))
	w.run(name, ran)
}

func (w *world) run(name string, ago time.Duration) {
	w.t.Helper()
	at := w.clock.Now().Add(-ago)
	w.write(protocol.TakeRun(name, "run", at))
	w.write(protocol.EndRun(name, "run", at, at, signal.M(map[string]signal.Value{"checked": signal.N(12), "text": signal.S("x")})))
}

// seed seeds a clean signal of bucket 5min that expires with its day, changed in
// some attributes, of which the zero value is removed.
func (w *world) seed(day int, changes signal.Item) {
	w.t.Helper()
	seeding := protocol.Seeding{
		ProductDate: on(day), GSIPK: signal.BucketID("5min"), GlobalID: fmt.Sprintf("id-%d", day),
		Pattern: signal.Pattern{Mode: signal.Exact}, Expiry: signal.Expiry(on(day).Date, time.UTC), SeededBy: "test",
	}
	write := protocol.Seed(seeding, now)
	for name, v := range changes {
		if !v.Exists() {
			delete(write.Item, name)
			continue
		}
		write.Item[name] = v
	}
	w.write(write)
}

func checked(value string, at time.Time) signal.Item {
	return signal.Item{signal.AttrValue: signal.S(value), signal.AttrLastUpdatedAt: signal.S(signal.FormatInstant(at))}
}

func with(item signal.Item, more signal.Item) signal.Item {
	all := item.Clone()
	for name, v := range more {
		all[name] = v
	}
	return all
}

// flags are what is to be said against a reading.
func flags(r read.Reading) string {
	text := ""
	for _, f := range []struct {
		name string
		set  bool
	}{{"missing", r.Missing}, {"pending", r.Pending}, {"stale", r.Stale}, {"unknown", r.Unknown}, {"expired", r.Expired}} {
		if f.set {
			text += f.name + " "
		}
	}
	if r.Fresh() {
		text += "fresh "
	}
	return text + r.Value
}

// What each state of an item reads as.
func TestReader_flags(t *testing.T) {
	t.Parallel()
	five := signal.Cadence{Minutes: 5}
	old := checked("37", now.Add(-20*24*time.Hour))
	dirty := func(since time.Duration) signal.Item {
		return with(old, signal.Item{signal.AttrGSISK: signal.S(signal.Dirty), signal.AttrDirtySince: signal.S(signal.FormatInstant(now.Add(-since)))})
	}
	past := signal.S(signal.FormatInstant(now))
	tests := map[string]struct {
		item signal.Item
		ran  time.Duration
		want string
	}{
		"quiet for long":           {old, time.Minute, "fresh 37"},
		"none is a value":          {checked("none", now), time.Minute, "fresh none"},
		"0 is a value":             {checked("0", now), time.Minute, "fresh 0"},
		"clean without a value":    {nil, time.Minute, "unknown "},
		"empty value":              {checked("", now), time.Minute, "unknown "},
		"dirty":                    {dirty(time.Minute), time.Minute, "pending 37"},
		"dirty for 3 cadences":     {dirty(15 * time.Minute), time.Minute, "pending 37"},
		"dirty for longer":         {dirty(15*time.Minute + time.Millisecond), time.Minute, "pending stale 37"},
		"dirty, nobody knows how":  {with(old, signal.Item{signal.AttrGSISK: signal.S(signal.Dirty)}), time.Minute, "pending 37"},
		"dirty without a value":    {signal.Item{signal.AttrGSISK: signal.S(signal.Dirty)}, time.Minute, "pending unknown "},
		"no run for 3 cadences":    {old, 15 * time.Minute, "fresh 37"},
		"no run for longer":        {old, 15*time.Minute + time.Second, "stale 37"},
		"expired now":              {with(old, signal.Item{signal.AttrExpiry: past}), time.Minute, "expired "},
		"expired by ttl alone":     {with(old, signal.Item{signal.AttrTTL: signal.N(now.Unix())}), time.Minute, "expired "},
		"expired by half a second": {with(old, signal.Item{signal.AttrTTL: signal.Decimal("1782863999.5")}), time.Minute, "expired "},
		"ttl beyond all years":     {with(old, signal.Item{signal.AttrTTL: signal.N(math.MaxInt64)}), time.Minute, "fresh 37"},
		"without an end":           {with(old, signal.Item{signal.AttrTTL: {}, signal.AttrExpiry: {}}), time.Minute, "fresh 37"},
		"expired and dirty":        {with(dirty(time.Hour), signal.Item{signal.AttrExpiry: past}), time.Minute, "pending stale expired "},
		"of another shard":         {with(old, signal.Item{signal.AttrGSIPK: signal.S("cadenceBucket::5min::7")}), time.Minute, "fresh 37"},
		"of no registered bucket":  {with(old, signal.Item{signal.AttrGSIPK: signal.S("cadenceBucket::9min")}), time.Minute, "stale 37"},
		"of no bucket":             {with(old, signal.Item{signal.AttrGSIPK: signal.S("x")}), time.Minute, "stale 37"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{})
			w.bucket("5min", five, tt.ran)
			w.seed(1, tt.item)
			readings, err := w.reader().Range(t.Context(), camp, on(1).Date, on(1).Date)
			if err != nil || len(readings) != 1 {
				t.Fatalf("%d readings, %v", len(readings), err)
			}
			if got := flags(readings[0]); got != tt.want {
				t.Errorf("reads as %q, want %q", got, tt.want)
			}
		})
	}
}

// A bucket that was never run vouches for nothing; by cron, the time between runs
// is what it was last.
func TestReader_staleBuckets(t *testing.T) {
	t.Parallel()
	cron := signal.Cadence{ID: "5min"}
	tests := map[string]struct {
		prepare func(w *world)
		want    string
	}{
		"registered, never run": {func(w *world) { w.bucket("5min", signal.Cadence{Minutes: 5}, 0); w.remove(signal.RunKey("5min")) }, "stale 37"},
		"run that never ends": {func(w *world) {
			w.bucket("5min", cron, 0)
			w.remove(signal.RunKey("5min"))
			w.write(protocol.TakeRun("5min", "run", now))
		}, "stale 37"},
		"cron, one run so far":     {func(w *world) { w.bucket("5min", cron, 24*time.Hour) }, "fresh 37"},
		"cron, an hour between":    {func(w *world) { w.bucket("5min", cron, 4*time.Hour); w.run("5min", 3*time.Hour) }, "fresh 37"},
		"cron, 59 minutes between": {func(w *world) { w.bucket("5min", cron, 3*time.Hour+59*time.Minute); w.run("5min", 3*time.Hour) }, "stale 37"},
		"cron, a second between":   {func(w *world) { w.bucket("5min", cron, 3*time.Minute); w.run("5min", 3*time.Minute-time.Second) }, "fresh 37"},
		"registry spoiled": {func(w *world) {
			w.bucket("5min", signal.Cadence{Minutes: 5}, 0)
			w.set(signal.RegistryKey("5min"), signal.AttrCadence, signal.S(""))
		}, "stale 37"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{})
			tt.prepare(w)
			w.seed(1, checked("37", now))
			readings, err := w.reader().Each(t.Context(), on(1))
			if err != nil {
				t.Fatal(err)
			}
			if got := flags(readings[0]); got != tt.want {
				t.Errorf("reads as %q, want %q", got, tt.want)
			}
		})
	}
}

func (w *world) remove(key signal.Key) {
	w.t.Helper()
	w.write(protocol.Write{Op: "remove", Kind: protocol.Delete, Key: key})
}

func (w *world) set(key signal.Key, name string, v signal.Value) {
	w.t.Helper()
	w.write(protocol.Write{Op: "set", Key: key, Set: []protocol.Assignment{{Attr: name, Value: v}}})
}

// All that there is to know of a signal.
func TestReader_reading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.bucket("5min", signal.Cadence{Minutes: 5}, 0)
	w.seed(2, with(checked("high", now.Add(-time.Hour)), signal.Item{
		signal.AttrGSISK: signal.S(signal.Dirty), signal.AttrDirtySince: signal.S("2026-06-30T23:59:00.000Z"),
	}))
	want := read.Reading{
		ProductDate: on(2), GlobalID: "id-2", Bucket: "5min", Value: "high", Pending: true,
		AsOf:       time.Date(2026, time.June, 30, 23, 0, 0, 0, time.UTC),
		DirtySince: time.Date(2026, time.June, 30, 23, 59, 0, 0, time.UTC),
		Expiry:     time.Date(2026, time.July, 3, 0, 0, 0, 0, time.UTC),
	}
	r := w.reader(read.WithConsistentReads())
	byID, err := r.ByGlobalID(t.Context(), "id-2")
	if diff := cmp.Diff(want, byID); err != nil || diff != "" {
		t.Errorf("by its id: %v (-want +got):\n%s", err, diff)
	}
	byKey, err := r.Each(t.Context(), on(2), on(3), on(2))
	missing := read.Reading{ProductDate: on(3), Missing: true, Unknown: true}
	if diff := cmp.Diff([]read.Reading{want, missing, want}, byKey); err != nil || diff != "" {
		t.Errorf("by its key: %v (-want +got):\n%s", err, diff)
	}
	for _, id := range []string{"id-3", "bucket-5min"} {
		if _, err := r.ByGlobalID(t.Context(), id); !errors.Is(err, read.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A range is one query, in order, and leaves out what is no signal.
func TestReader_range(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{PageBytes: 2000})
	w.bucket("5min", signal.Cadence{Minutes: 5}, 0)
	for day := 1; day <= 20; day++ {
		w.seed(day, checked(fmt.Sprint(day), now))
	}
	w.seed(21, signal.Item{signal.AttrSchema: signal.S("productDate")})
	counted := &counting{API: w.client}
	r := read.New(counted, table, read.WithClock(w.clock.Now))
	readings, err := r.Range(t.Context(), camp, on(3).Date, on(30).Date)
	if err != nil || len(readings) != 18 {
		t.Fatalf("%d readings, %v", len(readings), err)
	}
	for i, reading := range readings {
		if reading.ProductDate != on(i+3) || reading.Value != fmt.Sprint(i+3) || !reading.Fresh() {
			t.Errorf("reading %d is %s %s", i, reading.ProductDate, flags(reading))
		}
	}
	for first, last := range map[int]int{22: 30, 9: 8} {
		if readings, err := r.Range(t.Context(), camp, on(first).Date, on(last).Date); err != nil || len(readings) != 0 {
			t.Errorf("%d to %d: %v, %v", first, last, readings, err)
		}
	}
	// What is known of the bucket is read once in ten seconds.
	if counted.gets != 1 {
		t.Errorf("the bucket was read %d times", counted.gets)
	}
	w.clock.Advance(11 * time.Second)
	if _, err := r.Range(t.Context(), camp, on(3).Date, on(3).Date); err != nil || counted.gets != 2 {
		t.Errorf("the bucket was read %d times, %v", counted.gets, err)
	}
}

// counting counts calls.
type counting struct {
	read.API
	gets int
}

func (c *counting) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	c.gets++
	return c.API.BatchGetItem(ctx, in, opts...)
}

// Keys that the service leaves unprocessed are asked for again, however many there
// are.
func TestReader_unprocessedKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Faults: simulator.Rates{Leave: 0.3}.Faults()})
	w.bucket("5min", signal.Cadence{Minutes: 5}, 0)
	var dates []signal.ProductDate
	for day := 1; day <= 31; day++ {
		w.seed(day, checked(fmt.Sprint(day), now))
		for range 7 {
			dates = append(dates, on(day))
		}
	}
	readings, err := w.reader().Each(t.Context(), dates...)
	if err != nil || len(readings) != len(dates) {
		t.Fatalf("%d readings, %v", len(readings), err)
	}
	for i, reading := range readings {
		if reading.Value != fmt.Sprint(dates[i].Date.Day) {
			t.Errorf("%s reads as %s", dates[i], flags(reading))
		}
	}
}

// A table that leaves every key unprocessed is throttled, not empty.
func TestReader_nothingProcessed(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	_, err := read.New(unwilling{}, table).Each(ctx, on(1))
	if !errors.Is(err, dynamo.ErrUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// unwilling processes nothing.
type unwilling struct{ read.API }

func (unwilling) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return &dynamodb.BatchGetItemOutput{UnprocessedKeys: in.RequestItems}, nil
}

// A bucket's signals are those that are in it now, whatever its index still says.
func TestReader_inBucket(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.bucket("5min", signal.Cadence{Minutes: 5}, 0)
	for day := 1; day <= 28; day++ {
		item := checked("1", now)
		if day%2 == 0 {
			item[signal.AttrGSISK] = signal.S(signal.Dirty)
		}
		item[signal.AttrGSIPK] = signal.S(signal.ShardKey("5min", day%signal.MaxShards))
		w.seed(day, item)
	}
	w.seed(29, signal.Item{signal.AttrGSIPK: signal.S("cadenceBucket::15min")})
	for state, want := range map[read.State]int{read.Dirty: 14, read.Clean: 14, read.Any: 28} {
		n := 0
		for reading, err := range w.reader().InBucket(t.Context(), "5min", state) {
			if err != nil {
				t.Fatal(err)
			}
			if state != read.Any && reading.Pending != (state == read.Dirty) || reading.Bucket != "5min" {
				t.Errorf("%s is listed as %s", reading.ProductDate, state)
			}
			n++
		}
		if n != want {
			t.Errorf("%s: %d signals, want %d", state, n, want)
		}
	}
	// Whoever has seen enough stops.
	for first, err := range w.reader().InBucket(t.Context(), "5min", read.Any) {
		if err != nil || !first.Pending {
			t.Errorf("the first is %s %s, %v", first.ProductDate, flags(first), err)
		}
		break
	}
}

// An index that lags lists what has moved on; what is read decides.
func TestReader_inBucketLags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{IndexLag: simulator.Between(time.Hour, time.Hour)})
	w.bucket("5min", signal.Cadence{Minutes: 5}, 0)
	for day := 1; day <= 4; day++ {
		w.seed(day, checked("1", now))
	}
	w.clock.Advance(2 * time.Hour)
	w.remove(on(1).Key())
	w.set(on(2).Key(), signal.AttrGSIPK, signal.S("cadenceBucket::15min"))
	w.write(protocol.Flip(on(3).Key(), now))
	var got []string
	for reading, err := range w.reader(read.WithConsistentReads()).InBucket(t.Context(), "5min", read.Clean) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, reading.Date.String())
	}
	if diff := cmp.Diff([]string{"2026-07-04"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReader_bucket(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.bucket("5min", signal.Cadence{Minutes: 5}, 10*time.Minute)
	w.run("5min", time.Minute)
	b, err := w.reader().Bucket(t.Context(), "5min")
	if err != nil {
		t.Fatal(err)
	}
	if b.Name != "5min" || !b.Registered || b.Interval() != 5*time.Minute || b.Stale(now) {
		t.Errorf("bucket is %+v", b)
	}
	if !b.StartedAt.Equal(now.Add(-time.Minute)) || !b.PreviousStartedAt.Equal(now.Add(-10*time.Minute)) || !b.LastRunAt.Equal(now.Add(-time.Minute)) {
		t.Errorf("its runs are %v, %v, %v", b.StartedAt, b.PreviousStartedAt, b.LastRunAt)
	}
	if diff := cmp.Diff(map[string]int64{"checked": 12}, b.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if _, err := w.reader().Bucket(t.Context(), "9min"); !errors.Is(err, read.ErrNotFound) {
		t.Errorf("a bucket that is not there: %v", err)
	}

	w.set(signal.RegistryKey("5min"), signal.AttrFormat, signal.N(2))
	w.seed(1, nil)
	if _, err := w.reader().Bucket(t.Context(), "5min"); !errors.Is(err, signal.ErrFormat) {
		t.Errorf("a later format: %v", err)
	}
	if _, err := w.reader().Each(t.Context(), on(1)); !errors.Is(err, signal.ErrFormat) {
		t.Errorf("a later format: %v", err)
	}
}

// Errors are those of the table.
func TestReader_errors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	r := read.New(w.client, "elsewhere")
	ctx := t.Context()
	hold := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := r.Range(ctx, camp, on(1).Date, on(2).Date)
	hold("range", err, dynamo.ErrTableNotFound)
	_, err = r.Each(ctx, on(1))
	hold("each", err, dynamo.ErrTableNotFound)
	_, err = r.ByGlobalID(ctx, "x")
	hold("by id", err, dynamo.ErrTableNotFound)
	_, err = r.Bucket(ctx, "x")
	hold("bucket", err, dynamo.ErrTableNotFound)
	_, err = w.reader(read.WithGlobalIDIndex("x")).ByGlobalID(ctx, "x")
	hold("index of ids", err, dynamo.ErrIndexNotFound)
	for _, err = range w.reader(read.WithCadenceIndex("x")).InBucket(ctx, "x", read.Any) {
		hold("index of buckets", err, dynamo.ErrIndexNotFound)
	}
}

// The index may still list a signal that was seeded anew: that one is another.
func TestReader_byGlobalIDLags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{IndexLag: simulator.Between(time.Hour, time.Hour)})
	w.bucket("5min", signal.Cadence{Minutes: 5}, 0)
	w.seed(1, checked("1", now))
	w.clock.Advance(2 * time.Hour)
	w.remove(on(1).Key())
	w.seed(1, signal.Item{signal.AttrGlobalID: signal.S("another")})
	for _, id := range []string{"id-1", "another"} {
		if reading, err := w.reader().ByGlobalID(t.Context(), id); !errors.Is(err, read.ErrNotFound) {
			t.Errorf("%s finds %+v, %v", id, reading, err)
		}
	}
	w.clock.Advance(2 * time.Hour)
	if reading, err := w.reader().ByGlobalID(t.Context(), "another"); err != nil || reading.GlobalID != "another" {
		t.Errorf("once the index shows it: %+v, %v", reading, err)
	}
}

// A bucket's run item is read as every release has left it.
func TestGolden_runEnded(t *testing.T) {
	w := newWorld(t, simulator.Config{})
	w.bucket("5min", signal.Cadence{Minutes: 5}, time.Hour)
	item := golden.Item(t, "run-ended")
	w.write(protocol.Write{Kind: protocol.Put, Key: signal.RunKey("5min"), Item: item})
	b, err := w.reader().Bucket(t.Context(), "5min")
	if err != nil {
		t.Fatal(err)
	}
	ran := time.Date(2000, time.January, 1, 0, 5, 0, 0, time.UTC)
	if !b.StartedAt.Equal(ran) || !b.LastRunAt.Equal(ran) || !b.PreviousStartedAt.Equal(ran.Add(-5*time.Minute)) {
		t.Errorf("started %s, before that %s, ended %s", b.StartedAt, b.PreviousStartedAt, b.LastRunAt)
	}
	if b.Counts["cleaned"] != 1 || b.Counts["oldestDirtyAgeSeconds"] != 240 || len(b.Counts) != 26 {
		t.Errorf("counts: %v", b.Counts)
	}
}
