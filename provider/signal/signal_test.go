package signal_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Holds for each attribute whether a change is made in place, and what it does
// to an item that a run has just checked.
func TestSignal_eachAttributeChanges(t *testing.T) {
	t.Parallel()
	type config = acctest.Config
	labelled := func(label any) config {
		return config{"estimation_mode": "tiered", "tiers": []any{config{"id": "any", "label": label, "max_percentage": 1}}}
	}
	tests := []struct {
		name   string
		before config
		after  config
		action acctest.Action
		// writes are the calls that change something, and item the attributes of the
		// item that are other than before, as text.
		writes int
		item   map[string]string
	}{
		{"bucket", nil, config{"cadence_bucket": "15min"}, acctest.Update, 1, map[string]string{"gsipk": "cadenceBucket::15min"}},
		{"pattern", nil, config{"availability_estimation_pattern": pattern("tiered")}, acctest.Update, 1, map[string]string{"rev": "3"}},
		{"tiers", config{"availability_estimation_pattern": pattern("tiered")}, config{"availability_estimation_pattern": pattern("tiered", tier("any", 1))}, acctest.Update, 1, map[string]string{"rev": "3"}},
		{"default tiers, written out", config{"availability_estimation_pattern": pattern("tiered")}, config{"availability_estimation_pattern": config{
			"estimation_mode": "tiered", "tiers": []any{
				config{"id": "full", "label": "Full", "max_percentage": 0},
				config{"id": "low", "label": "Low", "max_percentage": 0.25},
				config{"id": "medium", "label": "Medium", "max_percentage": 0.75},
				config{"id": "high", "label": "High", "max_percentage": 1},
			},
		}}, acctest.NoOp, 0, nil},
		{"a label", config{"availability_estimation_pattern": labelled("Any")}, config{"availability_estimation_pattern": labelled("Whatever")}, acctest.Update, 1, nil},
		{"a label removed", config{"availability_estimation_pattern": labelled("Any")}, config{"availability_estimation_pattern": labelled(nil)}, acctest.Update, 1, nil},
		{"expiry", nil, config{"expiry": "2090-07-02T12:00:00Z"}, acctest.Update, 1, map[string]string{"expiry": "2090-07-02T12:00:00.000Z", "ttl": "3802680000"}},
		{"expiry removed", config{"expiry": "2090-07-02T12:00:00Z"}, config{}, acctest.Update, 1, map[string]string{"expiry": "2090-07-02T07:00:00.000Z", "ttl": "3802662000"}},
		{"expiry in other words", nil, config{"expiry": "2090-07-02T00:00:00-07:00"}, acctest.NoOp, 0, nil},
		{"zone", nil, config{"time_zone": "America/Toronto"}, acctest.Update, 1, map[string]string{"expiry": "2090-07-02T04:00:00.000Z", "ttl": "3802651200"}},
		{"zone by another name", nil, config{"time_zone": "Canada/Pacific"}, acctest.Update, 0, nil},
		{"initial value", nil, config{"initial_value": "12"}, acctest.Update, 0, nil},
		{"initial state", nil, config{"initial_state": "dirty"}, acctest.Update, 0, nil},
		{"all at once", nil, config{"cadence_bucket": "15min", "availability_estimation_pattern": pattern("tiered"), "expiry": "2090-07-02T12:00:00Z"}, acctest.Update, 1, map[string]string{
			"gsipk": "cadenceBucket::15min", "rev": "3", "expiry": "2090-07-02T12:00:00.000Z", "ttl": "3802680000",
		}},
		{"collection", nil, config{"collection_id": "mockPark2"}, acctest.Replace, 0, nil},
		{"type", nil, config{"activity_type": "dayuse"}, acctest.Replace, 0, nil},
		{"activity", nil, config{"activity_id": "2"}, acctest.Replace, 0, nil},
		{"product", nil, config{"product_id": "2"}, acctest.Replace, 0, nil},
		{"date", nil, config{"date": "2090-07-02"}, acctest.Replace, 0, nil},
		{"table", nil, config{"table_name": "another-table"}, acctest.Replace, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			proxy := acctest.NewFaultProxy(t)
			d := w.driver(signalType, through(proxy))
			holdErrors(t, d.Apply(exactSignal(tt.before)))
			w.check(1, "37")
			want := flat(w.item(1))
			holdPlan(t, d, exactSignal(tt.before), acctest.NoOp)
			holdPlan(t, d, exactSignal(tt.after), tt.action)
			if tt.action == acctest.Replace {
				return
			}
			proxy.Set()
			id := text(d, "global_id")
			holdErrors(t, d.Apply(exactSignal(tt.after)))
			if n := calls(proxy, "UpdateItem"); n != tt.writes || calls(proxy, "PutItem")+calls(proxy, "DeleteItem") != 0 {
				t.Errorf("calls: %v, want %d UpdateItem", proxy.Calls(), tt.writes)
			}
			for name, value := range tt.item {
				want[name] = value
			}
			if diff := cmp.Diff(want, flat(w.item(1))); diff != "" {
				t.Errorf("item (-want +got):\n%s", diff)
			}
			if text(d, "global_id") != id {
				t.Error("global_id has changed")
			}
			holdPlan(t, d, exactSignal(tt.after), acctest.NoOp)
			holdErrors(t, d.Destroy())
			if item := w.item(1); item != nil {
				t.Errorf("after destroy there is %v", item)
			}
		})
	}
}

// flat is an item's texts and numbers.
func flat(item signal.Item) map[string]string {
	found := map[string]string{}
	for name, v := range item {
		if s, ok := v.Text(); ok {
			found[name] = s
		}
		if n, ok := v.Number(); ok {
			found[name] = n
		}
	}
	return found
}

func calls(p *acctest.FaultProxy, operation string) int {
	n := 0
	for _, c := range p.Calls() {
		if c == operation {
			n++
		}
	}
	return n
}

func TestSignal_startsAsItIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := []struct {
		more         acctest.Config
		gsisk, value string
	}{
		{nil, "clean", ""},
		{acctest.Config{"initial_value": "12"}, "dirty", "12"},
		{acctest.Config{"initial_value": "0", "initial_state": "clean"}, "clean", "0"},
		{acctest.Config{"initial_state": "dirty"}, "dirty", ""},
		{acctest.Config{"initial_state": "clean"}, "clean", ""},
	}
	for _, tt := range tests {
		d := w.driver(signalType, nil)
		holdErrors(t, d.Apply(exactSignal(tt.more)))
		item := w.item(1)
		if item.Text("gsisk") != tt.gsisk || item.Text("value") != tt.value || item["value"].Exists() != (tt.value != "") || item["dirtySince"].Exists() != (tt.gsisk == "dirty") {
			t.Errorf("%v starts as %v", tt.more, item)
		}
		holdPlan(t, d, exactSignal(tt.more), acctest.NoOp)
		holdErrors(t, d.Destroy())
	}
}

func TestOwn05_signalImports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	full := exactSignal(acctest.Config{
		"availability_estimation_pattern": pattern("tiered", tier("a/b", 0), tier("c", 0.1), tier("d", 1)),
		"expiry":                          "2090-07-02T12:00:00.000Z",
		"collection_id":                   "a/b", "activity_type": "ä %2F", "activity_id": "1:2", "product_id": "+",
	})
	d := w.driver(signalType, nil)
	holdErrors(t, d.Apply(full))
	seeded := d.State()
	d.Forget()
	holdErrors(t, d.Import(w.table+"/a%2Fb/%C3%A4%20%252F/1:2/+/2090-07-01"))
	if diff := cmp.Diff(seeded, d.State()); diff != "" {
		t.Errorf("state (-seeded +imported):\n%s", diff)
	}
	holdPlan(t, d, full, acctest.NoOp)
	// What cannot be read back is an update that calls nothing.
	full["time_zone"], full["initial_value"], full["initial_state"] = "America/Vancouver", "c", "dirty"
	proxy := acctest.NewFaultProxy(t)
	d = w.driver(signalType, through(proxy))
	holdErrors(t, d.Import(w.table+"/a%2Fb/%C3%A4%20%252F/1%3A2/%2B/2090-07-01"))
	holdPlan(t, d, full, acctest.Update)
	proxy.Set()
	holdErrors(t, d.Apply(full))
	if diff := cmp.Diff([]string{"GetItem"}, proxy.Calls()); diff != "" {
		t.Errorf("calls, beside the refresh (-want +got):\n%s", diff)
	}
	holdPlan(t, d, full, acctest.NoOp)
}

func TestSignal_importsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(another(1))
	orphan := another(2)
	delete(orphan, "seededBy")
	w.put(orphan)
	nameless := another(3)
	delete(nameless, "seededBy")
	delete(nameless, "globalId")
	w.put(nameless)
	w.put(signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("2090-07-04"), "schema": signal.S("note")})
	id := w.table + "/mockPark1/backcountryCamp/1/1/2090-07-0"
	const form = "\n\nGive the id as <table_name>/<collection_id>/<activity_type>/<activity_id>/<product_id>/<date>, each part percent-escaped, such as reservations/mockPark1/backcountryCamp/1/1/2026-07-01."
	summary := func(day int) string {
		return fmt.Sprintf(`Unable to import signal "mockPark1/backcountryCamp/1/1 2090-07-0%d": `, day)
	}
	tests := []struct{ id, want string }{
		{id + "1", summary(1) + fmt.Sprintf("Table %q has signal another-seeding, seeded by \"stream\" there.\n\nIt was not touched.\n\nManage it where it was seeded, or have its owner give it up first.", w.table)},
		{id + "2", ""},
		{id + "3", ""},
		{id + "4", summary(4) + fmt.Sprintf("Table %q has an item of schema \"note\" there.\n\nIt was not touched.\n\nCorrect the id.", w.table)},
		{id + "5", "Cannot import non-existent remote object"},
		{"no-such-table/a/b/c/d/2090-07-01", "Cannot import non-existent remote object"},
		{"a/b", `Unable to import signal "a/b": The id has 2 parts, not 6; a slash inside a part is written %2F.` + form},
		{"", `Unable to import signal "": The id has 1 part, not 6; a slash inside a part is written %2F.` + form},
		{"tab/a/b/c/%zz/2090-07-01", `Unable to import signal "tab/a/b/c/%zz/2090-07-01": Part 5 of the id is not percent-escaped: invalid URL escape "%zz".` + form},
		{"tab/a/b//d/2090-07-01", `Unable to import signal "tab/a/b//d/2090-07-01": Activity_id "" must not be empty.` + form},
		{"tab/a/b/c/d/today", `Unable to import signal "tab/a/b/c/d/today": Invalid date "today": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.` + form},
		{"!/a/b/c/d/2090-07-01", `Unable to import signal "!/a/b/c/d/2090-07-01": Table name "!": expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores.` + form},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			holdErrors(t, w.driver(signalType, nil).Import(tt.id), want...)
		})
	}
}

func TestSignal_disappears(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(signalType, nil)
	holdErrors(t, d.Apply(exactSignal(nil)))
	w.remove(1)
	holdPlan(t, d, exactSignal(nil), acctest.Create)
	holdErrors(t, d.Apply(exactSignal(nil)))
	holdPlan(t, d, exactSignal(nil), acctest.NoOp)
	// Gone between plan and destroy.
	w.remove(1)
	holdErrors(t, d.Destroy())
}

// Drift of what Terraform owns shows and is changed back.
func TestSignal_driftHeals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(signalType, nil)
	holdErrors(t, d.Apply(exactSignal(nil)))
	seeded := w.item(1)
	for name, value := range map[string]signal.Value{
		"gsipk": signal.S("cadenceBucket::15min"), "expiry": signal.S("2090-07-09T00:00:00.000Z"),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{"estimationMode": signal.S("tiered")}),
	} {
		for what, v := range map[string]signal.Value{"other": value, "no": {}, "odd": signal.S("?")} {
			drifted := seeded.Clone()
			drifted[name] = v
			if what == "no" {
				delete(drifted, name)
			}
			w.put(drifted)
			holdPlan(t, d, exactSignal(nil), acctest.Update)
			holdErrors(t, d.Apply(exactSignal(nil)))
			healed := w.item(1)
			if !healed[name].Equal(seeded[name]) {
				t.Errorf("%s %s is mended to %v", what, name, healed[name])
			}
			if dirty := healed.Text("gsisk") == "dirty"; dirty != (name == "availabilityEstimationPattern") {
				t.Errorf("%s %s: dirty afterwards: %t", what, name, dirty)
			}
			holdPlan(t, d, exactSignal(nil), acctest.NoOp)
		}
	}
	// Another shard of the same bucket is no drift: checks move signals there.
	sharded := seeded.Clone()
	sharded["gsipk"] = signal.S("cadenceBucket::5min::7")
	w.put(sharded)
	holdPlan(t, d, exactSignal(nil), acctest.NoOp)
}

func TestOwn02_signalAnothersIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lost := func(what, advice string) string {
		return fmt.Sprintf("Unable to read signal \"mockPark1/backcountryCamp/1/1 2090-07-01\": In its place in table %q there is %s: it was replaced or taken over.\n\nThat is not this configuration's, and was removed from the state.\n\nFind out who made it. %s", w.table, what, advice)
	}
	const taken = "Remove the signal from this configuration, or have its owner give it up first."
	tests := []struct {
		name  string
		there func(id string) signal.Item
		want  func(id string) string
	}{
		{"seeded anew", func(string) signal.Item { return another(1) }, func(string) string {
			return lost(`signal another-seeding, seeded by "stream"`, taken)
		}},
		{"taken over", func(id string) signal.Item { i := another(1); i["globalId"] = signal.S(id); return i }, func(id string) string {
			return lost(`signal `+id+`, seeded by "stream"`, taken)
		}},
		{"another Terraform's", func(string) signal.Item {
			i := another(1)
			i["seededBy"] = signal.S("terraform:another-seeding")
			return i
		}, func(string) string {
			return lost(`signal another-seeding, seeded by "terraform:another-seeding"`, fmt.Sprintf("To manage it with this configuration, import it: terraform import availability_signal.<NAME> '%s/mockPark1/backcountryCamp/1/1/2090-07-01'. Otherwise remove the signal from this configuration.", w.table))
		}},
		{"of another schema", func(string) signal.Item { i := another(1); i["schema"] = signal.S("note"); return i }, func(string) string {
			return lost(`an item of schema "note"`, "Find out whose it is. As long as it is there, this signal cannot be.")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := w.driver(signalType, nil)
			holdErrors(t, d.Apply(exactSignal(nil)))
			id := text(d, "global_id")
			theirs := tt.there(id)
			// First unnoticed: only the destroy finds it, and leaves it.
			before := w.item(1)
			proxy := acctest.NewFaultProxy(t)
			destroying := w.driver(signalType, through(proxy))
			holdErrors(t, destroying.Import(w.table+"/mockPark1/backcountryCamp/1/1/2090-07-01"))
			proxy.Set(acctest.Fault{Operation: "DeleteItem", Call: 1, Effect: acctest.Before(func() { w.put(theirs) })})
			holdErrors(t, destroying.Destroy())
			if diff := cmp.Diff(theirs, w.item(1)); diff != "" {
				t.Errorf("destroy has touched it:\n%s", diff)
			}
			if got := destroying.Warnings(); len(got) != 1 || !strings.Contains(got[0], "That was not touched. The signal is no longer in the state.") {
				t.Errorf("warnings of the destroy: %q", got)
			}
			w.put(before)
			// Then by an update, between its reading and its writing.
			proxy = acctest.NewFaultProxy(t)
			updating := w.driver(signalType, through(proxy))
			holdErrors(t, updating.Import(w.table+"/mockPark1/backcountryCamp/1/1/2090-07-01"))
			proxy.Set(acctest.Fault{Operation: "UpdateItem", Call: 1, Effect: acctest.Before(func() { w.put(theirs) })})
			if errs := updating.Apply(exactSignal(acctest.Config{"cadence_bucket": "15min"})); len(errs) != 1 || !strings.HasPrefix(errs[0], fmt.Sprintf("Unable to update signal \"mockPark1/backcountryCamp/1/1 2090-07-01\": In its place in table %q there is ", w.table)) {
				t.Errorf("errors of the update: %q", errs)
			}
			// Then by a read.
			holdErrors(t, d.Refresh())
			if diff := cmp.Diff([]string{tt.want(id)}, d.Warnings()); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if d.State() != nil {
				t.Error("it is still in the state")
			}
			if diff := cmp.Diff(theirs, w.item(1)); diff != "" {
				t.Errorf("it was touched:\n%s", diff)
			}
			w.remove(1)
		})
	}
	// One whose owner was removed is still this one.
	d := w.driver(signalType, nil)
	holdErrors(t, d.Apply(exactSignal(nil)))
	orphan := w.item(1)
	delete(orphan, "seededBy")
	w.put(orphan)
	holdErrors(t, d.Refresh())
	holdErrors(t, d.DestroyUnrefreshed())
	if item := w.item(1); item != nil {
		t.Errorf("after destroy there is %v", item)
	}
}

func TestSignal_createSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const name = `Unable to create signal "mockPark1/backcountryCamp/1/1 2090-07-01": `
	d := w.driver(signalType, nil)
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": "7min"})), `cadence_bucket: `+name+fmt.Sprintf(`Table %q has no cadence bucket "7min", so nothing would ever check it.

It is not in the table, and not in the state.

Refer to the bucket's resource, as in cadence_bucket = availability_cadence_bucket.<NAME>.name, instead of writing its name: then Terraform makes the bucket first. Or correct the name.`, w.table))
	broken := signal.Item{"pk": signal.S("cadenceBucket::broken"), "sk": signal.S("cadenceBucket"), "schema": signal.S("cadenceBucket")}
	w.put(broken)
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": "broken"})), `cadence_bucket: `+name+fmt.Sprintf(`The registry item of cadence bucket "broken" in table %[1]q cannot be used: Read bucket "broken" in table %[1]q: invalid registry item: it has no format number.

It is not in the table, and not in the state.

Run terraform apply for the configuration that the bucket is in, which mends it, or correct or delete that item.`, w.table))
	w.put(another(1))
	holdErrors(t, d.Apply(exactSignal(nil)), `date: `+name+fmt.Sprintf(`Table %q already has signal another-seeding, seeded by "stream", for this product and date.

It was not touched, and it is not in the state.

Remove the signal from this configuration, or have its owner give it up first.`, w.table))
	w.put(signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("2090-07-01"), "schema": signal.S("note")})
	holdErrors(t, d.Apply(exactSignal(nil)), `date: `+name+fmt.Sprintf(`Table %q already has an item of schema "note", for this product and date.

It was not touched, and it is not in the state.

Find out whose it is. As long as it is there, this signal cannot be.`, w.table))
	errs := d.Apply(exactSignal(acctest.Config{"table_name": "no-such-table"}))
	if len(errs) != 1 || !strings.HasPrefix(errs[0], name+`There is no table "no-such-table" in this account and region.

Nothing was written, and it is not in the state.

Create it in the same configuration and take table_name from that resource, or correct table_name, the provider's region or its credentials.

DynamoDB answered GetItem with ResourceNotFoundException: `) {
		t.Errorf("errors: %q", errs)
	}
	if d.State() != nil {
		t.Errorf("the state has %v", d.State())
	}
	none := acctest.NewDriver(t, signalType, acctest.Config{"time_zone": "UTC"}, w.option())
	holdErrors(t, none.Apply(exactSignal(nil)), `table_name: Unable to plan signal "mockPark1/backcountryCamp/1/1 2090-07-01": There is no table: neither table_name, nor the provider's, nor AVAILABILITY_TABLE_NAME is set.

Set table_name here or in the provider's configuration.`)
}

func TestOwn03_signalTableGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	table := acctest.Name("availability-gone")
	acctest.CreateTable(t, table)
	w.table, w.store = table, dynamo.NewStore(w.client, table)
	w.register("5min", 5)
	d := w.driver(signalType, nil)
	r := w.driver(rangeType, nil)
	holdErrors(t, d.Apply(exactSignal(nil)))
	holdErrors(t, r.Apply(exactRange(acctest.Config{"start_date": "2090-07-02"})))
	deleteTable(t, w)
	holdErrors(t, d.Destroy())
	holdErrors(t, r.Destroy())
	if d.State() != nil || r.State() != nil {
		t.Errorf("the state has %v, %v", d.State(), r.State())
	}
}

func TestSignal_zones(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const warning = "time_zone: No time zone is set: Dates end at midnight UTC. In British Columbia that is 17:00 of the day itself: from then on it is no longer checked and may be deleted.\n\n" +
		"Set time_zone here or in the provider's configuration to the product's zone, such as America/Vancouver; if it is UTC, say so."
	tests := []struct {
		name     string
		settings acctest.Config
		more     acctest.Config
		want     any
		warnings []string
	}{
		{"its own", nil, acctest.Config{"time_zone": "Asia/Kolkata"}, "2090-07-01T18:30:00.000Z", nil},
		{"the provider's", nil, nil, "2090-07-02T07:00:00.000Z", nil},
		{"none", acctest.Config{"time_zone": nil}, nil, "2090-07-02T00:00:00.000Z", []string{warning}},
		{"none, but an expiry", acctest.Config{"time_zone": nil}, acctest.Config{"expiry": "2090-07-02T07:00:00Z"}, "2090-07-02T07:00:00Z", nil},
		{"UTC, said so", acctest.Config{"time_zone": nil}, acctest.Config{"time_zone": "UTC"}, "2090-07-02T00:00:00.000Z", nil},
		{"unknown", nil, acctest.Config{"time_zone": acctest.Unknown{}}, acctest.Unknown{}, nil},
		{"the provider's, unknown", acctest.Config{"time_zone": acctest.Unknown{}}, nil, acctest.Unknown{}, nil},
		{"unknown date", nil, acctest.Config{"date": acctest.Unknown{}}, acctest.Unknown{}, nil},
		{"unknown expiry", nil, acctest.Config{"expiry": acctest.Unknown{}}, acctest.Unknown{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := w.driver(signalType, tt.settings)
			action, planned, errs := d.Plan(exactSignal(tt.more))
			holdErrors(t, errs)
			if action != acctest.Create || planned["expiry"] != tt.want {
				t.Errorf("plans to %s one that expires %v, want %v", action, planned["expiry"], tt.want)
			}
			if diff := cmp.Diff(tt.warnings, d.Warnings()); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
	// A signal that is there is not warned of again and again.
	d := w.driver(signalType, acctest.Config{"time_zone": nil})
	holdErrors(t, d.Apply(exactSignal(nil)))
	d.Warnings()
	holdPlan(t, d, exactSignal(nil), acctest.NoOp)
	if got := d.Warnings(); got != nil {
		t.Errorf("warnings: %q", got)
	}
	holdErrors(t, d.Destroy())
}

// The past is kept as it was, and never made again.
func TestSignal_expires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := w.driver(signalType, through(proxy))
	holdErrors(t, d.Apply(exactSignal(nil)))
	seeded := d.State()
	end := time.Date(2090, 7, 2, 7, 0, 0, 0, time.UTC)

	w.clock.set(end.Add(-time.Millisecond))
	holdPlan(t, d, exactSignal(nil), acctest.NoOp)
	w.clock.set(end)
	proxy.Set()
	holdPlan(t, d, exactSignal(nil), acctest.NoOp)
	if got := proxy.Calls(); got != nil {
		t.Errorf("the past is asked for: %v", got)
	}
	// Still there: written.
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": "15min"})))
	if got := w.item(1).Text("gsipk"); got != "cadenceBucket::15min" {
		t.Errorf("it is in %q", got)
	}
	holdErrors(t, d.Apply(exactSignal(nil)))
	// Gone, or another's: only the state changes.
	w.remove(1)
	holdPlan(t, d, exactSignal(nil), acctest.NoOp)
	for i, there := range []signal.Item{nil, another(1)} {
		if there != nil {
			w.put(there)
		}
		bucket := []string{"15min", "5min"}[i]
		holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": bucket})))
		holdState(t, d, acctest.Config{"cadence_bucket": bucket, "global_id": seeded["global_id"]})
		if diff := cmp.Diff(there, w.item(1)); diff != "" {
			t.Errorf("something was written:\n%s", diff)
		}
	}
	w.remove(1)
	holdPlan(t, d, exactSignal(acctest.Config{"initial_value": "12"}), acctest.Update)
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"initial_value": "12"})))
	// A later end of the past is still past, a new end in the future is a new signal.
	holdPlan(t, d, exactSignal(acctest.Config{"expiry": "2090-07-01T00:00:00Z"}), acctest.Update)
	longer := exactSignal(acctest.Config{"expiry": "2090-07-09T00:00:00Z"})
	holdPlan(t, d, longer, acctest.Replace)
	holdErrors(t, d.Apply(longer))
	if id := w.item(1).Text("globalId"); id == "" || id == seeded["global_id"] || text(d, "global_id") != id {
		t.Errorf("after the replacement there is %q, the state has %q", id, text(d, "global_id"))
	}
	holdErrors(t, d.Destroy())
	// Nothing that is past is planned, or made.
	const refusal = "It expired at 2090-07-02T07:00:00.000Z, so that nothing would ever check it.\n\n"
	const advice = "Remove it from the configuration, or correct its date, time_zone or expiry."
	holdErrors(t, d.Apply(exactSignal(nil)), `expiry: Unable to plan signal "mockPark1/backcountryCamp/1/1 2090-07-01": `+refusal+advice)
	w.clock.set(june)
	proxy.Set(acctest.Fault{Operation: "GetItem", Effect: acctest.Before(func() { w.clock.set(end) })})
	holdErrors(t, d.Apply(exactSignal(nil)), `expiry: Unable to create signal "mockPark1/backcountryCamp/1/1 2090-07-01": `+refusal+"It is not in the table, and not in the state.\n\n"+advice)
	if d.State() != nil || w.item(1) != nil {
		t.Errorf("there is %v, the state has %v", w.item(1), d.State())
	}
	proxy.Set()
	// Nor by way of a replacement.
	w.clock.set(june)
	holdErrors(t, d.Apply(exactSignal(nil)))
	w.clock.set(end)
	_, _, errs := d.Plan(exactSignal(acctest.Config{"product_id": "2"}))
	holdErrors(t, errs, `expiry: Unable to plan signal "mockPark1/backcountryCamp/1/2 2090-07-01": `+refusal+advice)
	holdPlan(t, d, exactSignal(acctest.Config{"date": "2090-07-08"}), acctest.Replace)
	holdErrors(t, d.Destroy())
	if item := w.item(1); item != nil {
		t.Errorf("after destroy there is %v", item)
	}
}

// The provider's table is another one now: its signals are seeded there. One that
// is not known yet is not taken for another.
func TestSignal_providerTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := newWorld(t)
	holdErrors(t, w.driver(signalType, nil).Apply(exactSignal(nil)))
	id := w.table + "/mockPark1/backcountryCamp/1/1/2090-07-01"
	for want, table := range map[acctest.Action]any{acctest.NoOp: acctest.Unknown{}, acctest.Replace: other.table} {
		d := w.driver(signalType, acctest.Config{"table_name": table})
		holdErrors(t, d.Import(id))
		holdPlan(t, d, exactSignal(nil), want)
	}
	fresh := w.driver(signalType, acctest.Config{"table_name": acctest.Unknown{}})
	_, planned, errs := fresh.Plan(exactSignal(nil))
	holdErrors(t, errs)
	if planned["table_name"] != (acctest.Unknown{}) {
		t.Errorf("the table is planned as %v", planned["table_name"])
	}
}

// effects are the ways in which a call can fail; ctx is the operation's.
func effects() map[string]func(cancel context.CancelFunc) acctest.Effect {
	always := func(e acctest.Effect) func(context.CancelFunc) acctest.Effect {
		return func(context.CancelFunc) acctest.Effect { return e }
	}
	return map[string]func(context.CancelFunc) acctest.Effect{
		"denied":             always(acctest.Fail(400, "AccessDeniedException", "not allowed")),
		"failed":             always(acctest.Fail(500, "InternalServerError", "out of order")),
		"throttled":          always(acctest.Throttled()),
		"unsent":             always(acctest.LoseRequest()),
		"lost":               always(acctest.LoseAnswer()),
		"cancelled":          acctest.Cancel,
		"cancelled, applied": acctest.CancelApplied,
	}
}

// mostCalls is how many calls one step of a signal's life makes, a refresh included.
const mostCalls = 4

// Each call of each operation fails in each way. Whatever comes of it, the next
// apply converges, without a second seeding of what was live.
func TestOwn01_signalEveryCallFails(t *testing.T) {
	t.Parallel()
	for name, effect := range effects() {
		for _, retries := range []int{0, 1} {
			// 0 is all calls.
			for call := range mostCalls + 1 {
				t.Run(fmt.Sprintf("call %d, %s, %d retries", call, name, retries), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					proxy := acctest.NewFaultProxy(t)
					settings := through(proxy)
					settings["max_retries"] = retries
					d := w.driver(signalType, settings)
					steps := []struct {
						name string
						do   func(context.Context) []string
					}{
						{"create", func(ctx context.Context) []string { return d.ApplyContext(ctx, exactSignal(nil)) }},
						{"read", func(context.Context) []string { return d.Refresh() }},
						{"update", func(ctx context.Context) []string {
							return d.ApplyContext(ctx, exactSignal(acctest.Config{"cadence_bucket": "15min"}))
						}},
						{"destroy", d.DestroyContext},
					}
					for _, step := range steps {
						before, was := w.item(1), d.State()
						ctx, cancel := context.WithCancel(t.Context())
						proxy.Set(acctest.Fault{Call: call, Effect: effect(cancel)})
						errs := step.do(ctx)
						cancel()
						if retries == 1 && name != "denied" && !strings.HasPrefix(name, "cancelled") && call != 0 && len(errs) > 0 {
							t.Errorf("%s: %q, though one retry is enough", step.name, errs)
						}
						after := w.item(1)
						switch {
						case step.name == "read":
							if diff := cmp.Diff(was, d.State()); diff != "" {
								t.Errorf("a read changes the state (-was +is):\n%s", diff)
							}
						case len(errs) == 0 && step.name != "destroy" && (after == nil || after.Text("globalId") != text(d, "global_id")):
							t.Errorf("%s succeeds, but there is %v", step.name, after)
						case step.name == "create" && after != nil && len(errs) > 0 && !d.Tainted():
							t.Errorf("create fails and leaves %v", after)
						case step.name == "update" && after.Text("globalId") != before.Text("globalId"):
							t.Errorf("update makes %v of %v", after, before)
						}
						proxy.Set()
						holdErrors(t, step.do(t.Context()))
						if calls := proxy.Calls(); len(calls) > mostCalls {
							t.Errorf("%s makes more calls than are failed here: %v", step.name, calls)
						}
						switch last := w.item(1); {
						case step.name == "destroy":
							if last != nil {
								t.Errorf("after the repeat of destroy there is %v", last)
							}
						case last == nil || last.Text("globalId") != text(d, "global_id") || d.Tainted():
							t.Errorf("after the repeat of %s there is %v, the state has %v", step.name, last, d.State())
						case after != nil && len(errs) == 0 && last.Text("globalId") != after.Text("globalId"):
							t.Errorf("the repeat of %s has replaced what was live", step.name)
						case step.name == "update" && last.Text("gsipk") != "cadenceBucket::15min":
							t.Errorf("after the repeat of update it is in %q", last.Text("gsipk"))
						}
					}
				})
			}
		}
	}
}

// When even taking back fails, the state says so, and the next apply clears up.
func TestOwn01_signalCreateLeavesSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	settings := through(proxy)
	settings["max_retries"] = 0
	d := w.driver(signalType, settings)
	proxy.Set(
		acctest.Fault{Operation: "PutItem", Effect: acctest.LoseAnswer()},
		acctest.Fault{Operation: "GetItem", Call: 2, Effect: acctest.LoseRequest()},
		acctest.Fault{Operation: "DeleteItem", Effect: acctest.LoseRequest()},
	)
	errs := d.Apply(exactSignal(nil))
	want := fmt.Sprintf(`Unable to create signal "mockPark1/backcountryCamp/1/1 2090-07-01": Table %q did not answer.

It is not known whether it is in the table, and it could not be taken back. It is therefore in the state, as tainted.

Run terraform apply again once AWS can be reached. The next apply removes what is left and makes it anew. With create_before_destroy or prevent_destroy, run terraform untaint first: the signal is then kept if it is there.

PutItem of DynamoDB got no answer: `, w.table)
	if len(errs) != 1 || !strings.HasPrefix(errs[0], want) {
		t.Errorf("errors: %q", errs)
	}
	left := w.item(1)
	if !d.Tainted() || left == nil || left.Text("globalId") != text(d, "global_id") {
		t.Fatalf("there is %v, the state has %v, tainted: %t", left, d.State(), d.Tainted())
	}
	proxy.Set()
	holdErrors(t, d.Apply(exactSignal(nil)))
	if is := w.item(1); is == nil || is.Text("globalId") == left.Text("globalId") || is.Text("globalId") != text(d, "global_id") {
		t.Errorf("there is %v, the state has %v", is, d.State())
	}
}

func TestSignal_updateSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	settings := through(proxy)
	settings["max_retries"] = 0
	d := w.driver(signalType, settings)
	holdErrors(t, d.Apply(exactSignal(nil)))
	const name = `Unable to update signal "mockPark1/backcountryCamp/1/1 2090-07-01": `
	const kept = "\n\nThe state is as it was. What has been written all the same, the next plan shows.\n\n"
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": "7min"})), "cadence_bucket: "+name+fmt.Sprintf(`Table %q has no cadence bucket "7min", so nothing would ever check it.`, w.table)+kept+
		"Refer to the bucket's resource, as in cadence_bucket = availability_cadence_bucket.<NAME>.name, instead of writing its name: then Terraform makes the bucket first. Or correct the name.")
	proxy.Set(acctest.Fault{Operation: "UpdateItem", Effect: acctest.Fail(400, "AccessDeniedException", "User is not authorized to perform: dynamodb:UpdateItem")})
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": "15min"})), name+fmt.Sprintf("The credentials are not allowed to do this with table %q.", w.table)+kept+
		"Allow them the action that AWS names, or have the provider use others.\n\nDynamoDB answered UpdateItem with AccessDeniedException: User is not authorized to perform: dynamodb:UpdateItem (request id injected)")
	proxy.Set(acctest.Fault{Operation: "UpdateItem", Effect: acctest.Before(func() { w.remove(1) })})
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": "15min"})), name+fmt.Sprintf("It is no longer in table %q: it was deleted since the plan.", w.table)+kept+"Run terraform apply again, which makes it anew.")
	proxy.Set(acctest.Fault{Operation: "GetItem", Effect: acctest.Fail(400, "AccessDeniedException", "no")})
	holdErrors(t, d.Refresh(), fmt.Sprintf("Unable to read signal \"mockPark1/backcountryCamp/1/1 2090-07-01\": The credentials are not allowed to do this with table %q.\n\nThe state is as it was.\n\nAllow them the action that AWS names, or have the provider use others.\n\nDynamoDB answered GetItem with AccessDeniedException: no (request id injected)", w.table))
	proxy.Set()
	holdPlan(t, d, exactSignal(nil), acctest.Create)
	holdErrors(t, d.Apply(exactSignal(nil)))
	proxy.Set(acctest.Fault{Operation: "DeleteItem", Effect: acctest.Throttled()})
	holdErrors(t, d.Destroy(), fmt.Sprintf("Unable to destroy signal \"mockPark1/backcountryCamp/1/1 2090-07-01\": Table %q is throttled: it had no capacity left, however often the request was repeated.\n\nIt stays in the state.\n\nRaise the table's capacity or wait for the load to pass, then run terraform apply again.\n\nDynamoDB answered DeleteItem with ThrottlingException: Rate exceeded (request id injected)", w.table))
	if d.State() == nil || w.item(1) == nil {
		t.Error("it is gone")
	}
	// A claim does not stand in a destroy's way.
	w.write(protocol.Flip(campOn(1).Key(), june))
	proxy.Set()
	holdErrors(t, d.Destroy())
}
