package main_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// canary is what no log, answer or error may have in it.
const canary = "Canary Value"

// troubled are items each of which is wrong in a way of its own, and has the canary
// for a value in it, by date.
func troubled(t *testing.T, store *dynamo.Store) map[string]signal.ProductDate {
	t.Helper()
	tier := func(id string, bound signal.Value) signal.Value {
		return signal.M(map[string]signal.Value{"id": signal.S(id), "label": signal.S(canary), "maxPercentage": bound})
	}
	wrong := map[string]signal.Item{
		"its mode":        {"availabilityEstimationPattern": pattern(canary, minutes(5))},
		"its pattern":     {"availabilityEstimationPattern": signal.S(canary)},
		"its tiers":       {"availabilityEstimationPattern": signal.M(map[string]signal.Value{"estimationMode": signal.S("tiered"), "tiers": signal.L(tier(canary, signal.S(canary)))})},
		"tiers of one id": {"availabilityEstimationPattern": signal.M(map[string]signal.Value{"estimationMode": signal.S("tiered"), "tiers": signal.L(tier(canary, signal.Decimal("0.5")), tier(canary, signal.Decimal("1")))})},
		"its expiry":      {"expiry": signal.S(canary)},
		"its ttl":         {"ttl": signal.S(canary)},
		"its rev":         {"rev": signal.S(canary)},
		"its notBefore":   {"notBefore": signal.S(canary)},
		"its leaseUntil":  {"leaseUntil": signal.S(canary)},
		"its dirtySince":  {"dirtySince": signal.S(canary)},
		"its attempts":    {"attempts": signal.S(canary)},
		"its value":       {"value": signal.S(canary), "lastUpdatedAt": signal.S(canary)},
		"its pool":        {},
		"no whole pool":   {},
		"too large pools": {},
		// Clean, so that the audit finds it.
		"audited":         {"gsisk": signal.S("clean"), "value": signal.S(canary), "lastUpdatedAt": signal.S("2026-06-30T12:00:00.000Z")},
		"audited, broken": {"gsisk": signal.S("clean"), "value": signal.S(canary), "availabilityEstimationPattern": pattern(canary, minutes(5))},
	}
	days := map[string]signal.ProductDate{}
	for i, name := range slices.Sorted(maps.Keys(wrong)) {
		d := campOn(t, signal.Date{Year: 2027, Month: time.July, Day: 1}.AddDays(i).String())
		days[name] = d
		stock := signal.Item{"capacity": signal.N(20), "availability": signal.N(12), "note": signal.S(canary)}
		switch name {
		case "its pool":
			stock["availability"] = signal.S(canary)
		case "no whole pool":
			stock["capacity"] = signal.Decimal("12.75")
		case "too large pools":
			stock["capacity"] = signal.N(1 << 62)
			putItem(t, store, signal.Key{PK: d.PoolPK(), SK: "loop b"}, stock)
			putItem(t, store, signal.Key{PK: d.PoolPK(), SK: "loop c"}, stock)
		}
		putItem(t, store, poolKey(d), stock)
		awstest.Seed(t, store, d, "5min", signal.Pattern{Mode: signal.Exact})
		item, err := store.Get(t.Context(), d.Key())
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(item, wrong[name])
		item["note"] = signal.S(canary)
		putItem(t, store, d.Key(), item)
	}
	return days
}

// Whoever looks for a cause finds the item by its key; what is in it is nobody's
// business but the table's.
func TestBootstrap_namesKeysNeverValues(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	days := troubled(t, store)
	putItem(t, store, signal.RunKey("5min"), signal.Item{"startedAt": signal.S(canary), "runBy": signal.S(canary), "report": signal.S(canary)})
	putItem(t, store, signal.AuditKey("5min", 0), signal.Item{"cursor": signal.S(canary), "note": signal.S(canary)})
	l := start(t, build(t), lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_LOG_LEVEL": "debug"}))
	var text strings.Builder
	for range 2 {
		a := l.invoke(fiveMinutes)
		text.WriteString(a.body + a.ErrorMessage)
	}
	records := make([]string, 0, 8)
	for i, items := range []struct{ product, date signal.Item }{
		{signal.Item{"timezone": signal.S(canary)}, signal.Item{}},
		{signal.Item{"timezone": signal.S("UTC"), "availabilityEstimationPattern": pattern(canary, minutes(5))}, signal.Item{}},
		{signal.Item{}, signal.Item{"availabilityEstimationPattern": pattern("exact", signal.M(map[string]signal.Value{"label": signal.S(canary)}))}},
		{signal.Item{"isDeleted": signal.S(canary)}, signal.Item{"availabilityEstimationPattern": signal.S(canary)}},
	} {
		d := campOn(t, "2027-07-01")
		d.ProductID = fmt.Sprint(i + 2)
		putItem(t, store, d.ItemKey(), items.product)
		putItem(t, store, dateKey(d), items.date)
		// What stands where a signal belongs.
		if i == 3 {
			putItem(t, store, d.Key(), signal.Item{"schema": signal.S(canary)})
		}
		records = append(records, streamRecord(2*i, d.ItemKey(), "MODIFY"), streamRecord(2*i+1, dateKey(d), "MODIFY"))
	}
	a := l.invoke(streamEvent(records...))
	text.WriteString(a.body + a.ErrorMessage)
	if n := len(l.logged("stream problem")); n < 4 {
		t.Errorf("%d problems of the stream, want one for each product: %s %s %s", n, a.ErrorType, a.ErrorMessage, l.log.String())
	}
	for line := range strings.Lines(text.String() + l.log.String()) {
		if strings.Contains(line, canary) || strings.Contains(line, "12.75") {
			t.Errorf("a value is in: %s", line)
		}
	}
	// What is a little odd is checked all the same, and the audit takes its time.
	fine := []string{"its value", "its dirtySince", "its attempts", "its expiry", "audited", "audited, broken"}
	for name, d := range days {
		if named := strings.Contains(l.log.String(), d.Key().String()); !named && !slices.Contains(fine, name) {
			t.Errorf("%s: %s is not in the log", name, d.Key())
		}
	}
}

// Every line of an invocation says which one it is of, and a run's, whose bucket and
// run. One of them has the metrics.
func TestBootstrap_everyLineSaysWhose(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	troubled(t, store)
	l := start(t, build(t), lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_LOG_LEVEL": "debug"}))
	report(t, l.invoke(fiveMinutes))
	runs, metrics := map[string]bool{}, 0
	for _, line := range l.lines() {
		if line["msg"] == "start" {
			continue
		}
		runs[fmt.Sprint(line["run"])] = true
		if line["requestId"] != "request-1" || line["bucket"] != "cadenceBucket::5min" || fmt.Sprint(line["run"]) == "<nil>" {
			t.Errorf("line %v", line)
		}
		aws, ok := line["_aws"].(map[string]any)
		if !ok {
			continue
		}
		metrics++
		directive := aws["CloudWatchMetrics"].([]any)[0].(map[string]any)
		if diff := cmp.Diff([]any{[]any{"bucket", "table"}}, directive["Dimensions"]); diff != "" || line["table"] != store.Table() {
			t.Errorf("dimensions, of table %v (-want +got):\n%s", line["table"], diff)
		}
	}
	if len(runs) != 1 || metrics != 1 || len(l.lines()) < 10 {
		t.Errorf("%d runs and %d lines of metrics in %s", len(runs), metrics, l.log.String())
	}
}
