package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/chart"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const table = "signals"

var now = time.Date(2026, time.July, 1, 12, 5, 0, 0, time.UTC)

// season is a table with two products, of which most is as it should be.
func season(t *testing.T) (*simulator.Client, *dynamo.Store) {
	t.Helper()
	db := simulator.New(simulator.Config{Clock: simulator.NewClock(now)})
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	client := db.Client("chart")
	store := dynamo.NewStore(client, table)
	put := func(key signal.Key, item signal.Item) {
		item[signal.AttrPK], item[signal.AttrSK] = signal.S(key.PK), signal.S(key.SK)
		if _, err := store.Write(t.Context(), protocol.Write{Op: "put", Kind: protocol.Put, Key: key, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	b := signal.Bucket{
		Name: "5min", Cadence: signal.Cadence{Minutes: 5}, ScheduleExpression: "rate(5 minutes)", Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: "bucket",
	}
	put(signal.RegistryKey("5min"), b.Item())
	put(signal.RunKey("5min"), signal.Item{
		protocol.AttrStartedAt: signal.S("2026-07-01T12:03:00.000Z"), protocol.AttrLastRunAt: signal.S("2026-07-01T12:03:02.000Z"),
		protocol.AttrReport: signal.M(map[string]signal.Value{"computed": signal.N(9), "changed": signal.N(4), "durationMs": signal.N(2000)}),
	})
	seed := func(product string, day int, mode signal.Mode, value string, change func(signal.Item)) {
		d := signal.ProductDate{
			Product: signal.Product{CollectionID: "park <1>", ActivityType: "camp", ActivityID: "1", ProductID: product},
			Date:    signal.Date{Year: 2026, Month: time.July, Day: day},
		}
		item := protocol.Seed(protocol.Seeding{
			ProductDate: d, GSIPK: signal.BucketID("5min"), GlobalID: "seeded", SeededBy: "test", Value: value,
			Pattern: signal.Pattern{Mode: mode, Tiers: signal.DefaultTiers()}, Expiry: signal.Expiry(d.Date, time.UTC),
		}, now).Item
		item[signal.AttrLastUpdatedAt] = signal.S("2026-07-01T11:05:00.000Z")
		if change != nil {
			change(item)
		}
		put(d.Key(), item)
	}
	seed("1", 1, signal.Tiered, "full", nil)
	seed("1", 2, signal.Tiered, "low", nil)
	seed("1", 3, signal.Tiered, "medium", func(i signal.Item) {
		i["gsisk"], i["dirtySince"] = signal.S("dirty"), signal.S("2026-07-01T12:04:00.000Z")
	})
	seed("1", 4, signal.Tiered, "high", func(i signal.Item) {
		i["gsisk"], i["dirtySince"] = signal.S("dirty"), signal.S("2026-07-01T11:04:00.000Z")
	})
	seed("1", 6, signal.Tiered, "none", nil)
	seed("2", 1, signal.Exact, "0", nil)
	seed("2", 2, signal.Exact, "4", nil)
	seed("2", 3, signal.Exact, "8", nil)
	seed("2", 4, signal.Exact, "", func(i signal.Item) { delete(i, "lastUpdatedAt") })
	seed("2", 5, signal.Exact, "5", func(i signal.Item) { i["gsipk"] = signal.S("cadenceBucket::9min") })
	seed("2", 6, signal.Exact, "5", func(i signal.Item) { i["expiry"] = signal.S("2026-07-01T12:00:00.000Z") })
	return client, store
}

func collect(t *testing.T, s chart.Selection) chart.Board {
	t.Helper()
	client, _ := season(t)
	reader := read.New(client, table, read.WithClock(client.Now), read.WithConsistentReads())
	b, err := chart.Collect(t.Context(), dynamo.NewFinder(client, table), reader, table, s, now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCollect(t *testing.T) {
	t.Parallel()
	b := collect(t, chart.Selection{})
	at := time.Date(2026, time.July, 1, 11, 5, 0, 0, time.UTC)
	want := [][]chart.Cell{
		{
			{State: chart.Known, Value: "full", Shade: 0, AsOf: at},
			{State: chart.Known, Value: "low", Shade: 1, AsOf: at},
			{State: chart.Known, Value: "medium", Shade: 3, AsOf: at, Pending: true},
			{State: chart.Known, Value: "high", Shade: 4, AsOf: at, Pending: true, Stale: true},
			{},
			{State: chart.None, Value: "none", AsOf: at},
		},
		{
			{State: chart.Known, Value: "0", Shade: 0, AsOf: at},
			{State: chart.Known, Value: "4", Shade: 2, AsOf: at},
			{State: chart.Known, Value: "8", Shade: 4, AsOf: at},
			{State: chart.Unknown},
			{State: chart.Known, Value: "5", Shade: 3, AsOf: at, Stale: true},
			{},
		},
	}
	for i, row := range b.Rows {
		if diff := cmp.Diff(want[i], row.Cells); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.Name, diff)
		}
	}
	buckets := []chart.Bucket{
		{
			Name: "5min", Schedule: "rate(5 minutes)", Enabled: true, Interval: 5 * time.Minute, Signals: 9, Due: 2, Stale: 1, Unknown: 1,
			OldestDirty: time.Date(2026, time.July, 1, 11, 4, 0, 0, time.UTC), LastRun: time.Date(2026, time.July, 1, 12, 3, 2, 0, time.UTC),
			Runs: []chart.Run{{
				Started: time.Date(2026, time.July, 1, 12, 3, 0, 0, time.UTC), Ended: time.Date(2026, time.July, 1, 12, 3, 2, 0, time.UTC), Seen: now,
				Checked: 9, Changed: 4, MedianAge: 3600, OldestAge: 3600,
			}},
		},
		{Name: "9min", Schedule: "not registered", Signals: 1, Stale: 1},
	}
	if diff := cmp.Diff(buckets, b.Buckets); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
}

func TestCollect_selection(t *testing.T) {
	t.Parallel()
	b := collect(t, chart.Selection{Products: 1, Days: 3, First: signal.Date{Year: 2026, Month: time.July, Day: 2}})
	if len(b.Rows) != 1 || b.Omitted != 1 || b.First.String() != "2026-07-02" || b.Last.String() != "2026-07-04" || len(b.Rows[0].Cells) != 3 {
		t.Errorf("%+v", b)
	}
	if b := collect(t, chart.Selection{Collection: "park"}); len(b.Rows) != 0 {
		t.Errorf("another collection: %+v", b.Rows)
	}
}

// A page that loads nothing, whatever products are called.
func TestWriteHTML_standsAlone(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	if err := collect(t, chart.Selection{}).WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, loads := range []string{"src=", "href=", "url(http", "@import", "fetch(", "park <1>", "ZgotmplZ"} {
		if strings.Contains(text, loads) {
			t.Errorf("the page has %q", loads)
		}
	}
	for _, says := range []string{
		"park &lt;1&gt;/camp/1/1", "2 due, 1 stale", "due for a check", `aria-label="Heat map of 2 products by 6 dates: 10 signals, 2 due, 2 stale, 1 without a value"`,
		"not registered", "falls behind", "prefers-color-scheme:dark",
	} {
		if !strings.Contains(text, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

// How old values are is a heat map of its own, and each bucket has what its runs did
// and how old its values were, over time.
func TestWriteHTML_agesAndRuns(t *testing.T) {
	t.Parallel()
	b := collect(t, chart.Selection{})
	b.Rows[0].Cells[0].AsOf = now.Add(-10 * 24 * time.Hour)
	last := b.Buckets[0].Runs[0]
	earlier := last
	earlier.Ended, earlier.Seen, earlier.Failed, earlier.OldestAge, earlier.Waited = last.Ended.Add(-5*time.Minute), last.Seen.Add(-5*time.Minute), 3, 7200, 90
	b.Buckets[0].Runs = []chart.Run{earlier, last}
	var page bytes.Buffer
	if err := b.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	_, ages, ok := strings.Cut(text, `aria-label="The same dates by the age of their values"`)
	if !ok {
		t.Fatal("there is no heat map of ages")
	}
	ages, _, _ = strings.Cut(ages, "</svg>")
	classes := map[string]bool{}
	for _, m := range regexp.MustCompile(`<rect class="(\w+)" x="[^"]*" y="[^"]*" width="[^"]*" height="20"`).FindAllStringSubmatch(ages, -1) {
		classes[m[1]] = true
	}
	old := 0
	for class := range classes {
		if strings.HasPrefix(class, "a") {
			old++
		}
	}
	if old != 2 || !classes["unknown"] {
		t.Errorf("ten days and an hour are drawn as %v", classes)
	}
	for _, says := range []string{
		"signals checked by each run; last: checked 9, changed 4, failed or not reached 0", "<title>1 Jul 11:58:02: failed or not reached 3</title>",
		"age of values, and wait of the oldest change; last: median age 60 min, oldest value 60 min, longest wait 0 s",
		"<title>1 Jul 12:00:00: oldest value 2 h</title>", "<title>1 Jul 12:00:00: longest wait 90 s</title>", "three cadences",
		"signals checked by each run: no run has been seen",
	} {
		if !strings.Contains(text, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

func TestWriteHTML_emptyTable(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	if err := (chart.Board{Title: "signals", At: now}).WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
}

// The drawing is the same for the same data, well-formed, and marks what is late
// not by colour alone.
func TestWriteSVG(t *testing.T) {
	t.Parallel()
	draw := func() string {
		var b strings.Builder
		if err := collect(t, chart.Selection{}).WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := draw()
	if diff := cmp.Diff(first, draw()); diff != "" {
		t.Errorf("two drawings differ:\n%s", diff)
	}
	d := xml.NewDecoder(strings.NewReader(first))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for class, n := range map[string]int{"v0": 2, "v1": 1, "v2": 1, "v3": 2, "v4": 2, "none": 1, "unknown": 1, "pending": 1, "stale": 2} {
		// Those of the key are not as high.
		if got := len(regexp.MustCompile(`<rect class="`+class+`" x="[^"]*" y="[^"]*" width="[^"]*" height="20"`).FindAllString(first, -1)); got != n {
			t.Errorf("%d of %s, want %d", got, class, n)
		}
	}
}

// Whoever writes the report again into its file keeps the runs of before.
func TestRemember(t *testing.T) {
	t.Parallel()
	first := collect(t, chart.Selection{})
	var page bytes.Buffer
	if err := first.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	later := collect(t, chart.Selection{})
	run := first.Buckets[0].Runs[0]
	again, next := run, run
	again.MedianAge = 7
	next.Ended = run.Ended.Add(5 * time.Minute)
	later.Buckets[0].Runs = []chart.Run{again, next}
	if err := later.Remember(page.Bytes()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]chart.Run{again, next}, later.Buckets[0].Runs); diff != "" {
		t.Errorf("each run once, as it was seen last:\n%s", diff)
	}
	later.Buckets[0].Runs = []chart.Run{next}
	if err := later.Remember(page.Bytes()); err != nil || len(later.Buckets[0].Runs) != 2 || later.Buckets[0].Runs[0] != run {
		t.Errorf("%v, %+v", err, later.Buckets[0].Runs)
	}
	// The buckets of two tables have the same names.
	other := collect(t, chart.Selection{})
	other.Title = "another"
	if err := other.Remember(page.Bytes()); !errors.Is(err, chart.ErrHistory) || !strings.Contains(err.Error(), `of "signals"`) || len(other.Buckets[0].Runs) != 1 {
		t.Errorf("of another table: %v, %+v", err, other.Buckets[0].Runs)
	}
	for _, text := range []string{"", "<html>", `<script type="application/json" id="history">[5]</script>`} {
		if err := later.Remember([]byte(text)); !errors.Is(err, chart.ErrHistory) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
