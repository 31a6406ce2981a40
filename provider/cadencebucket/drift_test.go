package cadencebucket_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	ebtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

const typeName = "availability_cadence_bucket"

// bucketConfig is a bucket of its own name, with what else is given.
func bucketConfig(w world, name string, more acctest.Config) acctest.Config {
	config := acctest.Config{
		"table_name": w.table, "name": name,
		"cadence": acctest.Config{"minutes": 5},
		"target":  acctest.Config{"arn": functionARN},
	}
	for attribute, v := range more {
		if v == nil {
			delete(config, attribute)
			continue
		}
		config[attribute] = v
	}
	return config
}

// made is a driver of a bucket that has been made.
func made(t *testing.T, config acctest.Config) *acctest.Driver {
	t.Helper()
	d := acctest.NewDriver(t, typeName, nil)
	holdApplied(t, d, config)
	return d
}

func holdApplied(t *testing.T, d *acctest.Driver, config acctest.Config) {
	t.Helper()
	if errs := d.Apply(config); len(errs) > 0 {
		t.Fatalf("apply: %q", errs)
	}
}

func holdPlan(t *testing.T, d *acctest.Driver, config acctest.Config, want acctest.Action) map[string]any {
	t.Helper()
	action, planned, errs := d.Plan(config)
	if len(errs) > 0 {
		t.Fatalf("plan: %q", errs)
	}
	if action != want {
		t.Fatalf("the plan is to %s, want %s; state %v, planned %v", action, want, d.State(), planned)
	}
	return planned
}

// What people change by hand shows in the next plan, and one update in place puts
// it right.
func TestOwn02_bucketDriftHealsInPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	registry := func(bucket string) (pk, sk string) { return "cadenceBucket::" + bucket, "cadenceBucket" }
	putRule := func(bucket string, change func(in *eventbridge.PutRuleInput)) {
		rule := w.rule(bucket)
		in := &eventbridge.PutRuleInput{
			Name: &rule, ScheduleExpression: aws.String("rate(5 minutes)"), State: ebtypes.RuleStateEnabled, Description: aws.String("as configured"),
		}
		change(in)
		if _, err := w.eb.PutRule(w.ctx(), in); err != nil {
			t.Errorf("put rule: %v", err)
		}
	}
	putTarget := func(bucket string, change func(target *ebtypes.Target)) {
		rule := w.rule(bucket)
		target := w.describe(rule).Targets[0]
		change(&target)
		if _, err := w.eb.PutTargets(w.ctx(), &eventbridge.PutTargetsInput{Rule: &rule, Targets: []ebtypes.Target{target}}); err != nil {
			t.Errorf("put target: %v", err)
		}
	}
	retag := func(bucket string, remove string, add map[string]string) {
		arn := w.registryItem(bucket)["ruleArn"].(string)
		if remove != "" {
			if _, err := w.eb.UntagResource(w.ctx(), &eventbridge.UntagResourceInput{ResourceARN: &arn, TagKeys: []string{remove}}); err != nil {
				t.Errorf("untag: %v", err)
			}
		}
		for key, value := range add {
			_, err := w.eb.TagResource(w.ctx(), &eventbridge.TagResourceInput{ResourceARN: &arn, Tags: []ebtypes.Tag{{Key: &key, Value: &value}}})
			if err != nil {
				t.Errorf("tag: %v", err)
			}
		}
	}

	tests := map[string]func(bucket string){
		"rule deleted":   func(b string) { w.deleteRule(w.rule(b)) },
		"target removed": func(b string) { w.removeTarget(w.rule(b), "runtime") },
		"rule disabled": func(b string) {
			putRule(b, func(in *eventbridge.PutRuleInput) { in.State = ebtypes.RuleStateDisabled })
		},
		"schedule changed": func(b string) {
			putRule(b, func(in *eventbridge.PutRuleInput) { in.ScheduleExpression = aws.String("rate(6 minutes)") })
		},
		"schedule now cron": func(b string) {
			putRule(b, func(in *eventbridge.PutRuleInput) { in.ScheduleExpression = aws.String("cron(0 12 * * ? *)") })
		},
		"schedule replaced by a pattern": func(b string) {
			putRule(b, func(in *eventbridge.PutRuleInput) {
				in.ScheduleExpression, in.EventPattern = nil, aws.String(`{"source":["x"]}`)
			})
		},
		"description changed": func(b string) {
			putRule(b, func(in *eventbridge.PutRuleInput) { in.Description = aws.String("by hand") })
		},
		"tag removed":               func(b string) { retag(b, "team", nil) },
		"tag added":                 func(b string) { retag(b, "", map[string]string{"other": "x"}) },
		"tag changed":               func(b string) { retag(b, "", map[string]string{"team": "other"}) },
		"target's function changed": func(b string) { putTarget(b, func(t *ebtypes.Target) { t.Arn = aws.String(functionARN + ":old") }) },
		"target's input changed": func(b string) {
			putTarget(b, func(t *ebtypes.Target) { t.Input = aws.String(`{"cadenceBucket":"x"}`) })
		},
		"target's input removed":  func(b string) { putTarget(b, func(t *ebtypes.Target) { t.Input = nil }) },
		"target's policy removed": func(b string) { putTarget(b, func(t *ebtypes.Target) { t.RetryPolicy = nil }) },
		"target's queue added": func(b string) {
			putTarget(b, func(t *ebtypes.Target) { t.DeadLetterConfig = &ebtypes.DeadLetterConfig{Arn: aws.String(queueARN)} })
		},
		"registry's shards changed":  func(b string) { pk, sk := registry(b); w.set(pk, sk, "shards", number("7")) },
		"registry's enabled changed": func(b string) { pk, sk := registry(b); w.set(pk, sk, "enabled", &ddbtypes.AttributeValueMemberBOOL{}) },
		"registry's rule changed":    func(b string) { pk, sk := registry(b); w.set(pk, sk, "ruleArn", text("arn:aws:events:x")) },
		"registry's schedule changed": func(b string) {
			pk, sk := registry(b)
			w.set(pk, sk, "scheduleExpression", text("rate(9 minutes)"))
		},
		"registry's checks changed": func(b string) {
			pk, sk := registry(b)
			w.set(pk, sk, "checks", &ddbtypes.AttributeValueMemberM{Value: map[string]ddbtypes.AttributeValue{"concurrency": number("1")}})
		},
		"registry's format a text":   func(b string) { pk, sk := registry(b); w.set(pk, sk, "format", text("1")) },
		"registry's format spoiled":  func(b string) { pk, sk := registry(b); w.set(pk, sk, "format", number("1.5")) },
		"registry's cadence spoiled": func(b string) { pk, sk := registry(b); w.set(pk, sk, "cadence", text("")) },
		"registry's cadence changed": func(b string) { pk, sk := registry(b); w.set(pk, sk, "cadence", text("9min")) },
		"registry's name changed":    func(b string) { pk, sk := registry(b); w.set(pk, sk, "name", text("other")) },
		"own tag removed":            func(b string) { retag(b, "availability:managed-by", nil) },
	}
	// What no attribute shows.
	repairs := map[string][]any{
		"rule deleted": {"rule"},
		// The registry item is not as the rule is.
		"rule disabled":                  {"registry_enabled"},
		"schedule changed":               {"registry_cadence", "registry_schedule_expression"},
		"schedule now cron":              {"registry_cadence", "registry_schedule_expression"},
		"schedule replaced by a pattern": {"registry_cadence", "registry_schedule_expression"},
		"own tag removed":                {"rule_tags"},
		"target removed":                 {"target"},
		"target's input changed":         {"target_input"},
		"target's input removed":         {"target_input"},
		"registry's cadence spoiled":     {"registry_item"},
		"registry's format a text":       {"registry_item"},
		"registry's format spoiled":      {"registry_item"},
		"registry's name changed":        {"registry_name"},
		"registry's cadence changed":     {"registry_cadence"},
		"registry's schedule changed":    {"registry_schedule_expression"},
		"registry's rule changed":        {"registry_rule_arn"},
		"registry's enabled changed":     {"registry_enabled"},
	}
	for name, tamper := range tests {
		t.Run(name, func(t *testing.T) {
			bucket := acctest.Name("drift")
			config := bucketConfig(w, bucket, acctest.Config{"description": "as configured", "tags": acctest.Config{"team": "reservations"}})
			d := made(t, config)
			before, wasItem := w.describe(w.rule(bucket)), w.registryItem(bucket)

			was := d.State()
			tamper(bucket)
			planned := holdPlan(t, d, config, acctest.Update)
			want := repairs[name]
			if want == nil {
				want = []any{}
			}
			if diff := cmp.Diff(want, d.State()["needs_repair"]); diff != "" {
				t.Errorf("needs_repair (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(was, planned); diff != "" {
				t.Errorf("the plan is not what there was (-was +planned):\n%s", diff)
			}
			holdApplied(t, d, config)
			holdPlan(t, d, config, acctest.NoOp)
			if diff := cmp.Diff(before, w.describe(w.rule(bucket)), ignoreTargets()); diff != "" {
				t.Errorf("rule (-before +healed):\n%s", diff)
			}
			if diff := cmp.Diff(wasItem, w.registryItem(bucket)); diff != "" {
				t.Errorf("registry item (-before +healed):\n%s", diff)
			}
			if errs := d.Destroy(); len(errs) > 0 {
				t.Errorf("destroy: %q", errs)
			}
		})
	}
}

// Whoever stops a bucket by hand and then says so in the configuration, has it
// stopped by one apply: rule and registry item, the one that doctors and readers look at.
func TestBucket_configurationFollowsTheRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		change func(in *eventbridge.PutRuleInput)
		config acctest.Config
		attr   string
		want   any
	}{
		"stopped": {
			func(in *eventbridge.PutRuleInput) { in.State = ebtypes.RuleStateDisabled },
			acctest.Config{"enabled": false},
			"enabled", false,
		},
		"slower": {
			func(in *eventbridge.PutRuleInput) { in.ScheduleExpression = aws.String("rate(6 minutes)") },
			acctest.Config{"cadence": acctest.Config{"minutes": 6}},
			"scheduleExpression", "rate(6 minutes)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bucket := acctest.Name("follows")
			rule := w.rule(bucket)
			d := made(t, bucketConfig(w, bucket, nil))
			in := &eventbridge.PutRuleInput{Name: &rule, ScheduleExpression: aws.String("rate(5 minutes)"), State: ebtypes.RuleStateEnabled}
			tt.change(in)
			if _, err := w.eb.PutRule(w.ctx(), in); err != nil {
				t.Fatal(err)
			}
			config := bucketConfig(w, bucket, tt.config)
			holdPlan(t, d, config, acctest.Update)
			holdApplied(t, d, config)
			holdPlan(t, d, config, acctest.NoOp)
			if got := w.registryItem(bucket)[tt.attr]; got != tt.want {
				t.Errorf("the registry has %s %v, want %v", tt.attr, got, tt.want)
			}
			if errs := d.Destroy(); len(errs) > 0 {
				t.Errorf("destroy: %q", errs)
			}
		})
	}
}

// What is not the bucket's is no drift: others' targets, and what runs keep
// beside the registry item.
func TestBucket_othersWorkIsNoDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: minimal(w.table)},
			{
				PreConfig: func() {
					w.put(map[string]any{
						"pk": "cadenceBucket::5min", "sk": "run", "schema": "cadenceBucketRun", "runBy": "r-1",
						"runUntil": time.Now().Add(time.Minute).UnixMilli(), "checked": int64(12),
					})
					w.set("cadenceBucket::5min", "cadenceBucket", "ofALaterRelease", text("x"))
					w.putTarget(rule, "theirs", queueARN)
				},
				Config:           minimal(w.table),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{RefreshState: true},
			{
				PreConfig: func() { w.removeTarget(rule, "theirs") },
				Config:    minimal(w.table),
			},
		},
	})
	w.holdNothing("5min", rule)
	if item := w.item("cadenceBucket::5min", "run"); item != nil {
		t.Errorf("the run item is still there: %v", item)
	}
}

// A bucket is its registry item: without it, it is made anew, and takes over the
// rule that is still there.
func TestBucket_disappears(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	w.deleteItem("cadenceBucket::5min", "cadenceBucket")

	holdPlan(t, d, config, acctest.Create)
	holdApplied(t, d, config)
	holdPlan(t, d, config, acctest.NoOp)
	if w.registryItem("5min") == nil || w.describe(w.rule("5min")) == nil {
		t.Error("the bucket was not made anew")
	}
	if errs := d.Destroy(); len(errs) > 0 {
		t.Errorf("destroy: %q", errs)
	}
	w.holdNothing("5min", w.rule("5min"))
}

func number(n string) ddbtypes.AttributeValue { return &ddbtypes.AttributeValueMemberN{Value: n} }
func text(s string) ddbtypes.AttributeValue   { return &ddbtypes.AttributeValueMemberS{Value: s} }

// A registry item that nobody can mend is named, with what to do.
func TestBucket_registryItemOfAnotherSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	w.set("cadenceBucket::5min", "cadenceBucket", "schema", text("product"))
	want := `Unable to read cadence bucket "5min": Its registry item in table "` + w.table + `" cannot be used: Read bucket "5min" in table "` + w.table + `": invalid registry item: its schema is "product", not "cadenceBucket".` + "\n\n" +
		"The state is as it was.\n\n" +
		`Correct or delete that item, whose pk is "cadenceBucket::5min" and whose sk is "cadenceBucket", then run terraform apply again.`
	holdErrors(t, d.Refresh(), want)
	w.deleteItem("cadenceBucket::5min", "cadenceBucket")
	holdApplied(t, d, config)
	holdDestroyed(t, w, d, "5min")
}
