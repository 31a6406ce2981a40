package signal_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestRange_exceptsOnlyItsOwnDates(t *testing.T) {
	t.Parallel()
	d := acctest.NewDriver(t, rangeType, acctest.Config{"region": "ca-central-1"})
	unknown := acctest.Unknown{}
	const start, end = "2090-07-01", "2090-07-03"
	tests := []struct {
		name       string
		start, end any
		except     any
		want       []string
	}{
		{"none", start, end, []any{}, nil},
		{"null", start, end, nil, nil},
		{"the first and the last", start, end, []any{start, end}, nil},
		{"unknown", start, end, unknown, nil},
		{"one unknown", start, end, []any{unknown, "2090-07-02"}, nil},
		{"an unknown end", start, unknown, []any{"2095-07-02"}, nil},
		{"outside", start, end, []any{"2090-07-04"}, []string{"except_dates: Invalid signal: The excepted date 2090-07-04 is outside the range from 2090-07-01 to 2090-07-03. Leave it out, or correct it."}},
		{"outside, beside an unknown one", start, end, []any{"2090-06-30", unknown}, []string{"except_dates: Invalid signal: The excepted date 2090-06-30 is outside the range from 2090-07-01 to 2090-07-03. Leave it out, or correct it."}},
		{"no date", start, end, []any{"2090-02-29"}, []string{`except_dates: Invalid signal: Invalid date "2090-02-29": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`}},
		{"empty", start, end, []any{""}, []string{`except_dates: Invalid signal: Invalid date "": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`}},
		{"a null one", start, end, []any{nil}, []string{"except_dates: Invalid signal: The excepted date is null. Leave it out, or give a date as YYYY-MM-DD."}},
		{"all", start, end, []any{start, "2090-07-02", end}, []string{"except_dates: Invalid signal: Every date of the range is excepted, so that it has none. Remove the range, or correct the dates."}},
		{"a century and more", start, "2190-09-15", nil, []string{"end_date: Invalid signal: The range from 2090-07-01 to 2190-09-15 has 36601 dates; the most is 36600. Correct the dates, or make more than one range of it."}},
		{"a century", start, "2190-09-14", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			holdErrors(t, d.Validate(exactRange(acctest.Config{"start_date": tt.start, "end_date": tt.end, "except_dates": tt.except})), tt.want...)
		})
	}
}

// Excepting dates, and taking exceptions back, touches these dates alone.
func TestRange_exceptionsChangeInPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(another(3))
	config := func(except string) string {
		return rangeConfig(w.provider(), "2090-07-01", "2090-07-10", exactIn5min+except)
	}
	var before map[string]signal.Item
	step := func(except, there string, dates int64) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() { before = w.items() },
			Config:    config(except),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(rangeAddress, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("dates"), knownvalue.Int64Exact(dates)),
			}},
			Check: func(*terraform.State) error {
				for date, item := range w.items() {
					if was, ok := before[date]; ok && !cmp.Equal(was, item) {
						return fmt.Errorf("%s was touched", date)
					}
				}
				return holdThere(w, there)
			},
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{
				Config: config(`except_dates = ["2090-07-03", "2090-07-06"]`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue(rangeAddress, tfjsonpath.New("dates"), knownvalue.Int64Exact(8)),
				}},
				Check: func(*terraform.State) error { return holdThere(w, "2090-07-01/2090-07-05 2090-07-07/2090-07-10") },
			},
			// In another order it is the same set.
			{Config: config(`except_dates = ["2090-07-06", "2090-07-03"]`), PlanOnly: true},
			step(`except_dates = ["2090-07-03", "2090-07-01", "2090-07-09", "2090-07-10"]`, "2090-07-02/2090-07-08", 6),
			step(`except_dates = ["2090-07-03"]`, "2090-07-01/2090-07-10", 9),
		},
	})
	if diff := cmp.Diff(another(3), w.item(3)); diff != "" {
		t.Errorf("the other's was touched:\n%s", diff)
	}
}

func TestRange_exceptions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(rangeType, nil)
	unknown := acctest.Unknown{}
	_, planned, errs := d.Plan(exactRange(acctest.Config{"except_dates": []any{unknown}}))
	holdErrors(t, errs)
	if planned["dates"] != (acctest.Unknown{}) {
		t.Errorf("dates are planned as %v", planned["dates"])
	}
	// None is none, however it is written.
	holdErrors(t, d.Apply(exactRange(acctest.Config{"except_dates": []any{}})))
	holdState(t, d, acctest.Config{"except_dates": []any{}, "dates": 31, "adopt_existing": false})
	holdPlan(t, d, exactRange(nil), acctest.NoOp)
	// An excepted date that another has seeded is not the range's.
	c := exactRange(acctest.Config{"except_dates": []any{"2090-07-04"}})
	holdErrors(t, d.Apply(c))
	w.put(another(4))
	holdPlan(t, d, c, acctest.NoOp)
	before := w.items()
	holdErrors(t, d.Apply(exactRange(nil)), fmt.Sprintf(`Unable to update signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-31": Table %q already has items on one of its dates: 2090-07-04 has signal another-seeding, seeded by "stream".

Nothing has been changed, and the state is as it was.

Set adopt_existing = true to make them the range's own, or leave these dates out by except_dates.`, w.table))
	if !cmp.Equal(before, w.items()) {
		t.Error("something was written")
	}
	holdState(t, d, acctest.Config{"except_dates": []any{"2090-07-04"}})
	// All that has not passed is excepted.
	w.clock.set(time.Date(2090, 7, 31, 12, 0, 0, 0, time.UTC))
	d.Warnings()
	holdErrors(t, d.Apply(exactRange(acctest.Config{"except_dates": []any{"2090-07-04", "2090-07-31"}})))
	holdPlan(t, d, exactRange(acctest.Config{"except_dates": []any{"2090-07-04", "2090-07-31"}}), acctest.NoOp)
	holdErrors(t, d.Destroy())
	if err := holdThere(w, "2090-07-04/2090-07-04"); err != nil {
		t.Error(err)
	}
}

// An exception that fails half-way is known to the state, and resumes.
func TestRange_exceptionsFail(t *testing.T) {
	t.Parallel()
	for nth := 1; nth <= 2; nth++ {
		for name, effect := range effects() {
			t.Run(fmt.Sprintf("%s %d", name, nth), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				proxy := acctest.NewFaultProxy(t)
				settings := through(proxy)
				settings["max_retries"] = 0
				d := w.driver(rangeType, settings)
				holdErrors(t, d.Apply(exactRange(acctest.Config{"except_dates": []any{"2090-07-04"}})))
				live := w.items()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				proxy.Set(acctest.Fault{Operation: "BatchExecuteStatement", Call: nth, Effect: effect(cancel)})
				// One date comes, one goes.
				c := exactRange(acctest.Config{"except_dates": []any{"2090-07-05"}})
				if errs := d.ApplyContext(ctx, c); len(errs) == 0 {
					t.Error("no error")
				}
				proxy.Set()
				holdErrors(t, d.Apply(c))
				if err := holdThere(w, "2090-07-01/2090-07-04 2090-07-06/2090-07-31"); err != nil {
					t.Error(err)
				}
				for date, item := range w.items() {
					if was, ok := live[date]; ok && !cmp.Equal(was, item) {
						t.Errorf("%s was touched", date)
					}
				}
				holdPlan(t, d, c, acctest.NoOp)
			})
		}
	}
}
