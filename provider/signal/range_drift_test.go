package signal_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func texts(texts ...string) knownvalue.Check {
	checks := make([]knownvalue.Check, len(texts))
	for i, s := range texts {
		checks[i] = knownvalue.StringExact(s)
	}
	return knownvalue.ListExact(checks)
}

// What others have changed of the range's signals shows in the plan, and one
// in-place update mends it and touches nothing else.
func TestOwn02_rangeDriftHeals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := rangeConfig(w.provider(), "2090-07-01", "2090-07-31", exactIn5min)
	known := func(name string, check knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(rangeAddress, tfjsonpath.New(name), check)
	}
	var seeded, drifted map[string]signal.Item
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue(rangeAddress, tfjsonpath.New("drifted_dates")),
					known("needs_repair", texts()),
				}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("drifted_dates"), texts())},
				Check:             func(*terraform.State) error { seeded = w.items(); return nil },
			},
			{
				PreConfig: func() {
					w.change(4, signal.Item{"gsipk": signal.S("cadenceBucket::15min")})
					w.change(5, signal.Item{"availabilityEstimationPattern": {}})
					w.change(6, signal.Item{"expiry": signal.S("2090-07-30T00:00:00.000Z")})
					w.change(8, signal.Item{"ttl": {}})
					w.change(9, signal.Item{"seededBy": {}})
					w.change(10, signal.Item{"expiry": {}})
					// No drift: a check has moved it, and the application has written.
					w.change(20, signal.Item{"gsipk": signal.S("cadenceBucket::5min::7"), "note": signal.S("the application's")})
					drifted = w.items()
				},
				RefreshState: true, ExpectNonEmptyPlan: true,
				RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(rangeAddress, plancheck.ResourceActionUpdate),
				}},
			},
			{
				Config: config, PlanOnly: true, ExpectNonEmptyPlan: true,
			},
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(rangeAddress, plancheck.ResourceActionUpdate),
					known("drifted_dates", texts()), known("needs_repair", texts()), known("missing_dates", texts()),
					priorValue(rangeAddress, "drifted_dates", []any{"2090-07-04/2090-07-06", "2090-07-10/2090-07-10"}),
					priorValue(rangeAddress, "needs_repair", []any{"seededBy", "ttl"}),
				}},
				Check: func(*terraform.State) error {
					for date, item := range w.items() {
						want := seeded[date].Clone()
						switch date {
						case "2090-07-05", "2090-07-09":
							want["gsisk"], want["rev"], want["dirtySince"] = signal.S("dirty"), signal.N(1), signal.S("2090-06-01T12:00:00.000Z")
						case "2090-07-20":
							want = drifted[date]
						}
						if diff := cmp.Diff(want, atMostTwice(want, item)); diff != "" {
							return fmt.Errorf("%s (-want +got):\n%s", date, diff)
						}
					}
					return nil
				},
			},
		},
	})
}

// Drift and a change of the configuration are mended together; drift is not what
// makes an update fail half-way a lie.
func TestRange_driftAndChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	settings := through(proxy)
	settings["max_retries"] = 0
	d := w.driver(rangeType, settings)
	holdErrors(t, d.Apply(exactRange(nil)))
	w.change(2, signal.Item{"gsipk": signal.S("cadenceBucket::15min")})
	w.change(3, signal.Item{"ttl": {}})
	w.remove(4)
	proxy.Set(acctest.Fault{Operation: "UpdateItem", Effect: acctest.Fail(400, "AccessDeniedException", "no")})
	if errs := d.Apply(exactRange(acctest.Config{"end_date": "2090-08-01"})); len(errs) != 1 {
		t.Errorf("errors: %q", errs)
	}
	holdState(t, d, acctest.Config{
		"drifted_dates": []any{"2090-07-02/2090-07-02"}, "needs_repair": []any{"ttl"}, "missing_dates": []any{}, "end_date": "2090-08-01",
	})
	proxy.Set()
	holdErrors(t, d.Apply(exactRange(acctest.Config{"end_date": "2090-08-01"})))
	if n := calls(proxy, "UpdateItem"); n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
	holdPlan(t, d, exactRange(acctest.Config{"end_date": "2090-08-01"}), acctest.NoOp)
	// However much has drifted, the state stays small.
	for day := 1; day <= 31; day += 2 {
		w.change(day, signal.Item{"gsipk": signal.S("cadenceBucket::15min")})
	}
	holdErrors(t, d.Refresh())
	if drifted, _ := d.State()["drifted_dates"].([]any); len(drifted) != 16 {
		t.Errorf("drifted: %v", drifted)
	}
}

// The zone of a range's days is the provider's, unless it has its own. Which of the
// two an imported range has, its items do not say.
func TestRange_zoneAfterImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	toronto := acctest.Config{"time_zone": "America/Toronto"}
	d := w.driver(rangeType, nil)
	holdErrors(t, d.Apply(exactRange(toronto)))
	id := w.table + "/mockPark1/backcountryCamp/1/1/" + text(d, "range_id")
	before := w.items()
	// Its own: an update that writes nothing.
	proxy := acctest.NewFaultProxy(t)
	d = w.driver(rangeType, through(proxy))
	holdErrors(t, d.Import(id))
	holdState(t, d, acctest.Config{"drifted_dates": []any{}, "time_zone": nil})
	holdPlan(t, d, exactRange(toronto), acctest.Update)
	proxy.Set()
	holdErrors(t, d.Apply(exactRange(toronto)))
	// The refresh, and a look at whether there is anything to write.
	if diff := cmp.Diff([]string{"Query", "Query"}, proxy.Calls()); diff != "" || !cmp.Equal(before, w.items()) {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	holdPlan(t, d, exactRange(toronto), acctest.NoOp)
	// From then on, another expiry is drift.
	w.change(3, signal.Item{"expiry": signal.S("2090-07-04T07:00:00.000Z"), "ttl": signal.N(3802834800)})
	holdPlan(t, d, exactRange(toronto), acctest.Update)
	holdState(t, d, acctest.Config{"drifted_dates": []any{"2090-07-03/2090-07-03"}})
	holdErrors(t, d.Apply(exactRange(toronto)))
	// The provider's: the days end later, which is an update that moves them.
	d = w.driver(rangeType, nil)
	holdErrors(t, d.Import(id))
	holdPlan(t, d, exactRange(nil), acctest.Update)
	holdErrors(t, d.Apply(exactRange(nil)))
	if got := w.item(3).Text("expiry"); got != "2090-07-04T07:00:00.000Z" {
		t.Errorf("it expires at %s", got)
	}
	holdPlan(t, d, exactRange(nil), acctest.NoOp)
	// The provider's, and it is: nothing to do. Unknown: nothing to say.
	d = w.driver(rangeType, nil)
	holdErrors(t, d.Import(id))
	holdPlan(t, d, exactRange(nil), acctest.NoOp)
	d = w.driver(rangeType, acctest.Config{"time_zone": acctest.Unknown{}})
	holdErrors(t, d.Import(id))
	holdPlan(t, d, exactRange(nil), acctest.NoOp)
	// The provider's zone has changed since: that is drift of every date.
	d = w.driver(rangeType, acctest.Config{"time_zone": "UTC"})
	holdErrors(t, d.Import(id))
	holdErrors(t, d.Apply(exactRange(nil)))
	if got := w.item(3).Text("expiry"); got != "2090-07-04T00:00:00.000Z" {
		t.Errorf("it expires at %s", got)
	}
}

// A change of the provider's zone alone moves the ends of all days, as it does for
// single signals; dates that are added meanwhile leave no range of two zones.
func TestRange_providersZoneChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(rangeType, nil)
	c := exactRange(acctest.Config{"end_date": "2090-07-04"})
	holdErrors(t, d.Apply(c))
	expire := func(suffix string) {
		t.Helper()
		for date, item := range w.items() {
			day, _ := signal.ParseDate(date)
			if got, want := item.Text("expiry"), day.AddDays(1).String()+suffix; got != want {
				t.Errorf("%s expires at %s, want %s", date, got, want)
			}
		}
	}
	provider := func(zone any) {
		t.Helper()
		holdErrors(t, d.Configure(acctest.Config{"table_name": w.table, "time_zone": zone}))
	}
	expire("T07:00:00.000Z")
	provider("America/Toronto")
	holdPlan(t, d, c, acctest.Update)
	holdState(t, d, acctest.Config{"drifted_dates": []any{"2090-07-01/2090-07-04"}})
	holdErrors(t, d.Apply(c))
	expire("T04:00:00.000Z")
	holdPlan(t, d, c, acctest.NoOp)
	provider("America/Vancouver")
	c["end_date"] = "2090-07-08"
	holdErrors(t, d.Apply(c))
	expire("T07:00:00.000Z")
	holdPlan(t, d, c, acctest.NoOp)
	provider(nil)
	holdPlan(t, d, c, acctest.Update)
	if len(d.Warnings()) != 1 {
		t.Errorf("warnings: %q", d.Warnings())
	}
	holdErrors(t, d.Apply(c))
	expire("T00:00:00.000Z")
	holdPlan(t, d, c, acctest.NoOp)
}

// A season that is under way changes where it is still to come, and nowhere else.
func TestRange_changesInTheSeason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(rangeType, nil)
	holdErrors(t, d.Apply(exactRange(nil)))
	for day := 1; day <= 31; day += 5 {
		w.check(day, fmt.Sprint(day))
	}
	before := w.items()
	// It is the fifteenth, a minute to midnight in Vancouver; TTL has been at work.
	w.clock.set(time.Date(2090, 7, 16, 6, 59, 0, 0, time.UTC))
	for day := 1; day <= 9; day++ {
		w.remove(day)
	}
	w.change(12, signal.Item{"gsipk": signal.S("cadenceBucket::15min"), "ttl": {}})
	holdPlan(t, d, exactRange(nil), acctest.NoOp)
	c := exactRange(acctest.Config{
		"end_date": "2090-08-02", "cadence_bucket": "15min", "availability_estimation_pattern": pattern("tiered"), "except_dates": []any{"2090-07-11", "2090-07-20"},
	})
	holdErrors(t, d.Apply(c))
	// An exception that has passed goes, as one that is to come does.
	if err := holdThere(w, "2090-07-10/2090-07-10 2090-07-12/2090-07-19 2090-07-21/2090-08-02"); err != nil {
		t.Error(err)
	}
	for date, item := range w.items() {
		was, old := before[date]
		switch {
		case date < "2090-07-15":
			if date != "2090-07-12" && !cmp.Equal(was, item) {
				t.Errorf("%s has passed, and was touched", date)
			}
		case item.Text("gsipk") != "cadenceBucket::15min" || old && item.Text("gsisk") != "dirty":
			t.Errorf("%s is %v", date, item)
		case old && (item.Text("globalId") != was.Text("globalId") || item.Text("value") != was.Text("value") || item.Int("rev") != was.Int("rev")+1):
			t.Errorf("%s was %v, is %v", date, was, item)
		}
	}
	holdPlan(t, d, c, acctest.NoOp)
	holdState(t, d, acctest.Config{"missing_dates": []any{}, "drifted_dates": []any{}, "needs_repair": []any{}, "dates": 31})
	// Flips and checks go on as they did.
	w.write(protocol.Flip(campOn(16).Key(), june))
}

// Signals go where their bucket's shards are, however many it has by then, and a
// bucket that has more or fewer of them is no drift.
func TestRange_shards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shards := func(name string, n int) signal.Bucket {
		w.unregister(name)
		b := w.bucket(name, 5)
		b.Shards = n
		w.registered(b)
		return b
	}
	held := func(b signal.Bucket) {
		t.Helper()
		used := map[string]bool{}
		for date, item := range w.items() {
			if got, want := item.Text("gsipk"), b.GSIPK(signal.Key{PK: camp.PK(), SK: date}); got != want {
				t.Errorf("%s is in %s, want %s", date, got, want)
			}
			used[item.Text("gsipk")] = true
		}
		if len(used) < min(b.Shards, 3) {
			t.Errorf("all are in %v", used)
		}
	}
	one := w.bucket("5min", 5)
	d, single := w.driver(rangeType, nil), w.driver(signalType, nil)
	holdErrors(t, d.Apply(exactRange(acctest.Config{"start_date": "2090-07-02"})))
	holdErrors(t, single.Apply(exactSignal(nil)))
	held(one)
	w.check(1, "1")
	w.check(2, "2")
	bits := map[string]string{}
	for date, item := range w.items() {
		bits[date] = item.Text("gsisk") + item.Text("value")
	}
	shards("5min", 16)
	holdPlan(t, d, exactRange(acctest.Config{"start_date": "2090-07-02"}), acctest.NoOp)
	holdPlan(t, single, exactSignal(nil), acctest.NoOp)
	many := shards("15min", 4)
	in15 := acctest.Config{"cadence_bucket": "15min"}
	holdErrors(t, d.Apply(exactRange(acctest.Config{"start_date": "2090-07-02", "cadence_bucket": "15min"})))
	holdErrors(t, single.Apply(exactSignal(in15)))
	held(many)
	shards("15min", 1)
	holdPlan(t, d, exactRange(acctest.Config{"start_date": "2090-07-02", "cadence_bucket": "15min"}), acctest.NoOp)
	holdPlan(t, single, exactSignal(in15), acctest.NoOp)
	for date, item := range w.items() {
		if got := item.Text("gsisk") + item.Text("value"); got != bits[date] {
			t.Errorf("%s was %s, is %s", date, bits[date], got)
		}
	}
}
