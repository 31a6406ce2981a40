package cadencebucket_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// A schedule that means the same is no change, however it is written.
func TestSeen11_sameScheduleIsNoChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	minutes := func(n int) acctest.Config { return acctest.Config{"cadence": acctest.Config{"minutes": n}} }
	cron := func(expression string) acctest.Config {
		return acctest.Config{"cadence": nil, "cron": expression}
	}
	tests := map[string]struct{ from, to acctest.Config }{
		"60 minutes, 1 hour":   {minutes(60), acctest.Config{"cadence": acctest.Config{"hours": 1}}},
		"1440 minutes, 1 day":  {minutes(1440), acctest.Config{"cadence": acctest.Config{"days": 1}}},
		"cron, wrapped":        {cron("0 12 * * ? *"), cron("cron(0 12 * * ? *)")},
		"cron, step and list":  {cron("0/15 6 * * ? *"), cron("0,15,30,45 6 * * ? *")},
		"cron, names of days":  {cron("0 12 ? * MON-FRI *"), cron("0 12 ? * 2-6 *")},
		"cron, spaces between": {cron("0 12 * * ? *"), cron("0  12 *  * ? *")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bucket := acctest.Name("same")
			from, to := bucketConfig(w, bucket, tt.from), bucketConfig(w, bucket, tt.to)
			d := made(t, from)
			holdPlan(t, d, to, acctest.NoOp)

			d.Forget()
			if errs := d.Import(w.table + "/" + bucket); len(errs) > 0 {
				t.Fatalf("import: %q", errs)
			}
			holdPlan(t, d, from, acctest.NoOp)
			holdPlan(t, d, to, acctest.NoOp)
			holdDestroyed(t, w, d, bucket)
		})
	}
}

// Each attribute changes in place or by replacement, and a change in place leaves
// nothing unknown that would drag along what depends on it.
func TestSeen12_changesKeepValuesKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	arn := d.State()["rule_arn"]
	tests := []struct {
		attribute string
		value     any
		want      acctest.Action
	}{
		{"cadence", acctest.Config{"minutes": 1}, acctest.Update},
		{"enabled", false, acctest.Update},
		{"description", "x", acctest.Update},
		{"description", "", acctest.NoOp},
		{"tags", acctest.Config{"a": "b"}, acctest.Update},
		{"tags", acctest.Config{}, acctest.Update},
		{"target", acctest.Config{"arn": functionARN + ":live"}, acctest.Update},
		{"target", acctest.Config{"arn": functionARN, "dead_letter_arn": queueARN}, acctest.Update},
		{"target", acctest.Config{"arn": functionARN, "maximum_event_age_seconds": 60}, acctest.Update},
		{"target", acctest.Config{"arn": functionARN, "maximum_event_age_seconds": 300}, acctest.NoOp},
		{"target", acctest.Config{"arn": functionARN, "maximum_retry_attempts": 0}, acctest.Update},
		{"shards", 16, acctest.Update},
		{"shards", 1, acctest.NoOp},
		{"checks", acctest.Config{"concurrency": 1}, acctest.Update},
		{"checks", acctest.Config{"lease_seconds": 30}, acctest.Update},
		{"checks", acctest.Config{"max_attempts": 1}, acctest.Update},
		{"checks", acctest.Config{"write_budget": 1}, acctest.Update},
		{"checks", acctest.Config{"max_staleness_minutes": 0}, acctest.Update},
		{"checks", acctest.Config{}, acctest.NoOp},
		{"force_destroy", true, acctest.Update},
		{"name", "15min", acctest.Replace},
		{"table_name", "reservations", acctest.Replace},
		{"table_name", acctest.Unknown{}, acctest.Replace},
		{"rule_name", "another", acctest.Replace},
		{"rule_name", w.rule("5min"), acctest.NoOp},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %v", tt.attribute, tt.value), func(t *testing.T) {
			planned := holdPlan(t, d, bucketConfig(w, "5min", acctest.Config{tt.attribute: tt.value}), tt.want)
			if tt.want == acctest.Replace {
				return
			}
			if planned["rule_arn"] != arn {
				t.Errorf("rule_arn becomes %v", planned["rule_arn"])
			}
			holdKnown(t, planned)
		})
	}
	holdPlan(t, d, bucketConfig(w, "5min", acctest.Config{"cadence": nil, "cron": "0 12 * * ? *"}), acctest.Update)
	holdDestroyed(t, w, d, "5min")
}

// Between cadence and cron and back, the target's event age follows its default.
func TestBucket_cadenceToCronAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cadence := bucketConfig(w, "5min", nil)
	cron := bucketConfig(w, "5min", acctest.Config{"cadence": nil, "cron": "0 12 * * ? *"})
	d := made(t, cadence)
	for _, step := range []struct {
		config   acctest.Config
		schedule string
		age      int32
		cadence  any
	}{
		{cron, "cron(0 12 * * ? *)", 3600, map[string]any{"id": "5min"}},
		{cadence, "rate(5 minutes)", 300, nil},
	} {
		holdPlan(t, d, step.config, acctest.Update)
		holdApplied(t, d, step.config)
		holdPlan(t, d, step.config, acctest.NoOp)
		rule := w.describe(w.rule("5min"))
		if age := *rule.Targets[0].RetryPolicy.MaximumEventAgeInSeconds; rule.Schedule != step.schedule || age != step.age {
			t.Errorf("the rule has schedule %s and event age %d, want %s and %d", rule.Schedule, age, step.schedule, step.age)
		}
		if got := w.registryItem("5min")["cadence"]; step.cadence != nil && fmt.Sprint(got) != fmt.Sprint(step.cadence) {
			t.Errorf("the registry has cadence %v, want %v", got, step.cadence)
		}
	}
	holdDestroyed(t, w, d, "5min")
}

// What follows from the configuration is known at plan, and what follows from
// something unknown is unknown, never an error.
func TestOwn04_bucketKnownAtPlan(t *testing.T) {
	t.Parallel()
	const table = "reservations"
	type expected map[string]any
	unknown := acctest.Unknown{}
	tests := map[string]struct {
		change acctest.Config
		want   expected
		age    any
	}{
		"every minute": {acctest.Config{"cadence": acctest.Config{"minutes": 1}}, expected{"schedule_expression": "rate(1 minute)"}, 60},
		"every 5":      {nil, expected{"schedule_expression": "rate(5 minutes)", "bucket_id": "cadenceBucket::5min", "rule_name": "availability-reservations-5min"}, 300},
		"every 3 days": {acctest.Config{"cadence": acctest.Config{"days": 3}}, expected{"schedule_expression": "rate(3 days)"}, 86400},
		"cron":         {acctest.Config{"cadence": nil, "cron": "0 12 ? * SUN *"}, expected{"schedule_expression": "cron(0 12 ? * SUN *)"}, 3600},
		"age given":    {acctest.Config{"target": acctest.Config{"arn": functionARN, "maximum_event_age_seconds": 61}}, nil, 61},
		"long names": {
			acctest.Config{"table_name": strings.Repeat("t", 60)},
			expected{"rule_name": "availability-" + strings.Repeat("t", 43) + longNameDigits},
			300,
		},
		"unknown name":           {acctest.Config{"name": unknown}, expected{"bucket_id": unknown, "rule_name": unknown, "schedule_expression": "rate(5 minutes)"}, 300},
		"unknown name, rule set": {acctest.Config{"name": unknown, "rule_name": "x"}, expected{"bucket_id": unknown, "rule_name": "x"}, 300},
		"unknown table":          {acctest.Config{"table_name": unknown}, expected{"rule_name": unknown, "bucket_id": "cadenceBucket::5min"}, 300},
		"unknown rule":           {acctest.Config{"rule_name": unknown}, expected{"rule_name": unknown}, 300},
		"unknown cadence":        {acctest.Config{"cadence": unknown}, expected{"schedule_expression": unknown}, unknown},
		"unknown minutes":        {acctest.Config{"cadence": acctest.Config{"minutes": unknown}}, expected{"schedule_expression": unknown}, unknown},
		"unknown cron":           {acctest.Config{"cadence": nil, "cron": unknown}, expected{"schedule_expression": unknown}, unknown},
		"unknown function":       {acctest.Config{"target": acctest.Config{"arn": unknown}}, nil, 300},
		"unknown age":            {acctest.Config{"target": acctest.Config{"arn": functionARN, "maximum_event_age_seconds": unknown}}, nil, unknown},
		"unknown enabled":        {acctest.Config{"enabled": unknown, "shards": unknown, "description": unknown, "tags": unknown, "checks": unknown, "force_destroy": unknown}, expected{"enabled": unknown, "shards": unknown}, 300},
	}
	d := acctest.NewDriver(t, typeName, nil)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			planned := holdPlan(t, d, bucketConfig(world{table: table}, "5min", tt.change), acctest.Create)
			for attribute, want := range tt.want {
				if planned[attribute] != want {
					t.Errorf("%s is %v, want %v", attribute, planned[attribute], want)
				}
			}
			if target := planned["target"].(map[string]any); target["maximum_event_age_seconds"] != tt.age {
				t.Errorf("the event age is %v, want %v", target["maximum_event_age_seconds"], tt.age)
			}
			if planned["rule_arn"] != unknown {
				t.Errorf("rule_arn is %v before the rule is made", planned["rule_arn"])
			}
		})
	}
	planned := holdPlan(t, d, bucketConfig(world{table: table}, "5min", acctest.Config{"target": unknown}), acctest.Create)
	if planned["target"] != unknown {
		t.Errorf("target is %v", planned["target"])
	}
}

// longNameDigits begin the SHA-256 of "availability-", 60 times "t", "-5min", as
// sha256sum prints it.
const longNameDigits = "627dd0f4"

// The table is the resource's, else the provider's.
func TestBucket_tableOfTheProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", acctest.Config{"table_name": nil})
	d := acctest.NewDriver(t, typeName, acctest.Config{"table_name": w.table})
	holdApplied(t, d, config)
	if w.registryItem("5min") == nil {
		t.Error("the bucket is not in the provider's table")
	}
	holdPlan(t, d, bucketConfig(w, "5min", nil), acctest.NoOp)

	configure := func(settings acctest.Config) {
		if errs := d.Configure(settings); len(errs) > 0 {
			t.Fatalf("configure: %q", errs)
		}
	}
	configure(acctest.Config{"table_name": "another"})
	holdPlan(t, d, config, acctest.Replace)
	configure(acctest.Config{"table_name": acctest.Unknown{}})
	holdPlan(t, d, config, acctest.Replace)
	configure(nil)
	_, _, errs := d.Plan(config)
	holdErrors(t, errs, "table_name: Unable to plan cadence bucket \"5min\": There is no table: neither table_name, nor the provider's, nor AVAILABILITY_TABLE_NAME is set.\n\n"+
		"Set table_name here or in the provider's configuration.")

	// With settings that it cannot yet connect by, a plan goes by the state.
	w.deleteRule(w.rule("5min"))
	configure(acctest.Config{"region": acctest.Unknown{}})
	holdPlan(t, d, bucketConfig(w, "5min", nil), acctest.NoOp)
	configure(nil)
	holdPlan(t, d, bucketConfig(w, "5min", nil), acctest.Update)
	holdDestroyed(t, w, d, "5min")
}

// All of a bucket can come from resources that are made in the same apply.
func TestOwn03_bucketUnknownInTerraform(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := fmt.Sprintf(`
resource "terraform_data" "later" {
  input = { table = %q, name = "5min", minutes = 5, arn = %q, tag = "x" }
}

resource "availability_cadence_bucket" "test" {
  table_name = terraform_data.later.output.table
  name       = terraform_data.later.output.name
  cadence    = { minutes = terraform_data.later.output.minutes }
  target     = { arn = terraform_data.later.output.arn }
  tags       = { later = terraform_data.later.output.tag }
}
`, w.table, functionARN)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("rule_name")),
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("schedule_expression")),
				},
				PostApplyPostRefresh: []plancheck.PlanCheck{
					plancheck.ExpectEmptyPlan(),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("rule_name"), knownvalue.StringExact(w.rule("5min"))),
				},
			},
		}},
	})
	w.holdNothing("5min", w.rule("5min"))
}

// 60 minutes and 1 hour: Terraform itself accepts the plan, which keeps what it
// was.
func TestOwn04_bucketSameScheduleInTerraform(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	with := func(schedule string) string {
		return strings.Replace(minimal(w.table), "cadence    = { minutes = 5 }", schedule, 1)
	}
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: with("cadence = { minutes = 60 }")},
			{Config: with("cadence = { hours = 1 }"), ConfigPlanChecks: empty},
			{Config: with(`cron = "0 12 ? * MON-FRI *"`)},
			{Config: with(`cron = "cron(0 12 ? * 2-6 *)"`), ConfigPlanChecks: empty},
		},
	})
}

// A create whose taking back failed too leaves the bucket tainted, and the next
// apply makes it anew; one that was taken back is made as if it had never been,
// prevent_destroy or not.
func TestOwn01_bucketFailuresInTerraform(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	settings := proxy.Provider("max_retries = 0")
	guarded := strings.Replace(minimal(w.table), "\n}\n", "\n  lifecycle { prevent_destroy = true }\n}\n", 1)
	failed := acctest.Text(`Error: Unable to create cadence bucket "5min"`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				PreConfig:   func() { proxy.Set(acctest.Fault{Operation: "PutTargets", Effect: acctest.LoseRequest()}) },
				Config:      settings + guarded,
				ExpectError: failed,
			},
			{PreConfig: func() { proxy.Set() }, Config: settings + guarded},
			{Config: settings + "# nothing but the end of prevent_destroy\n" + minimal(w.table)},
			{Config: settings},
			{
				PreConfig: func() {
					proxy.Set(
						acctest.Fault{Operation: "PutTargets", Effect: acctest.LoseRequest()},
						acctest.Fault{Operation: "DeleteRule", Effect: acctest.LoseRequest()},
					)
				},
				Config: settings + minimal(w.table), ExpectError: failed,
			},
			{
				PreConfig: func() { proxy.Set() },
				Config:    settings + minimal(w.table),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionDestroyBeforeCreate)},
				},
			},
		},
	})
	w.holdNothing("5min", w.rule("5min"))
}

// With create_before_destroy, a rename makes the new bucket while the old one is
// still there for its signals.
func TestBucket_rename(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	named := func(name string) string {
		config := strings.Replace(minimal(w.table), `"5min"`, `"`+name+`"`, 1)
		return proxy.Provider() + strings.Replace(config, "\n}\n", "\n  lifecycle { create_before_destroy = true }\n}\n", 1)
	}
	var both atomic.Bool
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: named("old")},
			{
				PreConfig: func() {
					w.seed("cadenceBucket::old", "2026-07-01", "clean", time.Now().Add(48*time.Hour))
					proxy.Set(acctest.Fault{Operation: "Query", Call: 1, Effect: acctest.Before(func() {
						// The signal moves once the new bucket is there.
						both.Store(w.registryItem("old") != nil && w.registryItem("new") != nil)
						w.set("availabilitySignal::mockPark1::backcountryCamp::1::1", "2026-07-01", "gsipk", text("cadenceBucket::new"))
					})})
				},
				Config: named("new"),
			},
			{PreConfig: func() { w.unseed("2026-07-01") }, Config: named("new")},
		},
	})
	if !both.Load() {
		t.Error("the old bucket was not there any more when the new one was")
	}
	w.holdNothing("old", w.rule("old"))
	w.holdNothing("new", w.rule("new"))
}
