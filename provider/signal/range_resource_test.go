package signal_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const rangeAddress = rangeType + ".test"

func rangeConfig(provider, first, last, more string) string {
	return provider + fmt.Sprintf(`
resource "availability_signal_range" "test" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = 1
  product_id     = 1
  start_date     = %q
  end_date       = %q
  %s
}
`, first, last, more)
}

func (w *world) provider() string {
	return fmt.Sprintf("provider \"availability\" {\n  table_name = %q\n  time_zone  = \"America/Vancouver\"\n}\n", w.table)
}

const exactIn5min = `
  cadence_bucket = "5min"
  availability_estimation_pattern = { estimation_mode = "exact" }
`

func rangeAction(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(rangeAddress, a)}}
}

func missingDates(want ...knownvalue.Check) []statecheck.StateCheck {
	return []statecheck.StateCheck{statecheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("missing_dates"), knownvalue.ListExact(want))}
}

func TestRange_createUpdateImportDestroy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var first map[string]signal.Item
	rangeID := ""
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config: rangeConfig(w.provider(), "2090-06-28", "2090-07-31", exactIn5min),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(rangeAddress, plancheck.ResourceActionCreate),
					plancheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("dates"), knownvalue.Int64Exact(34)),
					plancheck.ExpectUnknownValue(rangeAddress, tfjsonpath.New("range_id")),
					plancheck.ExpectUnknownValue(rangeAddress, tfjsonpath.New("missing_dates")),
				}},
				ConfigStateChecks: missingDates(),
				Check: func(s *terraform.State) error {
					rangeID = s.RootModule().Resources[rangeAddress].Primary.Attributes["range_id"]
					first = w.items()
					item := w.item(1)
					want := signal.Item{
						"pk": signal.S("availabilitySignal::mockPark1::backcountryCamp::1::1"), "sk": signal.S("2090-07-01"), "schema": signal.S("availabilitySignal"),
						"gsipk": signal.S("cadenceBucket::5min"), "gsisk": signal.S("clean"), "rev": signal.N(0),
						"globalId": item["globalId"], "seededBy": signal.S("terraform:" + rangeID),
						"expiry": signal.S("2090-07-02T07:00:00.000Z"), "ttl": signal.N(3802662000),
						"availabilityEstimationPattern": signal.M(map[string]signal.Value{
							"estimationMode": signal.S("exact"), "cadence": signal.M(map[string]signal.Value{"minutes": signal.N(5)}),
						}),
					}
					if diff := cmp.Diff(want, item); diff != "" {
						return fmt.Errorf("item (-want +got):\n%s", diff)
					}
					return holdThere(w, "2090-06-28/2090-07-31")
				},
			},
			{
				Config: rangeConfig(w.provider(), "2090-06-28", "2090-08-02", `
  cadence_bucket = "15min"
  initial_state  = "dirty"
  availability_estimation_pattern = {
    estimation_mode = "tiered"
    tiers           = [{ id = "none left", max_percentage = 0 }, { id = "some", label = "Some", max_percentage = 1 }]
  }
  timeouts = { create = "5m", read = "5m", update = "5m", delete = "5m" }
`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(rangeAddress, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("missing_dates"), knownvalue.ListSizeExact(0)),
					plancheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("dates"), knownvalue.Int64Exact(36)),
				}},
				Check: func(s *terraform.State) error {
					for date, item := range w.items() {
						p, err := signal.ParsePattern(item[signal.AttrPattern])
						if err != nil || len(p.Tiers) != 2 || p.Cadence.Minutes != 15 || item.Text("gsipk") != "cadenceBucket::15min" || item.Text("gsisk") != "dirty" {
							return fmt.Errorf("%s is %v", date, item)
						}
						if was, ok := first[date]; ok && item.Text("globalId") != was.Text("globalId") {
							return fmt.Errorf("%s was seeded anew", date)
						}
					}
					if id := s.RootModule().Resources[rangeAddress].Primary.Attributes["range_id"]; id != rangeID {
						return fmt.Errorf("range_id has changed to %s", id)
					}
					return holdThere(w, "2090-06-28/2090-08-02")
				},
			},
			{
				ResourceName: rangeAddress, ImportState: true, ImportStateIdFunc: func(*terraform.State) (string, error) {
					return w.table + "/mockPark1/backcountryCamp/1/1/" + rangeID, nil
				},
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "range_id",
				ImportStateVerifyIgnore: []string{"initial_state", "timeouts"},
			},
			{
				Config:           rangeConfig(w.provider(), "2090-07-01", "2090-07-31", exactIn5min),
				ConfigPlanChecks: rangeAction(plancheck.ResourceActionUpdate),
				Check:            func(*terraform.State) error { return holdThere(w, "2090-07-01/2090-07-31") },
			},
			{
				Config: rangeConfig(w.provider(), "2090-07-01", "2090-07-31", exactIn5min), ResourceName: rangeAddress,
				ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateIdFunc: func(*terraform.State) (string, error) {
					return w.table + "/mockPark1/backcountryCamp/1/1/" + rangeID, nil
				},
			},
		},
		CheckDestroy: func(*terraform.State) error { return holdThere(w, "") },
	})
}

func holdThere(w *world, want string) error {
	if got := w.there(); got != want {
		return fmt.Errorf("there is %s, want %s", got, want)
	}
	return nil
}

// A creation that seeds only some dates neither fails nor taints, whatever the
// resource's lifecycle; its postcondition fails the apply; the next one resumes in
// place.
func TestOwn01_rangeCreatesInPart(t *testing.T) {
	t.Parallel()
	for name, lifecycle := range map[string]string{
		"plain": "", "create_before_destroy": "create_before_destroy = true", "prevent_destroy": "prevent_destroy = true",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			proxy := acctest.NewFaultProxy(t)
			provider := proxy.Provider(fmt.Sprintf("table_name = %q", w.table), `time_zone = "America/Vancouver"`, "max_retries = 0")
			config := rangeConfig(provider, "2090-07-01", "2090-12-31", exactIn5min+fmt.Sprintf(`
  lifecycle {
    %s
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Dates are missing; apply again."
    }
  }
`, lifecycle))
			var seeded map[string]signal.Item
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(w.option()),
				Steps: []resource.TestStep{
					{
						PreConfig: func() {
							proxy.Set(acctest.Fault{Operation: "BatchExecuteStatement", Call: 5, Effect: acctest.Fail(400, "AccessDeniedException", "no")})
						},
						Config:      config,
						ExpectError: acctest.Text("Resource postcondition failed ANY Dates are missing; apply again."),
					},
					{
						PreConfig: func() {
							proxy.Set()
							if seeded = w.items(); len(seeded) == 0 || len(seeded) >= 184 {
								t.Errorf("%d dates are seeded", len(seeded))
							}
						},
						Config: config,
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction(rangeAddress, plancheck.ResourceActionUpdate),
							plancheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("missing_dates"), knownvalue.ListSizeExact(0)),
						}},
						Check: func(*terraform.State) error {
							for date, item := range w.items() {
								was, before := seeded[date]
								if before && !cmp.Equal(was, item) {
									return fmt.Errorf("%s was touched", date)
								}
								if !before && item.Text("gsisk") != "dirty" {
									return fmt.Errorf("%s was filled in as %v", date, item)
								}
							}
							return holdThere(w, "2090-07-01/2090-12-31")
						},
					},
					{Config: rangeConfig(provider, "2090-07-01", "2090-12-31", exactIn5min), PlanOnly: true},
				},
			})
		})
	}
}

func TestRange_runtimeWritesSurvive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := rangeConfig(w.provider(), "2090-07-01", "2090-07-31", exactIn5min)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					for day := 1; day <= 31; day += 3 {
						w.check(day, fmt.Sprint(day))
					}
				},
				Config:           config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				RefreshState:      true,
				RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				Config: rangeConfig(w.provider(), "2090-07-01", "2090-08-01", exactIn5min),
				Check: func(*terraform.State) error {
					if item := w.item(4); item.Text("value") != "4" || item.Text("gsisk") != "dirty" || item.Int("rev") != 2 {
						return fmt.Errorf("the fourth is %v", item)
					}
					return nil
				},
			},
		},
	})
}

// A season of many products' sizes: one resource, seconds.
func TestRange_threeThousandDates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := time.Now()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config:            rangeConfig(w.provider(), "2090-07-01", "2098-09-16", exactIn5min),
				ConfigStateChecks: append(missingDates(), statecheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("dates"), knownvalue.Int64Exact(3000))),
				Check: func(*terraform.State) error {
					if n := len(w.items()); n != 3000 {
						return fmt.Errorf("there are %d", n)
					}
					return nil
				},
			},
		},
		CheckDestroy: func(*terraform.State) error { return holdThere(w, "") },
	})
	if took := time.Since(began); took > time.Minute {
		t.Errorf("apply, plans and destroy took %s", took)
	}
}
