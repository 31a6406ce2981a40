package stream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

func pool(day int, asset string) signal.Key { return signal.Key{PK: campOn(day).PoolPK(), SK: asset} }

func unit(day int, n string) signal.Key {
	return signal.Key{PK: strings.Replace(campOn(day).PoolPK(), "inventoryPool", "inventory", 1), SK: n}
}

// want compares counts, but for the duration.
func want(t *testing.T, got stream.Report, want stream.Counts) {
	t.Helper()
	got.DurationMS = 0
	if diff := cmp.Diff(want, got.Counts); diff != "" {
		t.Errorf("report (-want +got):\n%s\nproblems: %+v", diff, got.Problems)
	}
}

func TestConsume_oneFlipPerSignal(t *testing.T) {
	t.Parallel()
	writes := 0
	w := newWorld(t, simulator.Config{OnCall: func(o simulator.Outcome) {
		if o.Client == "function" && o.Writes() {
			writes++
		}
	}})
	w.seededBy("terraform:x", 5, nil)
	w.seededBy("stream", 6, nil)
	slipped := pool(5, "a")
	slipped.PK = strings.Replace(slipped.PK, "::1::1::", "::1:1::", 1)
	r := w.consume(pool(5, "a"), unit(5, "9"), pool(6, "a"), pool(5, "b"), slipped, pool(7, "a"))
	want(t, r, stream.Counts{Records: 6, Signals: 3, Flipped: 3})
	for _, day := range []int{5, 6} {
		if is := w.signal(day); is.Text("gsisk") != "dirty" || is.Int("rev") != 1 {
			t.Errorf("day %d: %v", day, is)
		}
	}
	if w.signal(7) != nil || writes != 2 {
		t.Errorf("a flip made a signal, or %d writes were made", writes)
	}
}

func TestConsume_whatIsNoChange(t *testing.T) {
	t.Parallel()
	calls := 0
	w := newWorld(t, simulator.Config{OnCall: func(o simulator.Outcome) {
		if o.Client == "function" {
			calls++
		}
	}})
	w.product(vancouver())
	w.seededBy("stream", 5, nil)
	p, d := pool(5, "a"), dateKey(campOn(5))
	r := w.deliver(batch(
		byTTL(record("1", p.PK, p.SK)), byTTL(record("2", d.PK, d.SK)), byTTL(record("3", camp.ItemKey().PK, camp.ItemKey().SK)),
		record("4", campOn(5).Key().PK, campOn(5).Key().SK), record("5", "cadenceBucket::5min", "run"), record("6", "booking::1", "x"),
	))
	want(t, r, stream.Counts{Records: 6, Expired: 3, Ignored: 3})
	if calls != 0 || w.signal(5).Text("gsisk") != "clean" {
		t.Errorf("%d calls, signal %v", calls, w.signal(5))
	}
}

func TestConsume_seeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.product(vancouver())
	w.date(5, signal.Item{"availabilityEstimationPattern": tiered(signal.M(map[string]signal.Value{"id": signal.S("1h"), "label": signal.S("Every hour")}))})
	want(t, w.consume(dateKey(campOn(5))), stream.Counts{Records: 1, Seeded: 1})

	is := w.signal(5)
	if is.Text("globalId") == "" {
		t.Error("it has no globalId")
	}
	tier := func(id, label, bound string) signal.Value {
		return signal.M(map[string]signal.Value{"id": signal.S(id), "label": signal.S(label), "maxPercentage": signal.Decimal(bound)})
	}
	wanted := signal.Item{
		"pk": signal.S("availabilitySignal::mockPark1::backcountryCamp::1::1"), "sk": signal.S("2026-07-05"),
		"gsipk": signal.S("cadenceBucket::1h"), "gsisk": signal.S("dirty"), "schema": signal.S("availabilitySignal"),
		"globalId": is["globalId"], "seededBy": signal.S("stream"), "rev": signal.N(0),
		"dirtySince": signal.S("2026-07-02T05:00:00.000Z"),
		"expiry":     signal.S("2026-07-06T07:00:00.000Z"), "ttl": signal.N(1783321200),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{
			"estimationMode": signal.S("tiered"), "cadence": signal.M(map[string]signal.Value{"hours": signal.N(1)}),
			"tiers": signal.L(tier("full", "Full", "0"), tier("low", "Low", "0.25"), tier("medium", "Medium", "0.75"), tier("high", "High", "1")),
		}),
	}
	if diff := cmp.Diff(wanted, is); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// Delivered again it changes nothing.
	want(t, w.consume(dateKey(campOn(5))), stream.Counts{Records: 1, Unchanged: 1})
	if diff := cmp.Diff(is, w.signal(5)); diff != "" {
		t.Errorf("delivered again (-first +again):\n%s", diff)
	}
}

// Which bucket and pattern, from the date, the product and the defaults.
func TestConsume_terms(t *testing.T) {
	t.Parallel()
	bare, labelled := signal.S("1h"), signal.M(map[string]signal.Value{"id": signal.S("1h"), "label": signal.S("Every hour")})
	withNull := signal.M(map[string]signal.Value{"estimationMode": signal.S("tiered"), "cadence": signal.Null()})
	withNone := signal.M(map[string]signal.Value{"estimationMode": signal.S("tiered")})
	fallback := stream.Defaults{Pattern: &signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}, Bucket: "1h"}
	for name, tt := range map[string]struct {
		date, product signal.Value
		defaults      stream.Defaults
		bucket, mode  string
		problem       string
	}{
		"the date's":                       {exact(minutes(60)), tiered(minutes(5)), fallback, "1h", "exact", ""},
		"a bare label":                     {exact(bare), signal.Value{}, stream.Defaults{}, "1h", "exact", ""},
		"an id and a label":                {exact(labelled), signal.Value{}, stream.Defaults{}, "1h", "exact", ""},
		"a null pattern: the product's":    {signal.Null(), tiered(minutes(5)), fallback, "5min", "tiered", ""},
		"no pattern: the product's":        {signal.Value{}, tiered(minutes(5)), stream.Defaults{}, "5min", "tiered", ""},
		"null both: the defaults":          {signal.Null(), signal.Null(), fallback, "1h", "tiered", ""},
		"absent both: the defaults":        {signal.Value{}, signal.Value{}, fallback, "1h", "tiered", ""},
		"a null cadence: the product's":    {withNull, exact(minutes(5)), fallback, "5min", "tiered", ""},
		"no cadence: the product's":        {withNone, exact(minutes(5)), fallback, "5min", "tiered", ""},
		"no cadence anywhere: the default": {withNone, signal.Null(), fallback, "1h", "tiered", ""},
		"no pattern anywhere":              {signal.Null(), signal.Null(), stream.Defaults{Bucket: "5min"}, "", "", "no default one"},
		"no bucket anywhere":               {signal.Null(), withNull, stream.Defaults{}, "", "", "no default bucket"},
		"an unregistered bucket":           {exact(minutes(7)), signal.Value{}, fallback, "", "", `bucket "7min" in table "signals": bucket not registered`},
		"a cadence that is none":           {exact(signal.S("Every 5 minutes")), signal.Value{}, fallback, "", "", "invalid bucket name"},
		"a cadence of another type":        {exact(signal.N(5)), signal.Value{}, fallback, "", "", "read cadence"},
		"a pattern that is none":           {signal.S("exact"), exact(minutes(5)), fallback, "", "", "the date's availabilityEstimationPattern: invalid"},
		"a product's pattern that is none": {signal.Null(), signal.S("exact"), fallback, "", "", "the product's availabilityEstimationPattern: invalid"},
		"a default in an unregistered one": {signal.Null(), signal.Null(), stream.Defaults{Pattern: fallback.Pattern, Bucket: "1d"}, "", "", `bucket "1d"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{})
			w.keeper.Defaults = tt.defaults
			attrs := func(v signal.Value) signal.Item {
				item := signal.Item{"timezone": signal.S("America/Vancouver")}
				if v.Exists() {
					item["availabilityEstimationPattern"] = v
				}
				return item
			}
			w.product(attrs(tt.product))
			w.date(5, attrs(tt.date))
			r := w.consume(dateKey(campOn(5)))
			is := w.signal(5)
			if tt.problem != "" {
				want(t, r, stream.Counts{Records: 1, Left: 1})
				if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Reason, tt.problem) || r.Problems[0].Key != camp.String() || r.Problems[0].Dates != "2026-07-05" {
					t.Errorf("problems %+v, want one that says %q", r.Problems, tt.problem)
				}
				if is != nil || len(r.Failures) > 0 {
					t.Errorf("signal %v, to be delivered again %v", is, r.Failures)
				}
				return
			}
			mode, _ := is["availabilityEstimationPattern"].Fields()
			if got, _ := mode["estimationMode"].Text(); got != tt.mode || is.Text("gsipk") != signal.BucketID(tt.bucket) {
				t.Errorf("%q in %q, want %q in %q", got, is.Text("gsipk"), tt.mode, tt.bucket)
			}
		})
	}
}

func TestConsume_zones(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		zone     signal.Value
		expiry   string
		zoneless int
		problem  string
	}{
		"of the product": {signal.S("America/St_Johns"), "2026-07-06T02:30:00.000Z", 0, ""},
		"none":           {signal.Value{}, "2026-07-06T00:00:00.000Z", 1, "no timezone"},
		"null":           {signal.Null(), "2026-07-06T00:00:00.000Z", 1, "no timezone"},
		"empty":          {signal.S(""), "2026-07-06T00:00:00.000Z", 1, "no timezone"},
		"unknown":        {signal.S("America/Vancuver"), "", 0, "unknown time zone"},
		"a number":       {signal.N(-8), "", 0, "timezone is no text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{})
			item := vancouver()
			delete(item, "timezone")
			if tt.zone.Exists() {
				item["timezone"] = tt.zone
			}
			w.product(item)
			w.date(5, signal.Item{})
			r := w.consume(dateKey(campOn(5)))
			counts := stream.Counts{Records: 1, Seeded: 1, Zoneless: tt.zoneless}
			if tt.expiry == "" {
				counts = stream.Counts{Records: 1, Left: 1}
			}
			want(t, r, counts)
			if got := w.signal(5).Text("expiry"); got != tt.expiry {
				t.Errorf("expiry %q, want %q", got, tt.expiry)
			}
			if tt.problem != "" && (len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Reason, tt.problem)) {
				t.Errorf("problems: %+v", r.Problems)
			}
		})
	}
}

// Records of a date and of its product come in any order.
func TestConsume_anyOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.date(5, signal.Item{})
	want(t, w.consume(dateKey(campOn(5))), stream.Counts{Records: 1, Unchanged: 1})
	w.product(vancouver())
	want(t, w.consume(camp.ItemKey()), stream.Counts{Records: 1, Seeded: 1})
	if w.signal(5).Text("gsisk") != "dirty" {
		t.Error("no dirty signal after the product has come")
	}
}

func TestConsume_productOfManyDates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{PageBytes: 500})
	w.product(vancouver())
	for day := 1; day <= 20; day++ {
		w.date(day, signal.Item{"availabilityEstimationPattern": signal.Null()})
	}
	// Of yesterday, in Vancouver, nothing is seeded.
	put(t, w.platform, dateKey(signal.ProductDate{Product: camp, Date: signal.Date{Year: 2026, Month: time.June, Day: 30}}), signal.Item{})
	slipped := dateKey(campOn(21))
	slipped.PK = camp.DatePKs()[1]
	put(t, w.platform, slipped, signal.Item{})
	want(t, w.consume(camp.ItemKey()), stream.Counts{Records: 1, Seeded: 21})
	w.clean(4)

	// Another pattern flips them all, another zone as well as deletion only moves.
	changed := vancouver()
	changed["availabilityEstimationPattern"] = tiered(minutes(60))
	w.product(changed)
	want(t, w.consume(camp.ItemKey()), stream.Counts{Records: 1, Updated: 21})
	if is := w.signal(4); is.Text("gsisk") != "dirty" || is.Text("gsipk") != "cadenceBucket::1h" || is.Text("value") != "7" {
		t.Errorf("after another pattern: %v", is)
	}

	// Deleted, and undeleted.
	changed["isDeleted"] = signal.Bool(true)
	w.product(changed)
	want(t, w.consume(camp.ItemKey()), stream.Counts{Records: 1, Deleted: 21})
	if w.signal(4) != nil {
		t.Error("the signal of a deleted product's date is there")
	}
	delete(changed, "isDeleted")
	w.product(changed)
	want(t, w.consume(camp.ItemKey()), stream.Counts{Records: 1, Seeded: 21})

	remove(t, w.platform, camp.ItemKey())
	want(t, w.consume(camp.ItemKey()), stream.Counts{Records: 1, Deleted: 21})
}

func TestConsume_dateDeleted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]signal.Item{"gone": nil, "isDeleted": {"isDeleted": signal.Bool(true)}, "isDeleted as text": {"isDeleted": signal.S("true")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{})
			w.product(vancouver())
			w.date(5, signal.Item{})
			w.consume(dateKey(campOn(5)))
			if tt == nil {
				remove(t, w.platform, dateKey(campOn(5)))
			} else {
				w.date(5, tt)
			}
			want(t, w.consume(dateKey(campOn(5))), stream.Counts{Records: 1, Deleted: 1})
			if w.signal(5) != nil {
				t.Error("the signal is still there")
			}
		})
	}
}

func TestConsume_expired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.product(vancouver())
	june30 := signal.ProductDate{Product: camp, Date: signal.Date{Year: 2026, Month: time.June, Day: 30}}
	put(t, w.platform, dateKey(june30), signal.Item{})
	want(t, w.consume(dateKey(june30)), stream.Counts{Records: 1, Unchanged: 1})
	if is, err := w.signals.Get(t.Context(), june30.Key()); is != nil || err != nil {
		t.Errorf("a date that is over was seeded: %v, %v", is, err)
	}
	// July 1 is not over there yet, though it is in UTC.
	w.date(1, signal.Item{})
	want(t, w.consume(dateKey(campOn(1))), stream.Counts{Records: 1, Seeded: 1})
}

func TestConsume_signalsOfOthers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		owner  string
		date   bool
		change func(signal.Item)
		want   stream.Counts
		then   signal.Item
	}{
		"another seeder's is flipped": {
			"terraform:x", true, nil,
			stream.Counts{Records: 1, Flipped: 1},
			signal.Item{"seededBy": signal.S("terraform:x"), "gsisk": signal.S("dirty"), "globalId": signal.S("id-of-2026-07-05"), "gsipk": signal.S("cadenceBucket::5min")},
		},
		"another seeder's of no date": {
			"some tool", false, nil,
			stream.Counts{Records: 1, Flipped: 1},
			signal.Item{"seededBy": signal.S("some tool"), "gsisk": signal.S("dirty")},
		},
		"nobody's is adopted": {
			"", true, nil,
			stream.Counts{Records: 1, Adopted: 1},
			signal.Item{"seededBy": signal.S("stream"), "gsisk": signal.S("dirty"), "globalId": signal.S("id-of-2026-07-05"), "gsipk": signal.S("cadenceBucket::1h")},
		},
		"nobody's of no date": {
			"", false, nil,
			stream.Counts{Records: 1, Flipped: 1},
			signal.Item{"seededBy": {}, "gsisk": signal.S("dirty")},
		},
		"an owner that is no text": {
			"x", true, func(i signal.Item) { i["seededBy"] = signal.N(5) },
			stream.Counts{Records: 1, Flipped: 1},
			signal.Item{"seededBy": signal.N(5), "gsisk": signal.S("dirty")},
		},
		"no signal at all": {
			"stream", true, func(i signal.Item) { i["schema"] = signal.S("calendar") },
			stream.Counts{Records: 1, Left: 1},
			signal.Item{"schema": signal.S("calendar"), "gsisk": signal.S("clean")},
		},
		"no signal at all, and no date": {
			"stream", false, func(i signal.Item) { i["schema"] = signal.S("calendar") },
			stream.Counts{Records: 1, Unchanged: 1},
			signal.Item{"schema": signal.S("calendar"), "gsisk": signal.S("clean")},
		},
		"an expired one": {
			"terraform:x", true, func(i signal.Item) { i["expiry"] = signal.S("2026-07-01T00:00:00.000Z") },
			stream.Counts{Records: 1, Unchanged: 1},
			signal.Item{"seededBy": signal.S("terraform:x"), "gsisk": signal.S("clean")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{})
			w.product(vancouver())
			if tt.date {
				w.date(5, signal.Item{"availabilityEstimationPattern": exact(minutes(60))})
			}
			w.seededBy(tt.owner, 5, tt.change)
			want(t, w.consume(dateKey(campOn(5))), tt.want)
			is := w.signal(5)
			for attr, v := range tt.then {
				if !is[attr].Equal(v) {
					t.Errorf("%s is %v, want %v", attr, is[attr], v)
				}
			}
		})
	}
}

// A stranger's signal without a globalId gets one.
func TestConsume_adoptsTheNameless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.product(vancouver())
	w.date(5, signal.Item{})
	w.seededBy("", 5, func(i signal.Item) {
		delete(i, "globalId")
		delete(i, "rev")
		i["mine"] = signal.S("the application's")
	})
	want(t, w.consume(dateKey(campOn(5))), stream.Counts{Records: 1, Adopted: 1})
	if is := w.signal(5); len(is.Text("globalId")) != 36 || is.Int("rev") != 1 || is.Text("mine") == "" {
		t.Errorf("%v", is)
	}
}
