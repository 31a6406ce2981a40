//go:build newer

package newer_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// The three resources, a data source and a function do on every Terraform and
// OpenTofu what they do on the oldest: made, changed in place, imported, and
// destroyed, with empty plans in between.
func TestCore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const readers = `
data "availability_signals" "test" {
  cadence_bucket = availability_cadence_bucket.test.name
  state          = "any"
  depends_on     = [availability_signal.test, availability_signal_range.test]
}

output "found" { value = length(data.availability_signals.test.signals) }
output "ends" { value = provider::availability::signal_expiry("2090-07-01", "America/Vancouver") }
`
	inPlace := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(bucketAddress, plancheck.ResourceActionUpdate),
		plancheck.ExpectResourceAction(signalAddress, plancheck.ResourceActionNoop),
		plancheck.ExpectResourceAction(rangeAddress, plancheck.ResourceActionUpdate),
	}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: w.config(5, "2090-07-31") + readers,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("found", knownvalue.Int64Exact(31)),
					statecheck.ExpectKnownOutputValue("ends", knownvalue.StringExact("2090-07-02T07:00:00.000Z")),
				},
			},
			{Config: w.config(5, "2090-07-31") + readers, PlanOnly: true},
			{
				Config: w.config(15, "2090-07-20"), ConfigPlanChecks: inPlace,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("dates"), knownvalue.Int64Exact(19)),
					statecheck.ExpectKnownValue(bucketAddress, tfjsonpath.New("schedule_expression"), knownvalue.StringExact("rate(15 minutes)")),
				},
			},
			{
				Config: w.config(15, "2090-07-20"), ResourceName: bucketAddress, ImportState: true, ImportStateId: w.table + "/5min",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
			{
				Config: w.config(15, "2090-07-20"), ResourceName: signalAddress, ImportState: true,
				ImportStateKind: resource.ImportBlockWithID, ImportStateId: w.table + "/mockPark1/backcountryCamp/1/1/2090-07-01",
			},
		},
	})
}
