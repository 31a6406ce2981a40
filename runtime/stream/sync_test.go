package stream_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

func (w *world) sync(target stream.Target, o stream.Options) (stream.Plan, string) {
	w.t.Helper()
	s := &stream.Sync{Keeper: w.keeper, Platform: dynamo.NewFinder(w.client, platformTable), Signals: dynamo.NewFinder(w.client, signalsTable)}
	plan, err := s.Run(w.t.Context(), target, o)
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	if err := plan.Print(&b); err != nil {
		w.t.Fatal(err)
	}
	return plan, b.String()
}

// dump is every signal of a product, by its date.
func (w *world) dump(p signal.Product) map[string]signal.Item {
	w.t.Helper()
	items := map[string]signal.Item{}
	for item, err := range w.signals.Query(w.t.Context(), dynamo.Query{Hash: "pk", Partition: p.PK()}) {
		if err != nil {
			w.t.Fatal(err)
		}
		items[item.Text("sk")] = item
	}
	return items
}

// season is a product of which the stream has missed all that there is to miss.
func season(w *world) {
	w.product(vancouver())
	for day := 3; day <= 14; day++ {
		w.date(day, signal.Item{})
	}
	w.date(8, signal.Item{"availabilityEstimationPattern": exact(minutes(7))})
	w.date(9, signal.Item{"availabilityEstimationPattern": exact(minutes(60))})
	w.date(14, signal.Item{"isDeleted": signal.Bool(true)})
	w.seededBy("stream", 6, nil)
	w.seededBy("stream", 7, func(i signal.Item) { i["expiry"] = signal.S("2026-07-08T00:00:00.000Z") })
	w.seededBy("stream", 9, nil)
	w.seededBy("", 10, nil)
	w.seededBy("terraform:x", 11, nil)
	w.seededBy("some tool", 12, nil)
	// Of no date any more.
	w.seededBy("stream", 14, nil)
	w.seededBy("stream", 20, nil)
	w.seededBy("", 21, nil)
	w.seededBy("terraform:x", 22, nil)
}

func TestSync_dryRunThenApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	season(w)
	before := w.dump(camp)
	target := stream.Target{Product: camp}

	_, printed := w.sync(target, stream.Options{})
	wanted := `mockPark1/backcountryCamp/1/1
  seed       2026-07-03/2026-07-05 (3)
  update     2026-07-07  expiry
  leave      2026-07-08  read bucket "7min" in table "signals": bucket not registered
  update     2026-07-09  bucket 5min to 1h
  adopt      2026-07-10
  seed       2026-07-13
  delete     2026-07-14
  delete     2026-07-20
1 product: 4 to be seeded, 2 updated, 1 adopted, 2 deleted; 5 unchanged, 1 left as they are, 0 failed. This was a dry run: nothing has been written.
`
	if diff := cmp.Diff(wanted, printed); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, w.dump(camp)); diff != "" {
		t.Errorf("the dry run wrote:\n%s", diff)
	}

	plan, printed := w.sync(target, stream.Options{Apply: true})
	if diff := cmp.Diff(strings.Replace(strings.Replace(wanted, "to be ", "", 1), ". This was a dry run: nothing has been written.", ".", 1), printed); diff != "" || plan.Err() != nil {
		t.Errorf("applied, %v (-want +got):\n%s", plan.Err(), diff)
	}
	after := w.dump(camp)
	for date, owner := range map[string]string{
		"2026-07-03": "stream", "2026-07-07": "stream", "2026-07-10": "stream", "2026-07-11": "terraform:x", "2026-07-12": "some tool", "2026-07-21": "", "2026-07-22": "terraform:x",
	} {
		if after[date] == nil || after[date].Text("seededBy") != owner {
			t.Errorf("%s: %v, want it seeded by %q", date, after[date], owner)
		}
	}
	for _, date := range []string{"2026-07-08", "2026-07-14", "2026-07-20"} {
		if after[date] != nil {
			t.Errorf("%s: %v", date, after[date])
		}
	}
	for _, date := range []string{"2026-07-11", "2026-07-12", "2026-07-21", "2026-07-22"} {
		if diff := cmp.Diff(before[date], after[date]); diff != "" {
			t.Errorf("%s is another's:\n%s", date, diff)
		}
	}

	if _, printed := w.sync(target, stream.Options{Apply: true}); !strings.Contains(printed, " 0 seeded, 0 updated, 0 adopted, 0 deleted; 13 unchanged, 1 left") {
		t.Errorf("again:\n%s", printed)
	}
}

func TestSync_takeOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.product(vancouver())
	for day := 5; day <= 9; day++ {
		w.date(day, signal.Item{})
	}
	w.seededBy("terraform:x", 5, func(i signal.Item) { i["gsisk"] = signal.S("dirty") })
	w.clean(5)
	w.seededBy("some tool", 6, func(i signal.Item) { i["gsipk"] = signal.S("cadenceBucket::1h") })
	w.seededBy("terraform:x", 7, func(i signal.Item) { i["availabilityEstimationPattern"] = tiered(minutes(5)) })
	w.seededBy("x", 8, func(i signal.Item) { i["seededBy"] = signal.N(8) })
	w.seededBy("terraform:x", 20, nil)
	before := w.dump(camp)

	_, printed := w.sync(stream.Target{Product: camp}, stream.Options{TakeOver: true})
	wanted := `mockPark1/backcountryCamp/1/1
  take over  2026-07-05  of terraform:x
  take over  2026-07-06  of some tool
  take over  2026-07-07  of terraform:x
  leave      2026-07-08  it cannot be adopted: its seededBy is no text
  seed       2026-07-09
1 product: 1 to be seeded, 0 updated, 3 adopted, 0 deleted; 1 unchanged, 1 left as they are, 0 failed. This was a dry run: nothing has been written.
`
	if diff := cmp.Diff(wanted, printed); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	// While one is taken over, its date is deleted: it is read again after the write.
	w.meddle(func(what string, _ int) {
		if what == "adopt" {
			remove(t, w.platform, dateKey(campOn(6)))
		}
	})
	plan, printed := w.sync(stream.Target{Product: camp}, stream.Options{TakeOver: true, Apply: true})
	if plan.Err() != nil || !strings.Contains(printed, "3 adopted, 1 deleted") {
		t.Errorf("%v\n%s", plan.Err(), printed)
	}
	after := w.dump(camp)
	if is := after["2026-07-05"]; is.Text("seededBy") != "stream" || is.Text("gsisk") != "clean" || is.Text("value") != "7" || is.Text("globalId") != before["2026-07-05"].Text("globalId") {
		t.Errorf("taken over on the terms that it had: %v", is)
	}
	if after["2026-07-06"] != nil {
		t.Errorf("the date was deleted meanwhile, and its signal is %v", after["2026-07-06"])
	}
	if is := after["2026-07-07"]; is.Text("seededBy") != "stream" || is.Text("gsisk") != "dirty" {
		t.Errorf("taken over with another pattern: %v", is)
	}
	for _, date := range []string{"2026-07-08", "2026-07-20"} {
		if diff := cmp.Diff(before[date], after[date]); diff != "" {
			t.Errorf("%s:\n%s", date, diff)
		}
	}
}

func TestSync_targets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{PageBytes: 300})
	other := signal.Product{CollectionID: "mockPark2", ActivityType: "dayUse", ActivityID: "3", ProductID: "4"}
	orphan := signal.Product{CollectionID: "mockPark1", ActivityType: "dayUse", ActivityID: "9", ProductID: "9"}
	for _, p := range []signal.Product{camp, other} {
		put(t, w.platform, p.ItemKey(), vancouver())
		put(t, w.platform, dateKey(signal.ProductDate{Product: p, Date: july(5)}), signal.Item{})
	}
	put(t, w.platform, signal.Key{PK: "product::mockPark1", SK: "x"}, signal.Item{})
	seed := dynamo.NewSteward(w.client, signalsTable, stream.Owner, w.client.Now, w.client.Reader())
	bucket, err := seed.Bucket(t.Context(), "5min")
	if err == nil {
		d := signal.ProductDate{Product: orphan, Date: july(5)}
		err = seed.Seed(t.Context(), d, dynamo.Terms{Bucket: "5min", Pattern: signal.Pattern{Mode: signal.Exact}, Expiry: now.AddDate(0, 0, 9)}, bucket)
	}
	if err != nil {
		t.Fatal(err)
	}
	for target, wanted := range map[stream.Target]string{
		{Product: other}:          "mockPark2/dayUse/3/4: seed.",
		{Collection: "mockPark1"}: "mockPark1/backcountryCamp/1/1: seed. mockPark1/dayUse/9/9: delete.",
		{Collection: "mockPark"}:  "",
		{}:                        "mockPark1/backcountryCamp/1/1: seed. mockPark1/dayUse/9/9: delete. mockPark2/dayUse/3/4: seed.",
	} {
		plan, printed := w.sync(target, stream.Options{})
		var got []string
		for _, p := range plan.Products {
			got = append(got, p.Product.String()+": "+string(p.Steps[0].Action)+".")
		}
		if s := strings.Join(got, " "); s != wanted {
			t.Errorf("%+v: %s\nwant %s", target, s, wanted)
		}
		if unreadable := strings.Contains(printed, "not a key of a product or a date: product::mockPark1 x"); unreadable != (target == stream.Target{}) {
			t.Errorf("%+v:\n%s", target, printed)
		}
	}
	for _, bad := range []stream.Target{{Product: camp, Collection: "mockPark1"}, {Product: signal.Product{CollectionID: "x"}}, {Collection: "a::b"}} {
		if _, err := (&stream.Sync{Keeper: w.keeper}).Run(t.Context(), bad, stream.Options{}); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// One product that cannot be synced keeps no other from it.
func TestSync_failures(t *testing.T) {
	t.Parallel()
	other := signal.Product{CollectionID: "mockPark0", ActivityType: "dayUse", ActivityID: "3", ProductID: "4"}
	broken, scans := true, false
	w := newWorld(t, simulator.Config{Faults: func(_ *rand.Rand, c *simulator.Call) simulator.Fault {
		if c.Client == "function" && (broken && strings.HasPrefix(c.Partition, "product::mockPark0") || scans && c.Operation == "Scan") {
			return simulator.Fault{Reject: simulator.ServerError}
		}
		return simulator.Fault{}
	}})
	for _, p := range []signal.Product{camp, other} {
		put(t, w.platform, p.ItemKey(), vancouver())
		put(t, w.platform, dateKey(signal.ProductDate{Product: p, Date: july(5)}), signal.Item{})
	}
	plan, printed := w.sync(stream.Target{}, stream.Options{Apply: true})
	if err := plan.Err(); !errors.Is(err, dynamo.ErrUnknown) || !strings.Contains(printed, "1 seeded") || !strings.Contains(printed, "1 failed.") || w.signal(5) == nil {
		t.Errorf("%v\n%s", err, printed)
	}
	broken = false
	if plan, printed := w.sync(stream.Target{}, stream.Options{Apply: true}); plan.Err() != nil || !strings.Contains(printed, "1 seeded") {
		t.Errorf("the repeat: %v\n%s", plan.Err(), printed)
	}
	scans = true
	s := &stream.Sync{Keeper: w.keeper, Platform: dynamo.NewFinder(w.client, platformTable), Signals: dynamo.NewFinder(w.client, signalsTable)}
	if _, err := s.Run(t.Context(), stream.Target{}, stream.Options{}); !errors.Is(err, dynamo.ErrUnknown) {
		t.Errorf("finding fails: %v", err)
	}
}
