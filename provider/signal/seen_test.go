package signal_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What has been seen in other providers, by its number in the list of mistakes to
// have none of. Each test guards against that mistake in both resources.

// both makes a signal, and a range of others of its product.
func (w *world) both(settings, more acctest.Config) (single, season *acctest.Driver, one, many acctest.Config) {
	w.t.Helper()
	single, season = w.driver(signalType, settings), w.driver(rangeType, settings)
	one, many = exactSignal(more), exactRange(acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-05"})
	maps.Copy(many, more)
	holdErrors(w.t, single.Apply(one))
	holdErrors(w.t, season.Apply(many))
	return single, season, one, many
}

// with is a configuration with other values.
func with(c acctest.Config, more acctest.Config) acctest.Config {
	all := maps.Clone(c)
	maps.Copy(all, more)
	return all
}

// 1. Item attributes owned by the application, wiped or shown as drift.
func TestSeen01_applicationsAttributesStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	single, season, one, many := w.both(nil, nil)
	want := map[int]signal.Item{}
	for day := 1; day <= 5; day++ {
		w.check(day, "37")
		w.change(day, signal.Item{"note": signal.S("ours"), "counts": signal.M(map[string]signal.Value{"seen": signal.N(3)}), "flag": signal.Bool(false)})
		want[day] = w.item(day)
	}
	holdPlan(t, single, one, acctest.NoOp)
	holdPlan(t, season, many, acctest.NoOp)
	in15 := acctest.Config{"cadence_bucket": "15min"}
	holdErrors(t, single.Apply(with(one, in15)))
	holdErrors(t, season.Apply(with(many, in15)))
	for day, item := range want {
		item["gsipk"], item["availabilityEstimationPattern"] = signal.S("cadenceBucket::15min"), w.item(day)["availabilityEstimationPattern"]
		if diff := cmp.Diff(item, w.item(day)); diff != "" {
			t.Errorf("%d (-want +got):\n%s", day, diff)
		}
	}
}

// 2. Attributes removed from the configuration, staying in the item.
func TestSeen02_whatIsRemovedGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	labelled := acctest.Config{"availability_estimation_pattern": pattern("tiered", acctest.Config{"id": "any", "label": "Any", "max_percentage": 1})}
	single, season, one, many := w.both(nil, labelled)
	tiers := func(day int) signal.Value {
		fields, _ := w.item(day)["availabilityEstimationPattern"].Fields()
		return fields["tiers"]
	}
	unlabelled := acctest.Config{"availability_estimation_pattern": pattern("tiered", tier("any", 1))}
	holdErrors(t, single.Apply(with(one, unlabelled)))
	holdErrors(t, season.Apply(with(many, unlabelled)))
	for _, day := range []int{1, 2, 5} {
		want := signal.L(signal.M(map[string]signal.Value{"id": signal.S("any"), "maxPercentage": signal.N(1)}))
		if !tiers(day).Equal(want) {
			t.Errorf("%d has the tiers %v", day, tiers(day))
		}
	}
	exact := acctest.Config{"availability_estimation_pattern": pattern("exact")}
	holdErrors(t, single.Apply(with(one, exact)))
	holdErrors(t, season.Apply(with(many, exact)))
	for _, day := range []int{1, 2, 5} {
		if tiers(day).Exists() {
			t.Errorf("%d still has the tiers %v", day, tiers(day))
		}
	}
	holdErrors(t, single.Apply(with(one, acctest.Config{"expiry": "2090-07-20T00:00:00Z"})))
	holdErrors(t, single.Apply(one))
	if got := w.item(1).Text("expiry"); got != "2090-07-02T07:00:00.000Z" {
		t.Errorf("it still expires at %s", got)
	}
}

// 3. A create that reports an error though the item was written; the second apply
// then fails for ever.
func TestSeen03_aLostAnswerIsNoDeadEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	settings := through(proxy)
	settings["max_retries"] = 0
	single, season := w.driver(signalType, settings), w.driver(rangeType, settings)
	proxy.Set(
		acctest.Fault{Operation: "PutItem", Effect: acctest.LoseAnswer()},
		acctest.Fault{Operation: "BatchExecuteStatement", Effect: acctest.LoseAnswer()},
	)
	one, many := exactSignal(nil), exactRange(acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-05"})
	holdErrors(t, single.Apply(one))
	holdErrors(t, season.Apply(many))
	before := w.items()
	proxy.Set()
	holdErrors(t, single.Apply(one))
	holdErrors(t, season.Apply(many))
	if diff := cmp.Diff(before, w.items()); diff != "" || len(before) != 5 || single.Tainted() || season.Tainted() {
		t.Errorf("the second apply has changed it, or there was not all of it:\n%s", diff)
	}
}

// 4. Composite keys: "already exists" for another sort key, and ids that break when
// a value contains the separator.
func TestSeen04_compositeKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	parts := []string{"a/b", "a|b", "a,b", "a:b", "a%2Fb", "a b", "ä", "#?&=+", ".", "2090-07-01"}
	for i, part := range parts {
		keys := acctest.Config{"collection_id": part, "activity_type": parts[(i+1)%len(parts)], "activity_id": part, "product_id": parts[(i+3)%len(parts)]}
		single, season, one, many := w.both(nil, keys)
		// Another date of the same product is another signal.
		other := w.driver(signalType, nil)
		holdErrors(t, other.Apply(with(one, acctest.Config{"date": "2090-07-06"})))
		for _, d := range []struct {
			driver *acctest.Driver
			config acctest.Config
		}{{single, one}, {season, many}} {
			before, identity := d.driver.State(), d.driver.Identity()
			id := joined(identity, d.config)
			d.driver.Forget()
			holdErrors(t, d.driver.Import(id))
			if diff := cmp.Diff(before, d.driver.State()); diff != "" {
				t.Errorf("%s (-before +imported):\n%s", id, diff)
			}
			if diff := cmp.Diff(identity, d.driver.Identity()); diff != "" {
				t.Errorf("%s (-before +imported):\n%s", id, diff)
			}
		}
		holdErrors(t, other.Destroy())
		holdErrors(t, season.Destroy())
		holdErrors(t, single.Destroy())
	}
}

// joined is an import id as somebody writes it by the documentation.
func joined(identity, config acctest.Config) string {
	id := escaped(identity["table_name"])
	for _, name := range []string{"collection_id", "activity_type", "activity_id", "product_id"} {
		id += "/" + escaped(config[name])
	}
	if last, ok := identity["date"]; ok {
		return id + "/" + escaped(last)
	}
	return id + "/" + escaped(identity["range_id"])
}

// escaped escapes all but letters, digits and hyphens.
func escaped(part any) string {
	text := ""
	for _, b := range []byte(fmt.Sprint(part)) {
		if regexp.MustCompile(`[A-Za-z0-9-]`).Match([]byte{b}) {
			text += string(rune(b))
			continue
		}
		text += fmt.Sprintf("%%%02X", b)
	}
	return text
}

// 5. A key change done as an update in place.
func TestSeen05_aKeyChangeReplaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := newWorld(t)
	single, season, one, many := w.both(nil, nil)
	for name, value := range map[string]any{
		"collection_id": "x", "activity_type": "x", "activity_id": "x", "product_id": "x", "table_name": other.table,
	} {
		holdPlan(t, single, with(one, acctest.Config{name: value}), acctest.Replace)
		holdPlan(t, season, with(many, acctest.Config{name: value}), acctest.Replace)
	}
	holdPlan(t, single, with(one, acctest.Config{"date": "2090-07-09"}), acctest.Replace)
	// What was is gone, and what is to be is there.
	holdErrors(t, single.Apply(with(one, acctest.Config{"date": "2090-07-09"})))
	holdErrors(t, season.Apply(with(many, acctest.Config{"table_name": other.table})))
	if err := holdThere(w, "2090-07-09/2090-07-09"); err != nil {
		t.Error(err)
	}
	if err := holdThere(other, "2090-07-02/2090-07-05"); err != nil {
		t.Error(err)
	}
}

// 9. false, 0 and "" lost because they look unset.
func TestSeen09_zeroIsAValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	zero := acctest.Config{"initial_value": "0", "initial_state": "clean"}
	single, season, one, many := w.both(nil, zero)
	for _, day := range []int{1, 2, 5} {
		if item := w.item(day); item.Text("value") != "0" || item.Text("gsisk") != "clean" {
			t.Errorf("%d is %v", day, item)
		}
	}
	holdState(t, season, acctest.Config{"adopt_existing": false, "except_dates": []any{}, "needs_repair": []any{}})
	holdPlan(t, season, with(many, acctest.Config{"adopt_existing": false, "except_dates": []any{}}), acctest.NoOp)
	tiers := acctest.Config{"availability_estimation_pattern": pattern("tiered", tier("none left", 0), tier("some", 1)), "initial_value": nil}
	holdErrors(t, single.Apply(with(one, tiers)))
	holdErrors(t, season.Apply(with(many, tiers)))
	for _, day := range []int{1, 2, 5} {
		p, err := signal.ParsePattern(w.item(day)[signal.AttrPattern])
		if err != nil || len(p.Tiers) != 2 || p.Tiers[0].MaxPercentage.String() != "0" {
			t.Errorf("%d has the pattern %v, %v", day, p, err)
		}
	}
	holdPlan(t, single, with(one, tiers), acctest.NoOp)
	// An empty text is an error, not nothing.
	for _, name := range []string{"initial_value", "time_zone", "table_name", "cadence_bucket"} {
		if errs := single.Validate(with(one, acctest.Config{name: ""})); len(errs) != 1 {
			t.Errorf("%s = \"\": %q", name, errs)
		}
	}
}

// 11. A plan that is never empty.
func TestSeen11_otherWordsAreNoChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	same := acctest.Config{"availability_estimation_pattern": pattern("tiered", tier("few", 0.1), tier("some", 0.25), tier("all", 1))}
	single, season, one, many := w.both(nil, same)
	holdErrors(t, single.Apply(with(one, acctest.Config{"expiry": "2090-07-02T07:00:00Z"})))
	for _, expiry := range []string{"2090-07-02T00:00:00-07:00", "2090-07-02T07:00:00.000Z", "2090-07-02T07:00:00.0009Z", "2090-07-02T12:30:00+05:30"} {
		holdPlan(t, single, with(one, acctest.Config{"expiry": expiry}), acctest.NoOp)
	}
	holdErrors(t, season.Apply(with(many, acctest.Config{"except_dates": []any{"2090-07-03", "2090-07-04"}})))
	holdPlan(t, season, with(many, acctest.Config{"except_dates": []any{"2090-07-04", "2090-07-03"}}), acctest.NoOp)
	// As DynamoDB may give it back, or another tool has written it.
	for day := 1; day <= 2; day++ {
		fields, _ := w.item(day)["availabilityEstimationPattern"].Fields()
		again := maps.Clone(fields)
		elements, _ := fields["tiers"].Elements()
		first, _ := elements[0].Fields()
		first = maps.Clone(first)
		first["maxPercentage"], first["note"] = signal.Decimal("0.10"), signal.S("the platform's")
		elements = slices.Clone(elements)
		elements[0] = signal.M(first)
		again["tiers"], again["cadence"] = signal.L(elements...), signal.S("5min")
		w.change(day, signal.Item{"availabilityEstimationPattern": signal.M(again)})
	}
	holdPlan(t, single, one, acctest.NoOp)
	holdPlan(t, season, with(many, acctest.Config{"except_dates": []any{"2090-07-03", "2090-07-04"}}), acctest.NoOp)
}

// 12. Values that become unknown on every update, dragging all that depends on them.
func TestSeen12_updatesLeaveValuesKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	single, season, one, many := w.both(nil, nil)
	w.change(1, signal.Item{"ttl": {}})
	w.change(2, signal.Item{"ttl": {}, "gsipk": signal.S("cadenceBucket::15min")})
	w.remove(3)
	for _, more := range []acctest.Config{
		{}, {"cadence_bucket": "15min"}, {"availability_estimation_pattern": pattern("tiered")}, {"time_zone": "UTC"}, {"initial_value": "3"}, {"initial_state": "dirty"},
	} {
		for d, c := range map[*acctest.Driver]acctest.Config{single: with(one, more), season: with(many, more)} {
			action, planned, errs := d.Plan(c)
			holdErrors(t, errs)
			if action != acctest.Update {
				t.Errorf("%v: the plan is to %s", more, action)
			}
			for name, value := range planned {
				if value == (acctest.Unknown{}) {
					t.Errorf("%v: %s becomes unknown", more, name)
				}
			}
		}
	}
}

// 13. Docs examples that do not apply: TestExamples applies and imports them. Those
// that an older Terraform cannot parse are read here.
func TestSeen13_newerExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	assigned := regexp.MustCompile(`(?m)^\s*([a-z_]+)\s*=\s*"([^"]*)"`)
	read := func(file string) acctest.Config {
		content, err := os.ReadFile("../../examples/" + file)
		if err != nil {
			t.Fatal(err)
		}
		c := acctest.Config{}
		for _, m := range assigned.FindAllStringSubmatch(string(content), -1) {
			c[m[1]] = m[2]
		}
		return c
	}
	single, season := w.driver(signalType, nil), w.driver(rangeType, nil)
	of := func(identity acctest.Config, more acctest.Config) acctest.Config {
		c := exactSignal(nil)
		delete(c, "date")
		for name := range identity {
			if name != "table_name" && name != "range_id" {
				c[name] = identity[name]
			}
		}
		maps.Copy(c, more)
		return c
	}
	// The examples' dates have passed by the time that these tests live in.
	w.clock.set(june.AddDate(-63, 0, 0))
	w.keepExpired()
	identity := read("resources/availability_signal/import-by-identity.tf")
	holdErrors(t, single.Apply(of(identity, nil)))
	identity["table_name"] = w.table
	single.Forget()
	holdErrors(t, single.ImportIdentity(identity))
	identity = read("resources/availability_signal_range/import-by-identity.tf")
	season2027 := of(identity, acctest.Config{"start_date": "2027-07-02", "end_date": "2027-07-04"})
	holdErrors(t, season.Apply(season2027))
	identity["table_name"], identity["range_id"] = w.table, text(season, "range_id")
	season.Forget()
	holdErrors(t, season.ImportIdentity(identity))
	holdPlan(t, season, season2027, acctest.NoOp)
	block := read("list-resources/availability_signal/list-resource.tfquery.hcl")
	block["table_name"] = w.table
	results, errs := w.server(nil).List(signalType, block, true, 0)
	holdErrors(t, errs)
	if len(results) != 1 || len(results[0].Errors) > 0 {
		t.Errorf("the list is %v", results)
	}
}

// 14. Identity missing after an update, or after -refresh=false.
func TestSeen14_identityIsAlwaysThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	single, season, one, many := w.both(nil, nil)
	for d, c := range map[*acctest.Driver]acctest.Config{single: one, season: many} {
		want := d.Identity()
		if len(want) != 6 {
			t.Errorf("the identity is %v", want)
		}
		for _, bucket := range []string{"15min", "5min"} {
			// A state from before there were identities has none.
			d.ForgetIdentity()
			holdErrors(t, d.ApplyUnrefreshed(with(c, acctest.Config{"cadence_bucket": bucket})))
			holdIdentity(t, d, "an update without a refresh", want)
			holdErrors(t, d.ApplyUnrefreshed(with(c, acctest.Config{"cadence_bucket": bucket, "initial_state": "dirty"})))
			holdIdentity(t, d, "an update that calls nothing", want)
			holdErrors(t, d.Apply(with(c, acctest.Config{"cadence_bucket": bucket})))
			holdIdentity(t, d, "an update", want)
		}
	}
}

// 15. Anything that panics on null, empty or unknown.
func TestSeen15_nothingPanics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	single, season, one, many := w.both(nil, nil)
	one["expiry"], many["except_dates"] = "2090-07-20T00:00:00Z", []any{"2090-07-03"}
	for _, c := range []acctest.Config{one, many} {
		c["availability_estimation_pattern"] = pattern("tiered", acctest.Config{"id": "any", "label": "Any", "max_percentage": 1})
		c["time_zone"], c["initial_value"], c["initial_state"], c["table_name"] = "UTC", "any", "dirty", w.table
	}
	many["adopt_existing"], many["timeouts"] = true, acctest.Config{"create": "1m", "read": "1m", "update": "1m", "delete": "1m"}
	for typeName, c := range map[string]acctest.Config{signalType: one, rangeType: many} {
		existing := map[string]*acctest.Driver{signalType: single, rangeType: season}[typeName]
		for name, value := range c {
			for _, odd := range odds(value) {
				changed := with(c, acctest.Config{name: odd})
				fresh := w.driver(typeName, nil)
				if len(fresh.Validate(changed)) == 0 {
					// What it is planned as, other tests hold.
					_, _, _ = fresh.PlanUnrefreshed(changed)
					_, _, _ = existing.PlanUnrefreshed(changed)
				}
			}
		}
		// Nothing at all, and everything unknown.
		if errs := acctest.NewOfflineDriver(t, typeName).Validate(acctest.Config{}); len(errs) > 0 {
			t.Logf("nothing: %q", errs)
		}
	}
}

// odds are values of a value's type that a configuration may have.
func odds(v any) []any {
	odd := []any{nil, acctest.Unknown{}}
	switch v := v.(type) {
	case string:
		odd = append(odd, "")
	case int:
		odd = append(odd, 0, -1)
	case []any:
		odd = append(odd, []any{})
		for _, element := range odds(v[0]) {
			odd = append(odd, []any{element}, []any{v[0], element})
		}
	case acctest.Config:
		for name, field := range v {
			for _, o := range odds(field) {
				odd = append(odd, with(v, acctest.Config{name: o}))
			}
		}
	}
	return odd
}
