package cadencebucket_test

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	ebtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// The tests named TestSeen and a number guard against what has been seen in other
// providers.

// holdKnown holds that nothing of a plan is unknown.
func holdKnown(t *testing.T, planned map[string]any) {
	t.Helper()
	for name, v := range planned {
		switch v := v.(type) {
		case acctest.Unknown:
			t.Errorf("%s becomes unknown", name)
		case map[string]any:
			holdKnown(t, v)
		}
	}
}

// Two targets of one id, of which one wins: the id is the provider's own, and what
// others put under it is changed back; what they put under theirs stays.
func TestSeen07_oneTargetOfOneID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	before := w.describe(rule).Targets
	w.putTarget(rule, "runtime", queueARN)
	w.putTarget(rule, "theirs", queueARN)

	planned := holdPlan(t, d, config, acctest.Update)
	if is, becomes := d.State()["target"].(map[string]any)["arn"], planned["target"].(map[string]any)["arn"]; is != queueARN || becomes != functionARN {
		t.Errorf("the plan shows the target as %v -> %v", is, becomes)
	}
	holdApplied(t, d, config)
	holdPlan(t, d, config, acctest.NoOp)
	after := w.describe(rule).Targets
	slices.SortFunc(after, func(a, b ebtypes.Target) int { return len(*b.Id) - len(*a.Id) })
	want := []ebtypes.Target{before[0], {Id: aws.String("theirs"), Arn: aws.String(queueARN)}}
	if diff := cmp.Diff(want, after, ignoreTargets()); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	w.removeTarget(rule, "theirs")
	holdDestroyed(t, w, d, "5min")
}

// "Rule can't be deleted since it has targets": the target goes first, and AWS may
// still see it for a moment.
func TestSeen08_targetsGoBeforeTheRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(nil))
	holdApplied(t, d, bucketConfig(w, "5min", nil))
	proxy.Set(acctest.Fault{Operation: "DeleteRule", Call: 1, Effect: acctest.Fail(400, "ValidationException", "Rule can't be deleted since it has targets.")})
	holdDestroyed(t, w, d, "5min")
	calls := proxy.Calls()
	removed, deleted := slices.Index(calls, "RemoveTargets"), slices.Index(calls, "DeleteRule")
	if removed < 0 || deleted < removed {
		t.Errorf("calls: %q", calls)
	}
}

// `enabled = false`, 0 and "" are values.
func TestSeen09_falseZeroAndEmptyAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", acctest.Config{
		"enabled": false, "description": "", "tags": acctest.Config{"empty": ""}, "force_destroy": false,
		"target": acctest.Config{"arn": functionARN, "maximum_retry_attempts": 0},
		"checks": acctest.Config{"max_staleness_minutes": 0},
	})
	hold := func(d *acctest.Driver) {
		t.Helper()
		holdPlan(t, d, config, acctest.NoOp)
		state := d.State()
		got := map[string]any{
			"enabled": state["enabled"], "description": state["description"], "tags": state["tags"], "force_destroy": state["force_destroy"],
			"attempts": state["target"].(map[string]any)["maximum_retry_attempts"], "staleness": state["checks"].(map[string]any)["max_staleness_minutes"],
		}
		want := map[string]any{
			"enabled": false, "description": "", "tags": map[string]any{"empty": ""}, "force_destroy": false, "attempts": 0, "staleness": 0,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("state (-want +got):\n%s", diff)
		}
	}
	d := made(t, config)
	hold(d)
	rule, item := w.describe(w.rule("5min")), w.registryItem("5min")
	if rule.State != "DISABLED" || *rule.Targets[0].RetryPolicy.MaximumRetryAttempts != 0 || rule.Tags["empty"] != "" || item["enabled"] != false {
		t.Errorf("rule %+v, registry item %v", rule, item)
	}
	d.Forget()
	if errs := d.Import(w.table + "/5min"); len(errs) > 0 {
		t.Fatal(errs)
	}
	hold(d)
	// And back to what is not set.
	holdApplied(t, d, bucketConfig(w, "5min", nil))
	holdPlan(t, d, bucketConfig(w, "5min", nil), acctest.NoOp)
	if d.State()["enabled"] != true {
		t.Error("it is still disabled")
	}
	holdDestroyed(t, w, d, "5min")
}

// What means the same is no drift, however AWS or somebody else writes it.
func TestSeen11_sameMeaningIsNoDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("1h")
	config := bucketConfig(w, "1h", acctest.Config{"cadence": acctest.Config{"hours": 1}, "tags": acctest.Config{"a": "1", "b": "2"}})
	d := made(t, config)
	w.set("cadenceBucket::1h", "cadenceBucket", "cadence", &ddbtypes.AttributeValueMemberM{Value: map[string]ddbtypes.AttributeValue{"minutes": number("60")}})
	w.set("cadenceBucket::1h", "cadenceBucket", "scheduleExpression", text("rate(60 minutes)"))
	if _, err := w.eb.PutRule(w.ctx(), &eventbridge.PutRuleInput{Name: &rule, ScheduleExpression: aws.String("rate(60 minutes)"), Description: aws.String(""), State: ebtypes.RuleStateEnabled}); err != nil {
		t.Fatal(err)
	}
	target := w.describe(rule).Targets[0]
	target.Input = aws.String(`{ "cadenceBucket" : "cadenceBucket::1h" }`)
	if _, err := w.eb.PutTargets(w.ctx(), &eventbridge.PutTargetsInput{Rule: &rule, Targets: []ebtypes.Target{target}}); err != nil {
		t.Fatal(err)
	}
	holdPlan(t, d, config, acctest.NoOp)
	holdDestroyed(t, w, d, "1h")
}

// The identity is there after whatever writes the state, also for a state that
// has none yet.
func TestSeen14_identityIsAlwaysThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := map[string]any{"table_name": w.table, "name": "5min"}
	d := acctest.NewDriver(t, typeName, nil)
	hold := func(after string) {
		t.Helper()
		if diff := cmp.Diff(want, d.Identity()); diff != "" {
			t.Errorf("identity after %s (-want +got):\n%s", after, diff)
		}
	}
	config := bucketConfig(w, "5min", nil)
	other := bucketConfig(w, "5min", acctest.Config{"description": "other"})
	holdApplied(t, d, config)
	hold("create")
	holdApplied(t, d, other)
	hold("update")

	d.ForgetIdentity()
	if errs := d.ApplyUnrefreshed(config); len(errs) > 0 {
		t.Fatal(errs)
	}
	hold("update without refresh")
	d.ForgetIdentity()
	if errs := d.Refresh(); len(errs) > 0 {
		t.Fatal(errs)
	}
	hold("refresh")
	// With settings that it cannot connect by yet.
	d.ForgetIdentity()
	if errs := d.Configure(acctest.Config{"region": acctest.Unknown{}}); len(errs) > 0 {
		t.Fatal(errs)
	}
	holdPlan(t, d, config, acctest.NoOp)
	hold("refresh without settings")
	if errs := d.Configure(nil); len(errs) > 0 {
		t.Fatal(errs)
	}

	for name, imported := range map[string]func() []string{
		"import by id":       func() []string { return d.Import(w.table + "/5min") },
		"import by identity": func() []string { return d.ImportIdentity(acctest.Config{"table_name": w.table, "name": "5min"}) },
	} {
		d.Forget()
		if errs := imported(); len(errs) > 0 {
			t.Fatalf("%s: %q", name, errs)
		}
		hold(name)
		holdPlan(t, d, config, acctest.NoOp)
	}
	holdDestroyed(t, w, d, "5min")

	// A create that fails and leaves something behind has one too: it is in the state.
	proxy := acctest.NewFaultProxy(t)
	d = acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 0}))
	proxy.Set(acctest.Fault{Operation: "PutTargets", Effect: acctest.LoseRequest()}, acctest.Fault{Operation: "DeleteRule", Effect: acctest.LoseRequest()})
	if errs := d.Apply(config); len(errs) == 0 || !d.Tainted() {
		t.Fatalf("errors %q, tainted %t", errs, d.Tainted())
	}
	hold("a create that failed")
	proxy.Set()
	holdDestroyed(t, w, d, "5min")
}

// Whatever is null, empty or unknown makes no panic, and what is unknown no error.
func TestSeen15_nullEmptyAndUnknown(t *testing.T) {
	t.Parallel()
	w := world{table: "reservations"}
	unknown := acctest.Unknown{}
	empties := map[string][]any{
		"name": {""}, "table_name": {""}, "rule_name": {""}, "cron": {""}, "description": {""}, "enabled": {false}, "force_destroy": {false}, "shards": {0},
		"cadence": {acctest.Config{}, acctest.Config{"minutes": nil}, acctest.Config{"minutes": unknown, "hours": unknown, "days": unknown}},
		"target":  {acctest.Config{}, acctest.Config{"arn": ""}, acctest.Config{"arn": unknown, "dead_letter_arn": unknown, "maximum_event_age_seconds": unknown, "maximum_retry_attempts": unknown}},
		"checks":  {acctest.Config{}, acctest.Config{"concurrency": unknown, "lease_seconds": unknown, "max_attempts": unknown, "write_budget": unknown, "max_staleness_minutes": unknown}},
		"tags":    {acctest.Config{}, acctest.Config{"": ""}, acctest.Config{"a": nil}, acctest.Config{"a": unknown}},
	}
	for _, settings := range []acctest.Config{nil, {"default_tags": unknown}, {"default_tags": acctest.Config{"a": unknown}}} {
		d := acctest.NewDriver(t, typeName, settings)
		for attribute, values := range empties {
			for _, v := range append(values, unknown) {
				config := bucketConfig(w, "5min", acctest.Config{attribute: v})
				if attribute == "cron" {
					delete(config, "cadence")
				}
				if errs := d.Validate(config); len(errs) > 0 {
					if v == any(unknown) {
						t.Errorf("%s unknown: %q", attribute, errs)
					}
					continue
				}
				if _, _, errs := d.Plan(config); len(errs) > 0 {
					t.Errorf("%s %v: %q", attribute, v, errs)
				}
			}
			config := bucketConfig(w, "5min", nil)
			delete(config, attribute)
			_ = d.Validate(config)
			_, _, _ = d.Plan(config)
		}
	}
}
