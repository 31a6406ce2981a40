package signal_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// exactSignal is a signal's configuration with what it must have, and more.
func exactSignal(more acctest.Config) acctest.Config {
	c := acctest.Config{
		"collection_id": "mockPark1", "activity_type": "backcountryCamp", "activity_id": "1", "product_id": "1",
		"date": "2090-07-01", "cadence_bucket": "5min",
		"availability_estimation_pattern": acctest.Config{"estimation_mode": "exact"},
	}
	maps.Copy(c, more)
	return c
}

const rangeType = "availability_signal_range"

// exactRange is a range's configuration with what it must have, and more.
func exactRange(more acctest.Config) acctest.Config {
	c := exactSignal(acctest.Config{"start_date": "2090-07-01", "end_date": "2090-07-31"})
	delete(c, "date")
	maps.Copy(c, more)
	return c
}

func pattern(mode string, tiers ...any) acctest.Config {
	c := acctest.Config{"estimation_mode": mode}
	if tiers != nil {
		c["tiers"] = tiers
	}
	return c
}

func tier(id string, bound any) acctest.Config {
	return acctest.Config{"id": id, "max_percentage": bound}
}

// holdErrors holds that these are the errors, or that there are none.
func holdErrors(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// holdPlan holds what a plan does, after a refresh.
func holdPlan(t *testing.T, d *acctest.Driver, c acctest.Config, want acctest.Action) {
	t.Helper()
	action, _, errs := d.Plan(c)
	holdErrors(t, errs)
	if action != want {
		t.Errorf("the plan is to %s, want %s", action, want)
	}
}

// holdState holds that the state has these values.
func holdState(t *testing.T, d *acctest.Driver, want acctest.Config) {
	t.Helper()
	got := acctest.Config{}
	for name := range want {
		got[name] = d.State()[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

// text is a value of the state.
func text(d *acctest.Driver, name string) string {
	s, _ := d.State()[name].(string)
	return s
}
