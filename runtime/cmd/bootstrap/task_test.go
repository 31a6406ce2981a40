package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A task names what belongs to it, and never a table, an endpoint or a template.
func TestBootstrap_refusedTasks(t *testing.T) {
	l := start(t, build(t), lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": "signals"}))
	const july1 = `"signal": "mockPark1/backcountryCamp/1/1 2027-07-01"`
	for event, want := range map[string]string{
		`{"task": 5}`:         "its task must be one of audit, check, explain, sweep, sync",
		`{"task": "doctor"}`:  "its task must be one of audit, check, explain, sweep, sync",
		`{"task": "report"}`:  "its task must be one of audit, check, explain, sweep, sync",
		`{"task": "Explain"}`: "its task must be one of audit, check, explain, sweep, sync",
		`{"task": "explain"}`: "explain is about one signal",
		`{"task": "explain", ` + july1 + `, "table": "other"}`:                                                              `explain takes no field "table", only signal, shows`,
		`{"task": "explain", ` + july1 + `, "endpoint": "http://127.0.0.1"}`:                                                `explain takes no field "endpoint"`,
		`{"task": "check", ` + july1 + `, "keyTemplate": "x::{productId}::{date}"}`:                                         `check takes no field "keyTemplate"`,
		`{"task": "explain", ` + july1 + `, ` + july1 + `}`:                                                                 `it has the field "signal" twice`,
		`{"task": "explain", "Signal": "mockPark1/backcountryCamp/1/1 2027-07-01"}`:                                         `explain takes no field "Signal"`,
		`{"task": "explain", "bucket": "5min"}`:                                                                             `explain takes no field "bucket"`,
		`{"task": "explain", "signal": 5}`:                                                                                  "its signal is no text",
		`{"task": "explain", "signal": ""}`:                                                                                 "its signal is no text",
		`{"task": "explain", "signal": "mockPark1/backcountryCamp/1 2027-07-01"}`:                                           "expected four parts",
		`{"task": "explain", "signal": "mockPark1/backcountryCamp/1/1 2027-02-30"}`:                                         `invalid date "2027-02-30"`,
		`{"task": "check", ` + july1 + `, "bucket": "5min"}`:                                                                "check is about one signal, product or bucket",
		`{"task": "check", "bucket": "5 min"}`:                                                                              "invalid bucket name",
		`{"task": "check", "collection": "mockPark1"}`:                                                                      `check takes no field "collection"`,
		`{"task": "sweep", ` + july1 + `}`:                                                                                  `sweep takes no field "signal"`,
		`{"task": "sync"}`:                                                                                                  "sync is about one product, collection or all",
		`{"task": "sync", "all": false}`:                                                                                    "sync is about one product, collection or all",
		`{"task": "sync", "all": "yes"}`:                                                                                    "its all is neither true nor false",
		`{"task": "sync", "all": true, "collection": "mockPark1"}`:                                                          "sync is about one product, collection or all",
		`{"task": "sync", "collection": "mock::Park"}`:                                                                      `collection_id "mock::Park" must not contain`,
		`{"task": "sync", "product": "mockPark1/backcountryCamp/1/1", "apply": true, "force": true}`:                        `sync takes no field "force"`,
		`{"task": "audit", "product": "mockPark1/backcountryCamp/1/1", "apply": true}`:                                      `audit takes no field "apply"`,
		`{"task": "explain", "signal": "mockPark1/backcountryCamp/1/1 2027-07-01", "cadenceBucket": "cadenceBucket::5min"}`: "more than one of cadenceBucket, task and Records",
	} {
		t.Run(event, func(t *testing.T) {
			if a := l.invoke(event); a.ErrorType != "BadEvent" || !strings.Contains(a.ErrorMessage, want) {
				t.Errorf("type %s\n got %s\nwant %s", a.ErrorType, a.ErrorMessage, want)
			}
		})
	}
}

// taskAnswer is what the function answers a task with.
func taskAnswer[A any](t *testing.T, l *lambda, event string) A {
	t.Helper()
	got := l.invoke(event)
	if got.ErrorMessage != "" {
		t.Fatalf("%s: %s: %s", event, got.ErrorType, got.ErrorMessage)
	}
	var a A
	d := json.NewDecoder(strings.NewReader(got.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		t.Fatalf("%s: %s: %v", event, got.body, err)
	}
	return a
}

// The life of a wrong day: explained, checked, forgotten, found.
func TestBootstrap_tasks(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	key := seed(t, db, store, store.Table(), "2027-07-01")
	l := start(t, build(t), lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": store.Table()}))
	const july1 = `"signal": "availabilitySignal::mockPark1::backcountryCamp::1::1 2027-07-01"`
	explain := func(want operate.Verdict) operate.Explanation {
		t.Helper()
		e := taskAnswer[operate.Explanation](t, l, `{"task": "explain", `+july1+`}`)
		if e.Verdict != want {
			t.Errorf("verdict %q, want %q: %s", e.Verdict, want, e.Says)
		}
		return e
	}

	// Its bucket has never run: nobody would compute it.
	e := explain(operate.NotRunning)
	if e.Inventory.Available != 12 || e.Inventory.Capacity != 20 || len(e.Inventory.Parts) != 1 || e.Inventory.Parts[0].Name != "loop" {
		t.Errorf("inventory: %+v", e.Inventory)
	}
	c := taskAnswer[operate.Checks](t, l, `{"task": "check", `+july1+`}`)
	if len(c.Signals) != 1 || c.Signals[0].Result != "cleaned" || c.Signals[0].Value != "12" || c.Signals[0].Flipped {
		t.Errorf("check: %+v", c)
	}
	wantClean(t, store, key)
	explain(operate.Right)

	// A booking that forgets its flip.
	putItem(t, store, poolKey(campOn(t, "2027-07-01")), signal.Item{"capacity": signal.N(20), "availability": signal.N(11)})
	explain(operate.Unflipped)
	a := taskAnswer[operate.Audits](t, l, `{"task": "audit", "bucket": "cadenceBucket::5min"}`)
	if a.Audited != 1 || a.Mismatched != 1 || len(a.Signals) != 1 || a.Signals[0].Signal != "mockPark1/backcountryCamp/1/1 2027-07-01" || a.Signals[0].Cached != "12" {
		t.Errorf("audit: %+v", a)
	}
	if r := taskAnswer[operate.Checks](t, l, `{"task": "check", "bucket": "5min"}`); r.Run == nil || r.Run.Cleaned != 1 {
		t.Errorf("check of the bucket: %+v", r)
	}
	explain(operate.Right)

	// A product that has dates and no signals yet, beside one that the test seeded.
	product := campOn(t, "2027-07-02")
	putItem(t, store, product.ItemKey(), signal.Item{"timezone": signal.S("America/Vancouver")})
	putItem(t, store, dateKey(product), signal.Item{"availabilityEstimationPattern": pattern("exact", minutes(5))})
	s := taskAnswer[operate.Sync](t, l, `{"task": "sync", "collection": "mockPark1"}`)
	if s.Applied || s.Seeded != 1 {
		t.Errorf("dry run: %+v", s)
	}
	if item, err := store.Get(t.Context(), product.Key()); err != nil || item != nil {
		t.Errorf("the dry run has seeded %v, %v", item, err)
	}
	s = taskAnswer[operate.Sync](t, l, `{"task": "sync", "product": "mockPark1/backcountryCamp/1/1", "apply": true}`)
	if !s.Applied || s.Seeded != 1 || s.Failed != 0 {
		t.Errorf("sync: %+v", s)
	}
	if item, err := store.Get(t.Context(), product.Key()); err != nil || item.Text("seededBy") != "stream" {
		t.Errorf("seeded %v, %v", item, err)
	}

	// What has expired two hours ago goes; what lasts stays.
	old := campOn(t, "2026-01-01")
	putItem(t, store, old.Key(), signal.Item{
		"schema": signal.S("availabilitySignal"), "gsipk": signal.S("cadenceBucket::5min"), "gsisk": signal.S("clean"), "globalId": signal.S("old"),
		"expiry": signal.S("2026-01-02T08:00:00.000Z"), "ttl": signal.N(1767340800),
	})
	w := taskAnswer[operate.Sweep](t, l, `{"task": "sweep", "bucket": "5min"}`)
	if w.Expired != 1 || w.Swept != 1 {
		t.Errorf("sweep: %+v", w)
	}
	if item, err := store.Get(t.Context(), old.Key()); err != nil || item != nil {
		t.Errorf("still there: %v, %v", item, err)
	}
	wantThere, err := store.Get(t.Context(), key)
	if err != nil || wantThere == nil {
		t.Errorf("swept too much: %v, %v", wantThere, err)
	}
}

func TestBootstrap_taskErrors(t *testing.T) {
	bootstrap := build(t)
	awstest.DynamoDB(t)
	l := start(t, bootstrap, lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": "no-such-table"}))
	for _, event := range []string{
		`{"task": "explain", "signal": "mockPark1/backcountryCamp/1/1 2027-07-01"}`, `{"task": "check", "product": "mockPark1/backcountryCamp/1/1"}`,
		`{"task": "audit", "bucket": "5min"}`, `{"task": "sweep", "bucket": "5min"}`, `{"task": "sync", "all": true}`,
	} {
		if a := l.invoke(event); a.ErrorType != "TableNotFound" || !strings.Contains(a.ErrorMessage, "AVAILABILITY_TABLE_NAME and AWS_REGION") {
			t.Errorf("%s: %s %s", event, a.ErrorType, a.ErrorMessage)
		}
	}
}
