package cadencebucket_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	ebtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

const address = "availability_cadence_bucket.test"

func minimal(table string) string {
	return fmt.Sprintf(`
resource "availability_cadence_bucket" "test" {
  table_name = %q
  name       = "5min"
  cadence    = { minutes = 5 }
  target     = { arn = %q }
}
`, table, functionARN)
}

func full(table string) string {
	return fmt.Sprintf(`
resource "availability_cadence_bucket" "test" {
  table_name  = %q
  name        = "5min"
  cadence     = { hours = 2 }
  enabled     = false
  description = "Campgrounds"
  shards      = 4
  tags        = { team = "reservations", empty = "" }
  target = {
    arn                       = "%s:live"
    dead_letter_arn           = %q
    maximum_event_age_seconds = 90
    maximum_retry_attempts    = 0
  }
  checks = {
    concurrency           = 8
    lease_seconds         = 60
    max_attempts          = 3
    write_budget          = 50
    max_staleness_minutes = 0
  }
}
`, table, functionARN, queueARN)
}

// Holds the whole of what a bucket is, the defaults among it, from a
// configuration that sets all and back to one that sets only what it must.
func TestBucket_createUpdateDestroy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")

	minimalTarget := ebtypes.Target{
		Id: aws.String("runtime"), Arn: aws.String(functionARN), Input: aws.String(`{"cadenceBucket":"cadenceBucket::5min"}`),
		RetryPolicy: &ebtypes.RetryPolicy{MaximumEventAgeInSeconds: aws.Int32(300), MaximumRetryAttempts: aws.Int32(185)},
	}
	holdMinimal := func(*terraform.State) error {
		wantRule := &eventRule{
			Schedule: "rate(5 minutes)", State: "ENABLED", Description: "",
			Tags:    map[string]string{"availability:bucket": w.table + "/5min", "availability:managed-by": "terraform"},
			Targets: []ebtypes.Target{minimalTarget},
		}
		wantItem := map[string]any{
			"pk": "cadenceBucket::5min", "sk": "cadenceBucket", "schema": "cadenceBucket", "format": json.Number("1"), "name": "5min",
			"cadence": map[string]any{"minutes": json.Number("5")}, "scheduleExpression": "rate(5 minutes)", "shards": json.Number("1"),
			"enabled": true,
			"checks": map[string]any{
				"concurrency": json.Number("32"), "leaseSeconds": json.Number("120"), "maxAttempts": json.Number("8"),
				"writeBudget": json.Number("200"), "maxStalenessMinutes": json.Number("1440"),
			},
		}
		return w.compare(rule, wantRule, wantItem)
	}
	holdFull := func(*terraform.State) error {
		wantRule := &eventRule{
			Schedule: "rate(2 hours)", State: "DISABLED", Description: "Campgrounds",
			Tags: map[string]string{
				"availability:bucket": w.table + "/5min", "availability:managed-by": "terraform",
				"team": "reservations", "empty": "",
			},
			Targets: []ebtypes.Target{{
				Id: aws.String("runtime"), Arn: aws.String(functionARN + ":live"), Input: aws.String(`{"cadenceBucket":"cadenceBucket::5min"}`),
				DeadLetterConfig: &ebtypes.DeadLetterConfig{Arn: aws.String(queueARN)},
				RetryPolicy:      &ebtypes.RetryPolicy{MaximumEventAgeInSeconds: aws.Int32(90), MaximumRetryAttempts: aws.Int32(0)},
			}},
		}
		wantItem := map[string]any{
			"pk": "cadenceBucket::5min", "sk": "cadenceBucket", "schema": "cadenceBucket", "format": json.Number("1"), "name": "5min",
			"cadence": map[string]any{"hours": json.Number("2")}, "scheduleExpression": "rate(2 hours)", "shards": json.Number("4"),
			"enabled": false,
			"checks": map[string]any{
				"concurrency": json.Number("8"), "leaseSeconds": json.Number("60"), "maxAttempts": json.Number("3"),
				"writeBudget": json.Number("50"), "maxStalenessMinutes": json.Number("0"),
			},
		}
		return w.compare(rule, wantRule, wantItem)
	}
	action := func(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
	}

	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:           minimal(w.table),
				ConfigPlanChecks: knownAtPlan(w.table),
				Check:            holdMinimal,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("rule_arn"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("force_destroy"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("description"), knownvalue.StringExact("")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("tags"), knownvalue.Null()),
				},
			},
			{Config: full(w.table), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: holdFull},
			{
				ResourceName: address, ImportState: true, ImportStateId: w.table + "/5min",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
			{
				Config: full(w.table), ResourceName: address,
				ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: w.table + "/5min",
			},
			{Config: minimal(w.table), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: holdMinimal},
		},
		CheckDestroy: func(*terraform.State) error {
			w.holdNothing("5min", rule)
			return nil
		},
	})
}

func knownAtPlan(table string) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("bucket_id"), knownvalue.StringExact("cadenceBucket::5min")),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("rule_name"), knownvalue.StringExact("availability-"+table+"-5min")),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("schedule_expression"), knownvalue.StringExact("rate(5 minutes)")),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("target").AtMapKey("maximum_event_age_seconds"), knownvalue.Int64Exact(300)),
		plancheck.ExpectUnknownValue(address, tfjsonpath.New("rule_arn")),
	}}
}

// compare holds that rule and registry item are as wanted; the ids that AWS and
// the provider give are held to be there, and to agree.
func (w world) compare(rule string, wantRule *eventRule, wantItem map[string]any) error {
	got := w.describe(rule)
	if diff := cmp.Diff(wantRule, got, ignoreTargets()); diff != "" {
		return fmt.Errorf("rule (-want +got):\n%s", diff)
	}
	item := w.registryItem("5min")
	if id, _ := item["globalId"].(string); len(id) != len("c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b") {
		return fmt.Errorf("registry item has globalId %q", id)
	}
	if arn, _ := item["ruleArn"].(string); !arnOf(rule).MatchString(arn) {
		return fmt.Errorf("registry item has ruleArn %q", arn)
	}
	delete(item, "globalId")
	delete(item, "ruleArn")
	if diff := cmp.Diff(wantItem, item); diff != "" {
		return fmt.Errorf("registry item (-want +got):\n%s", diff)
	}
	return nil
}

// ignoreTargets lets cmp compare the SDK's targets.
func ignoreTargets() cmp.Option {
	return cmpopts.IgnoreUnexported(ebtypes.Target{}, ebtypes.RetryPolicy{}, ebtypes.DeadLetterConfig{})
}
