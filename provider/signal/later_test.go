package signal_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// meanwhile is what happens between a plan and its apply.
type meanwhile func()

func (m meanwhile) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	m()
}

// planned holds what a plan does, then has something happen before its apply.
func planned(a plancheck.ResourceActionType, m meanwhile) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a), m}}
}

// unknownAtPlan has everything come from a resource that is made, or changed, in
// the same apply.
func unknownAtPlan(table, zone, mode string) string {
	return fmt.Sprintf(`
resource "terraform_data" "settings" {
  input = { table = %q, zone = %q, mode = %q, date = "2090-07-01", park = "mockPark1" }
}

resource "availability_signal" "test" {
  collection_id  = terraform_data.settings.output.park
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "1"
  date           = terraform_data.settings.output.date
  cadence_bucket = "5min"
  time_zone      = terraform_data.settings.output.zone
  table_name     = terraform_data.settings.output.table
  availability_estimation_pattern = { estimation_mode = terraform_data.settings.output.mode }
}
`, table, zone, mode)
}

func TestSignal_unknownAtPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := unknownAtPlan(w.table, "America/Vancouver", "tiered")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("expiry")),
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("availability_estimation_pattern").AtMapKey("tiers")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("expiry"), knownvalue.StringExact("2090-07-02T07:00:00.000Z")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("availability_estimation_pattern").AtMapKey("tiers"), knownvalue.ListSizeExact(4)),
				},
			},
			{Config: config, PlanOnly: true},
		},
	})
}

// A plan from while the signal was live is applied when it has passed: nothing is
// made, and one that is there stays in the state.
func TestSignal_expiresBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := time.Date(2090, 7, 2, 7, 0, 0, 0, time.UTC)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config:           minimalSignal(w.table, ""),
				ConfigPlanChecks: planned(plancheck.ResourceActionCreate, func() { w.clock.set(end) }),
				ExpectError: acctest.Text(`Unable to plan signal "mockPark1/backcountryCamp/1/1 2090-07-01" ANY
					It expired at 2090-07-02T07:00:00.000Z, so that nothing would ever check it.
					Remove it from the configuration, or correct its date, time_zone or expiry.`),
			},
			{PreConfig: func() { w.clock.set(june) }, Config: minimalSignal(w.table, "")},
			{
				Config: minimalSignal(w.table, `initial_value = "3"`),
				ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, func() {
					w.clock.set(end)
					w.remove(1)
				}),
				Check: func(*terraform.State) error {
					if item := w.item(1); item != nil {
						return fmt.Errorf("there is %v", item)
					}
					return nil
				},
			},
			{Config: minimalSignal(w.table, `initial_value = "3"`), PlanOnly: true},
		},
	})
}
