//go:build newer

package newer_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

func product(more map[string]knownvalue.Check) map[string]knownvalue.Check {
	all := map[string]knownvalue.Check{
		"collection_id": knownvalue.StringExact("mockPark1"), "activity_type": knownvalue.StringExact("backcountryCamp"),
		"activity_id": knownvalue.StringExact("1"), "product_id": knownvalue.StringExact("1"),
	}
	for name, check := range more {
		all[name] = check
	}
	return all
}

// All three resources have an identity, keep it when they change, and import by it
// with nothing left to change.
func TestTerraform112_identity(t *testing.T) {
	t.Parallel()
	checks := terraformFrom(t, tfversion.SkipBelow(tfversion.Version1_12_0))
	w := newWorld(t)
	identities := []statecheck.StateCheck{
		statecheck.ExpectIdentity(bucketAddress, map[string]knownvalue.Check{
			"table_name": knownvalue.StringExact(w.table), "name": knownvalue.StringExact("5min"),
		}),
		statecheck.ExpectIdentity(signalAddress, product(map[string]knownvalue.Check{
			"table_name": knownvalue.StringExact(w.table), "date": knownvalue.StringExact("2090-07-01"),
		})),
		statecheck.ExpectIdentity(rangeAddress, product(map[string]knownvalue.Check{
			"table_name": knownvalue.StringExact(w.table), "range_id": knownvalue.NotNull(),
		})),
	}
	steps := []resource.TestStep{
		{Config: w.config(5, "2090-07-31"), ConfigStateChecks: identities},
		{Config: w.config(15, "2090-07-20"), ConfigStateChecks: identities},
	}
	for _, address := range []string{bucketAddress, signalAddress, rangeAddress} {
		steps = append(steps, resource.TestStep{
			Config: w.config(15, "2090-07-20"), ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity,
		})
	}
	resource.Test(t, resource.TestCase{TerraformVersionChecks: checks, ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})
}

// terraform query finds buckets and signals, with the identities that import them.
func TestTerraform114_query(t *testing.T) {
	t.Parallel()
	checks := terraformFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0))
	w := newWorld(t)
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks: checks, ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: w.config(5, "2090-07-31")},
			{
				Query: true,
				Config: w.provider() + fmt.Sprintf(`
list "availability_cadence_bucket" "all" {
  provider = availability
}

list "availability_signal" "all" {
  provider = availability
  config {%s
  }
}
`, key),
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLength("availability_cadence_bucket.all", 1),
					querycheck.ExpectIdentity("availability_cadence_bucket.all", map[string]knownvalue.Check{
						"table_name": knownvalue.StringExact(w.table), "name": knownvalue.StringExact("5min"),
					}),
					// Those of the range are the range's.
					querycheck.ExpectLength("availability_signal.all", 1),
					querycheck.ExpectIdentity("availability_signal.all", product(map[string]knownvalue.Check{
						"table_name": knownvalue.StringExact(w.table), "date": knownvalue.StringExact("2090-07-01"),
					})),
				},
			},
		},
	})
}

// An action that another resource triggers marks a range of dates dirty, and no plan
// shows anything of it.
func TestTerraform114_action(t *testing.T) {
	t.Parallel()
	checks := terraformFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0))
	w := newWorld(t)
	config := w.config(5, "2090-07-31")
	triggered := config + fmt.Sprintf(`
action "availability_mark_dirty" "loaded" {
  config {%s
    start_date = "2090-07-01"
    end_date   = "2090-07-10"
  }
}

resource "terraform_data" "loaded" {
  input = 1
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.availability_mark_dirty.loaded]
    }
  }
}
`, key)
	bits := func(want map[string]string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			for date, bit := range want {
				if got, err := w.bit(date); err != nil || got != bit {
					return fmt.Errorf("%s is %q, %w; want %s", date, got, err, bit)
				}
			}
			return nil
		}
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks: checks, ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: config, Check: bits(map[string]string{"2090-07-01": "clean", "2090-07-10": "clean"})},
			{Config: triggered, Check: bits(map[string]string{"2090-07-01": "dirty", "2090-07-10": "dirty", "2090-07-11": "clean"})},
			{Config: triggered, PlanOnly: true},
		},
	})
}
