package signal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestRange_validation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		more acctest.Config
		want []string
	}{
		{"as it should be", nil, nil},
		{"one date", acctest.Config{"end_date": "2090-07-01"}, nil},
		{"the wrong way round", acctest.Config{"end_date": "2090-06-30"}, []string{"end_date: Invalid signal: The range ends on 2090-06-30, before it begins on 2090-07-01."}},
		{"no date", acctest.Config{"start_date": "July"}, []string{`start_date: Invalid signal: Invalid date "July": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`}},
		{"an unknown date", acctest.Config{"start_date": acctest.Unknown{}, "end_date": "2000-01-01"}, nil},
		{"a part", acctest.Config{"product_id": ":"}, []string{`product_id: Invalid signal: The key part ":" must not begin or end with ":", which would run into the separator "::".`}},
		{"a value of no count", acctest.Config{"initial_value": "high"}, []string{`initial_value: Invalid signal: Initial value "high": with the mode exact a value is a whole number such as 37, or none.`}},
		{"no time to seed in", acctest.Config{"timeouts": acctest.Config{"create": "0s"}}, []string{`timeouts.create: Invalid signal: The timeout "0s" leaves no time to create the range. Leave it out for 30m, or give a duration such as 45m.`}},
		{"less than no time", acctest.Config{"timeouts": acctest.Config{"delete": "-1m"}}, []string{`timeouts.delete: Invalid signal: The timeout "-1m" leaves no time to delete the range. Leave it out for 30m, or give a duration such as 45m.`}},
		{"times", acctest.Config{"timeouts": acctest.Config{"create": "1s", "read": acctest.Unknown{}}}, nil},
		{"all unknown", acctest.Config{
			"collection_id": acctest.Unknown{}, "start_date": acctest.Unknown{}, "end_date": acctest.Unknown{}, "timeouts": acctest.Unknown{},
			"availability_estimation_pattern": acctest.Unknown{}, "table_name": acctest.Unknown{}, "time_zone": acctest.Unknown{},
		}, nil},
	}
	d := acctest.NewDriver(t, rangeType, acctest.Config{"region": "ca-central-1"})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { holdErrors(t, d.Validate(exactRange(tt.more)), tt.want...) })
	}
	d.Validate(acctest.Config{})
	if errs := d.Validate(exactRange(acctest.Config{"timeouts": acctest.Config{"create": "soon"}})); len(errs) != 1 || !strings.HasPrefix(errs[0], "timeouts.create: ") {
		t.Errorf("a timeout that is none: %q", errs)
	}
}

func TestRange_unknownAtPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	unknown := acctest.Unknown{}
	tests := []struct {
		name string
		more acctest.Config
		want acctest.Config
	}{
		{"nothing", nil, acctest.Config{"dates": 31, "table_name": w.table}},
		{"start", acctest.Config{"start_date": unknown}, acctest.Config{"dates": unknown}},
		{"end", acctest.Config{"end_date": unknown}, acctest.Config{"dates": unknown}},
		{"zone", acctest.Config{"time_zone": unknown}, acctest.Config{"dates": 31}},
		{"table", acctest.Config{"table_name": unknown}, acctest.Config{"table_name": unknown}},
		{"pattern", acctest.Config{"availability_estimation_pattern": unknown}, acctest.Config{"availability_estimation_pattern": unknown}},
		{"product", acctest.Config{"product_id": unknown}, acctest.Config{"product_id": unknown}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := w.driver(rangeType, nil)
			action, planned, errs := d.Plan(exactRange(tt.more))
			holdErrors(t, errs)
			got := acctest.Config{}
			for name := range tt.want {
				got[name] = planned[name]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || action != acctest.Create || planned["missing_dates"] != any(unknown) {
				t.Errorf("to %s, missing %v (-want +planned):\n%s", action, planned["missing_dates"], diff)
			}
		})
	}
	// Once it is there, an unknown zone is no reason to do anything.
	d := w.driver(rangeType, nil)
	holdErrors(t, d.Apply(exactRange(nil)))
	id := w.table + "/mockPark1/backcountryCamp/1/1/" + text(d, "range_id")
	d = w.driver(rangeType, acctest.Config{"time_zone": unknown, "table_name": unknown})
	holdErrors(t, d.Import(id))
	holdPlan(t, d, exactRange(nil), acctest.NoOp)
}

func TestRange_eachAttributeChanges(t *testing.T) {
	t.Parallel()
	type config = acctest.Config
	tests := []struct {
		name                    string
		after                   config
		action                  acctest.Action
		seeds, changes, deletes int
		there                   string
		dirty                   int
	}{
		{"nothing", nil, acctest.NoOp, 0, 0, 0, "2090-07-01/2090-07-31", 0},
		{"bucket", config{"cadence_bucket": "15min"}, acctest.Update, 0, 31, 0, "2090-07-01/2090-07-31", 0},
		{"pattern", config{"availability_estimation_pattern": pattern("tiered")}, acctest.Update, 0, 31, 0, "2090-07-01/2090-07-31", 31},
		{"zone", config{"time_zone": "UTC"}, acctest.Update, 0, 31, 0, "2090-07-01/2090-07-31", 0},
		{"zone by another name", config{"time_zone": "Canada/Pacific"}, acctest.Update, 0, 0, 0, "2090-07-01/2090-07-31", 0},
		{"initial value", config{"initial_value": "3"}, acctest.Update, 0, 0, 0, "2090-07-01/2090-07-31", 0},
		{"initial state", config{"initial_state": "dirty"}, acctest.Update, 0, 0, 0, "2090-07-01/2090-07-31", 0},
		{"timeouts", config{"timeouts": config{"update": "1m"}}, acctest.Update, 0, 0, 0, "2090-07-01/2090-07-31", 0},
		{"later start", config{"start_date": "2090-07-30"}, acctest.Update, 0, 0, 2, "2090-07-30/2090-07-31", 0},
		{"earlier start", config{"start_date": "2090-06-01", "initial_state": "dirty"}, acctest.Update, 2, 0, 0, "2090-06-01/2090-07-31", 30},
		{"later end", config{"end_date": "2090-08-01"}, acctest.Update, 1, 0, 0, "2090-07-01/2090-08-01", 0},
		{"other dates", config{"start_date": "2090-08-01", "end_date": "2090-08-02"}, acctest.Update, 1, 0, 2, "2090-08-01/2090-08-02", 0},
		{"all at once", config{"start_date": "2090-07-11", "end_date": "2090-08-10", "cadence_bucket": "15min", "availability_estimation_pattern": pattern("tiered")}, acctest.Update, 1, 21, 1, "2090-07-11/2090-08-10", 21},
		{"collection", config{"collection_id": "x"}, acctest.Replace, 0, 0, 0, "", 0},
		{"type", config{"activity_type": "x"}, acctest.Replace, 0, 0, 0, "", 0},
		{"activity", config{"activity_id": "x"}, acctest.Replace, 0, 0, 0, "", 0},
		{"product", config{"product_id": "x"}, acctest.Replace, 0, 0, 0, "", 0},
		{"table", config{"table_name": "another-table"}, acctest.Replace, 0, 0, 0, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			proxy := acctest.NewFaultProxy(t)
			d := w.driver(rangeType, through(proxy))
			holdErrors(t, d.Apply(exactRange(nil)))
			before, id := w.items(), text(d, "range_id")
			holdPlan(t, d, exactRange(nil), acctest.NoOp)
			holdPlan(t, d, exactRange(tt.after), tt.action)
			if tt.action == acctest.Replace {
				return
			}
			proxy.Set()
			holdErrors(t, d.Apply(exactRange(tt.after)))
			if changes, batches := calls(proxy, "UpdateItem"), calls(proxy, "BatchExecuteStatement"); changes != tt.changes || batches != tt.seeds+tt.deletes || calls(proxy, "PutItem")+calls(proxy, "DeleteItem") != 0 {
				t.Errorf("calls: %v, want %d UpdateItem and %d BatchExecuteStatement", proxy.Calls(), tt.changes, tt.seeds+tt.deletes)
			}
			if err := holdThere(w, tt.there); err != nil {
				t.Error(err)
			}
			dirty := 0
			for date, item := range w.items() {
				if item.Text("gsisk") == "dirty" {
					dirty++
				}
				if was, ok := before[date]; ok && tt.changes == 0 && !cmp.Equal(was, item) {
					t.Errorf("%s was touched", date)
				}
			}
			if dirty != tt.dirty {
				t.Errorf("%d are dirty, want %d", dirty, tt.dirty)
			}
			if text(d, "range_id") != id {
				t.Error("range_id has changed")
			}
			holdPlan(t, d, exactRange(tt.after), acctest.NoOp)
			holdErrors(t, d.Destroy())
			if err := holdThere(w, ""); err != nil {
				t.Error(err)
			}
		})
	}
}

// Dates that are gone show as intervals and are filled in again, dirty.
func TestRange_missingDatesHeal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(rangeType, nil)
	c := exactRange(acctest.Config{"end_date": "2090-12-31", "initial_value": "4", "initial_state": "clean"})
	holdErrors(t, d.Apply(c))
	for _, day := range []int{1, 4, 5, 6, 184} {
		w.remove(day)
	}
	action, planned, errs := d.Plan(c)
	holdErrors(t, errs)
	holdState(t, d, acctest.Config{"missing_dates": []any{"2090-07-01/2090-07-01", "2090-07-04/2090-07-06", "2090-12-31/2090-12-31"}, "dates": 184})
	if action != acctest.Update || !cmp.Equal(planned["missing_dates"], any([]any{})) {
		t.Errorf("the plan is to %s, missing %v", action, planned["missing_dates"])
	}
	holdErrors(t, d.Apply(c))
	holdPlan(t, d, c, acctest.NoOp)
	for date, item := range w.items() {
		filled := slices.Contains([]string{"2090-07-01", "2090-07-04", "2090-07-05", "2090-07-06", "2090-12-31"}, date)
		if (item.Text("gsisk") == "dirty") != filled || item["value"].Exists() == filled {
			t.Errorf("%s is %v", date, item)
		}
	}
	// However many are missing, the state stays small.
	for day := 1; day <= 184; day += 2 {
		w.remove(day)
	}
	holdErrors(t, d.Refresh())
	missing, _ := d.State()["missing_dates"].([]any)
	if len(missing) != 51 || missing[49] != "2090-10-07/2090-10-07" || missing[50] != "and 42 more" {
		t.Errorf("missing %v", missing)
	}
	holdErrors(t, d.Apply(c))
	// All of it is gone: still in place, since others may depend on it.
	for day := 1; day <= 184; day++ {
		w.remove(day)
	}
	holdPlan(t, d, c, acctest.Update)
	holdState(t, d, acctest.Config{"missing_dates": []any{"2090-07-01/2090-12-31"}})
	holdErrors(t, d.Apply(c))
	if err := holdThere(w, "2090-07-01/2090-12-31"); err != nil {
		t.Error(err)
	}
}

func TestRange_othersDates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for day := 1; day <= 24; day += 2 {
		w.put(another(day))
	}
	w.put(signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("2090-07-02"), "schema": signal.S("note")})
	before := w.items()
	d := w.driver(rangeType, nil)
	held := []string{
		`2090-07-01 has signal another-seeding, seeded by "stream"`,
		`2090-07-02 has an item of schema "note"`,
	}
	for day := 3; day <= 17; day += 2 {
		held = append(held, fmt.Sprintf(`%s has signal another-seeding, seeded by "stream"`, july(day)))
	}
	holdErrors(t, d.Apply(exactRange(nil)), fmt.Sprintf(`start_date: Unable to create signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-31": Table %[1]q already has items on 13 of its dates: %[2]s; and 3 more.

Nothing was touched, and the range is not in the state.

Set adopt_existing = true to make those the range's own that have no owner or are the stream's; leave the other dates out by except_dates, or have their owners give them up.`, w.table, strings.Join(held, "; ")))
	if d.State() != nil || !cmp.Equal(before, w.items()) {
		t.Error("something was written")
	}
	// Extending over others' dates touches nothing either.
	holdErrors(t, d.Apply(exactRange(acctest.Config{"start_date": "2090-07-24"})))
	before = w.items()
	holdErrors(t, d.Apply(exactRange(acctest.Config{"start_date": "2090-07-22", "cadence_bucket": "15min"})), fmt.Sprintf(`Unable to update signal range "mockPark1/backcountryCamp/1/1 2090-07-22/2090-07-31": Table %q already has items on one of its dates: 2090-07-23 has signal another-seeding, seeded by "stream".

Nothing has been changed, and the state is as it was.

Set adopt_existing = true to make them the range's own, or leave these dates out by except_dates.`, w.table))
	if !cmp.Equal(before, w.items()) {
		t.Error("something was written")
	}
	holdState(t, d, acctest.Config{"start_date": "2090-07-24", "cadence_bucket": "5min"})
	// A date inside is another's now: all else is done.
	w.put(another(30))
	holdErrors(t, d.Apply(exactRange(acctest.Config{"start_date": "2090-07-24", "cadence_bucket": "15min"})), fmt.Sprintf(`Unable to update signal range "mockPark1/backcountryCamp/1/1 2090-07-24/2090-07-31": Table %q already has items on one of its dates: 2090-07-30 has signal another-seeding, seeded by "stream".

One date is missing: 2090-07-30/2090-07-30. All else has been done.

Set adopt_existing = true to make them the range's own, or leave these dates out by except_dates.`, w.table))
	holdState(t, d, acctest.Config{"missing_dates": []any{"2090-07-30/2090-07-30"}, "cadence_bucket": "15min"})
	if !cmp.Equal(another(30), w.item(30)) || w.item(29).Text("gsipk") != "cadenceBucket::15min" {
		t.Errorf("there is %v and %v", w.item(29), w.item(30))
	}
	holdErrors(t, d.Destroy())
	if err := holdThere(w, "2090-07-01/2090-07-03 2090-07-05/2090-07-05 2090-07-07/2090-07-07 2090-07-09/2090-07-09 2090-07-11/2090-07-11 2090-07-13/2090-07-13 2090-07-15/2090-07-15 2090-07-17/2090-07-17 2090-07-19/2090-07-19 2090-07-21/2090-07-21 2090-07-23/2090-07-23 2090-07-30/2090-07-30"); err != nil {
		t.Error(err)
	}
}

func TestRange_saysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	settings := through(proxy)
	settings["max_retries"] = 0
	d := w.driver(rangeType, settings)
	const name = `signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-31": `
	holdErrors(t, d.Apply(exactRange(acctest.Config{"cadence_bucket": "7min"})), `cadence_bucket: Unable to create `+name+fmt.Sprintf(`Table %q has no cadence bucket "7min", so nothing would ever check it.

Nothing has been seeded, and it is not in the state.

Refer to the bucket's resource, as in cadence_bucket = availability_cadence_bucket.<NAME>.name, instead of writing its name: then Terraform makes the bucket first. Or correct the name.`, w.table))
	denied := acctest.Fail(400, "AccessDeniedException", "User is not authorized to perform: dynamodb:PartiQLInsert")
	proxy.Set(acctest.Fault{Operation: "BatchExecuteStatement", Effect: denied})
	const who = "\n\nAllow them the action that AWS names, or have the provider use others.\n\nDynamoDB answered BatchExecuteStatement with AccessDeniedException: User is not authorized to perform: dynamodb:PartiQLInsert (request id injected)"
	not := fmt.Sprintf("The credentials are not allowed to do this with table %q.", w.table)
	holdErrors(t, d.Apply(exactRange(nil)), "Unable to create "+name+not+"\n\nNothing has been seeded, and it is not in the state."+who)
	// Some of the dates: a warning, and a state that says which are missing.
	answer := fmt.Sprintf(`{"Responses":[%s]}`, strings.Repeat(`{"Error":{"Code":"AccessDenied","Message":"no"}},`, 5)+`{"Error":{"Code":"AccessDenied","Message":"no"}}`)
	proxy.Set(acctest.Fault{Operation: "BatchExecuteStatement", Call: 2, Effect: acctest.Reply(answer)})
	one := exactRange(acctest.Config{"end_date": "2090-07-31"})
	holdErrors(t, d.Apply(one))
	got := d.Warnings()
	missing, _ := d.State()["missing_dates"].([]any)
	if len(missing) != 1 || d.Tainted() || len(got) != 1 {
		t.Fatalf("missing %v, tainted: %t, warnings %q", missing, d.Tainted(), got)
	}
	dates := 6
	if missing[0] == "2090-07-01/2090-07-25" {
		dates = 25
	}
	if want := "Unable to seed all dates of " + name + not + fmt.Sprintf("\n\n%d dates are missing: %s. The others are seeded, and the range is in the state.", dates, missing[0]) +
		"\n\nAllow them the action that AWS names, or have the provider use others.\n\nDynamoDB answered BatchExecuteStatement with AccessDenied: no (request id injected)"; dates == 6 && got[0] != want {
		t.Errorf("warning (-want +got):\n%s", cmp.Diff(want, got[0]))
	}
	proxy.Set()
	holdPlan(t, d, one, acctest.Update)
	holdErrors(t, d.Apply(one))
	holdState(t, d, acctest.Config{"missing_dates": []any{}})
	// An update that fails half-way.
	proxy.Set(acctest.Fault{Operation: "UpdateItem", Call: 9, Effect: acctest.Fail(400, "AccessDeniedException", "no")})
	holdErrors(t, d.Apply(exactRange(acctest.Config{"cadence_bucket": "15min"})), "Unable to update "+name+not+
		"\n\nPart of the change may have been made: the next plan shows what is left to do.\n\nAllow them the action that AWS names, or have the provider use others.\n\nDynamoDB answered UpdateItem with AccessDeniedException: no (request id injected)")
	holdState(t, d, acctest.Config{"cadence_bucket": "5min", "missing_dates": []any{}})
	proxy.Set(acctest.Fault{Operation: "Query", Effect: acctest.Throttled()})
	slow := fmt.Sprintf("Table %q is throttled: it had no capacity left, however often the request was repeated.", w.table)
	const wait = "\n\nRaise the table's capacity or wait for the load to pass, then run terraform apply again."
	const rate = "\n\nDynamoDB answered Query with ThrottlingException: Rate exceeded (request id injected)"
	holdErrors(t, d.Refresh(), "Unable to read "+name+slow+"\n\nThe state is as it was."+wait+rate)
	proxy.Set(acctest.Fault{Operation: "Query", Call: 2, Effect: acctest.Throttled()})
	holdErrors(t, d.Destroy(), "Unable to destroy "+name+slow+"\n\nIt stays in the state, though part of it may be gone."+wait+" The next destroy does the rest."+rate)
	proxy.Set()
	holdErrors(t, d.Destroy())
}

func TestOwn05_rangeImports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(rangeType, nil)
	c := exactRange(acctest.Config{"availability_estimation_pattern": pattern("tiered")})
	holdErrors(t, d.Apply(c))
	seeded, id := d.State(), w.table+"/mockPark1/backcountryCamp/1/1/"+text(d, "range_id")
	d.Forget()
	holdErrors(t, d.Import(id))
	if diff := cmp.Diff(seeded, d.State()); diff != "" {
		t.Errorf("state (-seeded +imported):\n%s", diff)
	}
	holdPlan(t, d, c, acctest.NoOp)
	w.remove(7)
	d.Forget()
	holdErrors(t, d.Import(id))
	// What is not there, the range has not.
	holdState(t, d, acctest.Config{"missing_dates": []any{}, "except_dates": []any{"2090-07-07"}, "dates": 30})
	holdPlan(t, d, c, acctest.Update)
	holdErrors(t, d.Apply(c))
	// What cannot be read back is an update that writes nothing.
	proxy := acctest.NewFaultProxy(t)
	d = w.driver(rangeType, through(proxy))
	holdErrors(t, d.Import(id))
	c["time_zone"], c["initial_state"], c["timeouts"] = "America/Vancouver", "dirty", acctest.Config{"create": "1h"}
	holdPlan(t, d, c, acctest.Update)
	proxy.Set()
	holdErrors(t, d.Apply(c))
	if diff := cmp.Diff([]string{"Query"}, proxy.Calls()); diff != "" {
		t.Errorf("calls, beside the refresh (-want +got):\n%s", diff)
	}
	holdPlan(t, d, c, acctest.NoOp)

	const form = "\n\nGive the id as <table_name>/<collection_id>/<activity_type>/<activity_id>/<product_id>/<range_id>, each part percent-escaped, such as reservations/mockPark1/backcountryCamp/1/1/c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b."
	other := w.driver(rangeType, nil)
	holdErrors(t, other.Import(strings.TrimSuffix(id, text(d, "range_id"))+"00000000-0000-4000-8000-000000000000"), "Cannot import non-existent remote object")
	holdErrors(t, other.Import("a/b"), `Unable to import signal range "a/b": The id has 2 parts, not 6; a slash inside a part is written %2F.`+form)
	holdErrors(t, other.Import("tab/a/b/c/d/"), `Unable to import signal range "tab/a/b/c/d/": Range_id "": expected the part after terraform: of the seededBy of the range's signals, which is a UUID.`+form)
}

// Dates that have expired are not seeded, not missing and not asked for.
func TestRange_expires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.set(time.Date(2090, 7, 10, 12, 0, 0, 0, time.UTC))
	proxy := acctest.NewFaultProxy(t)
	d := w.driver(rangeType, through(proxy))
	holdErrors(t, d.Apply(exactRange(nil)))
	holdState(t, d, acctest.Config{"missing_dates": []any{}, "dates": 31, "start_date": "2090-07-01"})
	if err := holdThere(w, "2090-07-10/2090-07-31"); err != nil {
		t.Error(err)
	}
	holdPlan(t, d, exactRange(nil), acctest.NoOp)
	w.clock.set(time.Date(2090, 7, 20, 6, 59, 59, 0, time.UTC))
	w.remove(18)
	w.remove(19)
	holdPlan(t, d, exactRange(nil), acctest.Update)
	holdState(t, d, acctest.Config{"missing_dates": []any{"2090-07-19/2090-07-19"}})
	// It expires before the apply: nothing is made, and nothing is missing.
	w.clock.set(time.Date(2090, 7, 20, 7, 0, 0, 0, time.UTC))
	holdErrors(t, d.Apply(exactRange(acctest.Config{"cadence_bucket": "15min"})))
	holdState(t, d, acctest.Config{"missing_dates": []any{}})
	if w.item(18) != nil || w.item(19) != nil || w.item(17).Text("gsipk") != "cadenceBucket::5min" || w.item(20).Text("gsipk") != "cadenceBucket::15min" {
		t.Error("the past was touched, or the present was not")
	}
	// All of it has passed.
	w.clock.set(time.Date(2090, 8, 1, 7, 0, 0, 0, time.UTC))
	proxy.Set()
	holdPlan(t, d, exactRange(acctest.Config{"cadence_bucket": "15min"}), acctest.NoOp)
	if got := proxy.Calls(); got != nil {
		t.Errorf("the past is asked for: %v", got)
	}
	holdErrors(t, d.Destroy())
	if err := holdThere(w, ""); err != nil {
		t.Error(err)
	}
	d.Warnings()
	holdErrors(t, d.Apply(exactRange(nil)))
	const empty = `end_date: Nothing to seed for signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-31": All of its dates have expired or are excepted, so that the range has no signals. Correct its dates, or remove it from the configuration.`
	if diff := cmp.Diff([]string{empty, empty}, d.Warnings()); diff != "" {
		t.Errorf("warnings of plan and apply (-want +got):\n%s", diff)
	}
	holdState(t, d, acctest.Config{"missing_dates": []any{}, "dates": 31})
	holdPlan(t, d, exactRange(nil), acctest.NoOp)
	if got := d.Warnings(); got != nil {
		t.Errorf("warned again: %q", got)
	}
}

// Each call of each operation fails in each way. Whatever comes of it, nothing is
// tainted, and the next apply converges without a second seeding of what was live.
func TestOwn01_rangeEveryCallFails(t *testing.T) {
	t.Parallel()
	effects := effects()
	ofEntries := map[string]bool{}
	for what, fail := range map[string]func(code, message string) acctest.Effect{"an entry": acctest.FailEntry, "all entries": acctest.FailEntries} {
		for how, code := range map[string]string{"failed": "InternalServerError", "throttled": "ThrottlingError", "denied": "AccessDenied"} {
			name := how + ", " + what
			effects[name] = func(context.CancelFunc) acctest.Effect { return fail(code, "out of order") }
			ofEntries[name] = true
		}
	}
	for name, effect := range effects {
		for _, call := range []string{"GetItem", "Query", "BatchExecuteStatement", "UpdateItem", "retried BatchExecuteStatement", ""} {
			for _, nth := range []int{1, 2, 0} {
				if nth != 0 && call == "" || nth != 1 && call == "GetItem" {
					continue
				}
				if ofEntries[name] && call != "BatchExecuteStatement" {
					continue
				}
				t.Run(fmt.Sprintf("%s %d, %s", call, nth, name), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					// A range is patient for longer than a test.
					w.hasty = true
					proxy := acctest.NewFaultProxy(t)
					settings := through(proxy)
					operation, retried := strings.CutPrefix(call, "retried ")
					if !retried {
						settings["max_retries"] = 0
					}
					d := w.driver(rangeType, settings)
					first := exactRange(acctest.Config{"end_date": "2090-07-30"})
					second := exactRange(acctest.Config{"start_date": "2090-07-16", "end_date": "2090-08-14", "cadence_bucket": "15min"})
					steps := []struct {
						name  string
						do    func(context.Context) []string
						there string
					}{
						{"create", func(ctx context.Context) []string { return d.ApplyContext(ctx, first) }, "2090-07-01/2090-07-30"},
						{"read", func(context.Context) []string { return d.Refresh() }, "2090-07-01/2090-07-30"},
						{"update", func(ctx context.Context) []string { return d.ApplyContext(ctx, second) }, "2090-07-16/2090-08-14"},
						{"destroy", d.DestroyContext, ""},
					}
					for _, step := range steps {
						was := d.State()
						ctx, cancel := context.WithCancel(t.Context())
						proxy.Set(acctest.Fault{Operation: operation, Call: nth, Effect: effect(cancel)})
						errs := step.do(ctx)
						cancel()
						if diff := cmp.Diff(was, d.State()); step.name == "read" && diff != "" {
							t.Errorf("a read changes the state (-was +is):\n%s", diff)
						}
						if d.Tainted() {
							t.Errorf("%s taints: %q", step.name, errs)
						}
						if len(errs) == 0 && step.name != "create" && w.there() != step.there {
							t.Errorf("%s succeeds, but there is %s", step.name, w.there())
						}
						after := w.items()
						if step.name == "create" && d.State() == nil && len(after) > 0 {
							t.Errorf("create has left %s: %q", w.there(), errs)
						}
						proxy.Set()
						holdErrors(t, step.do(t.Context()))
						if err := holdThere(w, step.there); err != nil {
							t.Errorf("after the repeat of %s %v", step.name, err)
						}
						for date, item := range w.items() {
							if was, ok := after[date]; ok && was.Text("globalId") != item.Text("globalId") {
								t.Errorf("the repeat of %s has seeded %s anew", step.name, date)
							}
						}
						if step.name == "update" {
							for date, item := range w.items() {
								if item.Text("gsipk") != "cadenceBucket::15min" {
									t.Errorf("%s is in %s", date, item.Text("gsipk"))
								}
							}
						}
					}
				})
			}
		}
	}
}

// Who interrupts a creation keeps what is done: the state knows all of it.
func TestOwn06_rangeIsInterruptedAndTimesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := w.driver(rangeType, through(proxy))
	c := exactRange(acctest.Config{"end_date": "2091-06-30"})
	ctx, interrupt := context.WithCancel(t.Context())
	proxy.Set(acctest.Fault{Operation: "BatchExecuteStatement", Call: 3, Effect: acctest.Before(interrupt)})
	holdErrors(t, d.ApplyContext(ctx, c))
	seeded := len(w.items())
	if seeded == 0 || seeded >= 365 || d.Tainted() {
		t.Errorf("%d are seeded, tainted: %t", seeded, d.Tainted())
	}
	if got := d.Warnings(); len(got) != 1 || !strings.Contains(got[0], `: It was interrupted.`) {
		t.Errorf("warnings: %q", got)
	}
	proxy.Set()
	holdPlan(t, d, c, acctest.Update)
	holdErrors(t, d.Apply(c))
	if err := holdThere(w, "2090-07-01/2091-06-30"); err != nil {
		t.Error(err)
	}
	// An update's timeout.
	c = exactRange(acctest.Config{"end_date": "2092-06-30", "timeouts": acctest.Config{"update": "2s"}})
	proxy.Set(acctest.Fault{Operation: "BatchExecuteStatement", Effect: acctest.Delay(1200 * time.Millisecond)})
	if errs := d.Apply(c); len(errs) != 1 || !strings.Contains(errs[0], "It took longer than its timeout.\n\nPart of the change may have been made: the next plan shows what is left to do.\n\nRun terraform apply again, or raise the timeout.") {
		t.Errorf("errors: %q", errs)
	}
	proxy.Set()
	c["timeouts"] = nil
	holdErrors(t, d.Apply(c))
	if err := holdThere(w, "2090-07-01/2092-06-30"); err != nil {
		t.Error(err)
	}
	encoded, err := json.Marshal(d.State())
	if err != nil || len(encoded) > 4096 {
		t.Errorf("the state has %d bytes, %v", len(encoded), err)
	}
}
