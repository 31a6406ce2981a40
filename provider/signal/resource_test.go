package signal_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	signalType = "availability_signal"
	address    = signalType + ".test"
)

// minimalSignal has what a signal must have; ids are numbers, as people write them.
func minimalSignal(table, more string) string {
	return fmt.Sprintf(`
provider "availability" {
  table_name = %q
  time_zone  = "America/Vancouver"
}

resource "availability_signal" "test" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = 1
  product_id     = 1
  date           = "2090-07-01"
  cadence_bucket = "5min"
  availability_estimation_pattern = { estimation_mode = "exact" }
  %s
}
`, table, more)
}

func fullSignal(table string) string {
	return fmt.Sprintf(`
provider "availability" {}

resource "availability_signal" "test" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "1"
  date           = "2090-07-01"
  cadence_bucket = "15min"
  availability_estimation_pattern = {
    estimation_mode = "tiered"
    tiers = [
      { id = "soldOut", label = "Sold out", max_percentage = 0 },
      { id = "some", max_percentage = 0.1 },
      { id = "plenty", max_percentage = 1 },
    ]
  }
  expiry        = "2090-07-03T00:00:00+01:00"
  initial_value = "some"
  initial_state = "clean"
  table_name    = %q
}
`, table)
}

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

// Holds the whole of what a signal is, from a configuration that sets only what
// it must to one that sets all and back.
func TestSignal_createUpdateImportDestroy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	globalID := ""
	hold := func(want signal.Item) resource.TestCheckFunc {
		return func(s *terraform.State) error {
			id := s.RootModule().Resources[address].Primary.Attributes["global_id"]
			if globalID == "" {
				globalID = id
			}
			want := want.Clone()
			for name, value := range map[string]string{
				"pk": "availabilitySignal::mockPark1::backcountryCamp::1::1", "sk": "2090-07-01", "schema": "availabilitySignal",
				"globalId": globalID, "seededBy": "terraform:" + globalID,
			} {
				want[name] = signal.S(value)
			}
			if diff := cmp.Diff(want, atMostTwice(want, w.item(1))); diff != "" {
				return fmt.Errorf("item (-want +got):\n%s", diff)
			}
			return nil
		}
	}
	cadence := func(minutes int64) signal.Value {
		return signal.M(map[string]signal.Value{"minutes": signal.N(minutes)})
	}
	minimal := signal.Item{
		"gsipk": signal.S("cadenceBucket::5min"), "gsisk": signal.S("clean"), "rev": signal.N(0),
		"expiry": signal.S("2090-07-02T07:00:00.000Z"), "ttl": signal.N(3802662000),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{"estimationMode": signal.S("exact"), "cadence": cadence(5)}),
	}
	full := signal.Item{
		"gsipk": signal.S("cadenceBucket::15min"), "gsisk": signal.S("dirty"), "rev": signal.N(1),
		"dirtySince": signal.S("2090-06-01T12:00:00.000Z"),
		"expiry":     signal.S("2090-07-02T23:00:00.000Z"), "ttl": signal.N(3802719600),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{
			"estimationMode": signal.S("tiered"), "cadence": cadence(15),
			"tiers": signal.L(
				signal.M(map[string]signal.Value{"id": signal.S("soldOut"), "label": signal.S("Sold out"), "maxPercentage": signal.N(0)}),
				signal.M(map[string]signal.Value{"id": signal.S("some"), "maxPercentage": signal.Decimal("0.1")}),
				signal.M(map[string]signal.Value{"id": signal.S("plenty"), "maxPercentage": signal.N(1)}),
			),
		}),
	}
	back := minimal.Clone()
	back["gsisk"], back["rev"], back["dirtySince"] = full["gsisk"], signal.N(2), full["dirtySince"]
	id := w.table + "/mockPark1/backcountryCamp/1/1/2090-07-01"

	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config: minimalSignal(w.table, ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("expiry"), knownvalue.StringExact("2090-07-02T07:00:00.000Z")),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("table_name"), knownvalue.StringExact(w.table)),
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("global_id")),
				}},
				Check: hold(minimal),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("activity_id"), knownvalue.StringExact("1")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("time_zone"), knownvalue.Null()),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("availability_estimation_pattern").AtMapKey("tiers"), knownvalue.Null()),
				},
			},
			{Config: fullSignal(w.table), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: hold(full)},
			{
				ResourceName: address, ImportState: true, ImportStateId: id, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "global_id",
				// What cannot be read back, and an instant in other words.
				ImportStateVerifyIgnore: []string{"initial_value", "initial_state", "expiry"},
			},
			{Config: minimalSignal(w.table, ""), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: hold(back)},
			{
				Config: minimalSignal(w.table, ""), ResourceName: address,
				ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: id,
			},
			{
				Config: minimalSignal(w.table, `lifecycle { create_before_destroy = true }`), PlanOnly: true,
			},
		},
		CheckDestroy: func(*terraform.State) error {
			if item := w.item(1); item != nil {
				return fmt.Errorf("the signal is still there: %v", item)
			}
			return nil
		},
	})
}

// The bucket, and the signals that refer to it, come and go in one configuration.
func TestOwn03_signalRefersToItsBucket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := fmt.Sprintf(`
provider "availability" {
  table_name = %q
  time_zone  = "America/Vancouver"
}

resource "availability_cadence_bucket" "hourly" {
  name    = "1h"
  cadence = { hours = 1 }
  target  = { arn = "arn:aws:lambda:ca-central-1:123456789012:function:availability" }
}

resource "availability_signal" "test" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "1"
  date           = "2090-07-01"
  cadence_bucket = availability_cadence_bucket.hourly.name
  availability_estimation_pattern = { estimation_mode = "tiered" }
}

resource "availability_signal_range" "test" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "2"
  start_date     = "2090-07-01"
  end_date       = "2090-07-31"
  cadence_bucket = availability_cadence_bucket.hourly.name
  initial_state  = "dirty"
  availability_estimation_pattern = { estimation_mode = "exact" }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Dates could not be seeded; apply again."
    }
  }
}
`, w.table)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config: config,
				Check: func(*terraform.State) error {
					item := w.item(1)
					p, err := signal.ParsePattern(item[signal.AttrPattern])
					if err != nil {
						return err
					}
					if p.Cadence.Hours != 1 || len(p.Tiers) != 4 || item.Text("gsipk") != "cadenceBucket::1h" {
						return fmt.Errorf("the signal is %v", item)
					}
					return nil
				},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("availability_estimation_pattern").AtMapKey("tiers").AtSliceIndex(1), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"id": knownvalue.StringExact("low"), "label": knownvalue.StringExact("Low"), "max_percentage": knownvalue.Float64Exact(0.25),
					})),
					statecheck.ExpectKnownValue("availability_signal_range.test", tfjsonpath.New("dates"), knownvalue.Int64Exact(31)),
				},
			},
		},
	})
}

// What the runtime writes is nobody's drift, whatever a plan's kind, and no
// update undoes it.
func TestSignal_runtimeWritesSurvive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	config := func(bucket string) string {
		return proxy.Provider(fmt.Sprintf("table_name = %q", w.table), `time_zone = "America/Vancouver"`) + fmt.Sprintf(`
resource "availability_signal" "test" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "1"
  date           = "2090-07-01"
  cadence_bucket = %q
  availability_estimation_pattern = { estimation_mode = "exact" }
}
`, bucket)
	}
	var checked signal.Item
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{Config: config("5min")},
			{
				PreConfig: func() {
					w.check(1, "37")
					checked = w.item(1)
				},
				Config:           config("5min"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				RefreshState:      true,
				RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				// A run claims it between this update's reading and its writing.
				PreConfig: func() {
					proxy.Set(acctest.Fault{Operation: "UpdateItem", Call: 1, Effect: acctest.Before(func() {
						w.write(protocol.Claim(campOn(1).Key(), "run-2", june, signal.DefaultChecks().Lease))
					})})
				},
				Config:           config("15min"),
				ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					want := checked.Clone()
					want["gsipk"] = signal.S("cadenceBucket::15min")
					want["claimedBy"], want["claimedRev"] = signal.S("run-2"), want["rev"]
					got := w.item(1)
					delete(got, "leaseUntil")
					for _, i := range []signal.Item{want, got} {
						delete(i, "availabilityEstimationPattern")
					}
					if diff := cmp.Diff(want, got); diff != "" {
						return fmt.Errorf("item (-want +got):\n%s", diff)
					}
					return nil
				},
			},
		},
	})
}

func TestSignal_alreadyThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := w.driver(signalType, nil)
	holdErrors(t, mine.Apply(exactSignal(nil)))
	id, _ := mine.State()["global_id"].(string)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config: minimalSignal(w.table, ""),
				ExpectError: acctest.Text(fmt.Sprintf(`Unable to create signal "mockPark1/backcountryCamp/1/1 2090-07-01" ANY
					Table %q already has signal %[2]s, seeded by "terraform:%[2]s", for this product and date.
					It was not touched, and it is not in the state.
					To manage it with this configuration, import it: terraform import availability_signal.<NAME> '%[1]s/mockPark1/backcountryCamp/1/1/2090-07-01'.
					Otherwise remove the signal from this configuration.`, w.table, id)),
			},
			{
				// As the message says.
				Config: minimalSignal(w.table, ""), ResourceName: address,
				ImportState: true, ImportStatePersist: true, ImportStateId: w.table + "/mockPark1/backcountryCamp/1/1/2090-07-01",
			},
			{Config: minimalSignal(w.table, ""), PlanOnly: true},
		},
	})
}

// atMostTwice is an item whose flips are counted as wanted, if they are at least
// that many: the SDK repeats an update whose answer it has lost, and a flip that is
// applied twice does no harm.
func atMostTwice(want, got signal.Item) signal.Item {
	n := want.Int("rev")
	if n == 0 || got.Int("rev") < n || got.Int("rev") > 2*n {
		return got
	}
	got = got.Clone()
	got["rev"] = want["rev"]
	return got
}
