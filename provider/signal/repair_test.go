package signal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// change writes other values into an item, or removes those that are none.
func (w *world) change(day int, attrs signal.Item) {
	w.t.Helper()
	item := w.item(day)
	for name, v := range attrs {
		if item[name] = v; !v.Exists() {
			delete(item, name)
		}
	}
	w.put(item)
}

// What shows in no attribute shows in needs_repair, and is mended in place.
func TestOwn02_signalNeedsRepair(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(signalType, nil)
	holdErrors(t, d.Apply(exactSignal(nil)))
	holdState(t, d, acctest.Config{"needs_repair": []any{}})
	seeded := w.item(1)
	tests := []struct {
		lacks signal.Item
		names []any
		flips bool
	}{
		{signal.Item{"ttl": {}}, []any{"ttl"}, false},
		{signal.Item{"ttl": signal.N(4000000000)}, []any{"ttl"}, false},
		{signal.Item{"ttl": signal.S("3802662000")}, []any{"ttl"}, false},
		{signal.Item{"seededBy": {}}, []any{"seededBy"}, true},
		{signal.Item{"seededBy": {}, "ttl": {}, "gsipk": signal.S("cadenceBucket::15min")}, []any{"seededBy", "ttl"}, true},
	}
	for _, tt := range tests {
		w.put(seeded)
		w.change(1, tt.lacks)
		action, planned, errs := d.Plan(exactSignal(nil))
		holdErrors(t, errs)
		if action != acctest.Update || !cmp.Equal(planned["needs_repair"], any([]any{})) || planned["global_id"] != seeded.Text("globalId") {
			t.Errorf("the plan is to %s: %v", action, planned)
		}
		holdState(t, d, acctest.Config{"needs_repair": tt.names})
		holdErrors(t, d.Apply(exactSignal(nil)))
		want := seeded.Clone()
		if tt.flips {
			want["gsisk"], want["rev"], want["dirtySince"] = signal.S("dirty"), signal.N(1), signal.S("2090-06-01T12:00:00.000Z")
		}
		if diff := cmp.Diff(want, atMostTwice(want, w.item(1))); diff != "" {
			t.Errorf("item (-want +got):\n%s", diff)
		}
		holdPlan(t, d, exactSignal(nil), acctest.NoOp)
	}
}

// A signal that nobody owns and that has no globalId is imported, and made whole
// by the first apply.
func TestSignal_importsNobodys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nobodys := another(1)
	for _, attr := range []string{"seededBy", "globalId", "ttl"} {
		delete(nobodys, attr)
	}
	nobodys["expiry"] = signal.S("2090-07-02T07:00:00.000Z")
	nobodys["value"], nobodys["note"] = signal.S("12"), signal.S("the application's")
	w.put(nobodys)
	d := w.driver(signalType, nil)
	holdErrors(t, d.Import(w.table+"/mockPark1/backcountryCamp/1/1/2090-07-01"))
	holdState(t, d, acctest.Config{"needs_repair": []any{"globalId", "seededBy", "ttl"}, "global_id": nil})
	_, planned, errs := d.Plan(exactSignal(nil))
	holdErrors(t, errs)
	if planned["global_id"] != (acctest.Unknown{}) {
		t.Errorf("global_id is planned as %v", planned["global_id"])
	}
	holdErrors(t, d.Apply(exactSignal(nil)))
	item, id := w.item(1), text(d, "global_id")
	if id == "" || item.Text("globalId") != id || item.Text("seededBy") != "terraform:"+id || item.Text("gsisk") != "dirty" || item.Text("value") != "12" || item.Text("note") == "" {
		t.Errorf("the item is %v, the state has %q", item, id)
	}
	holdPlan(t, d, exactSignal(nil), acctest.NoOp)
	holdErrors(t, d.Destroy())
	if w.item(1) != nil {
		t.Error("it is still there")
	}
	// One that is destroyed before that is deleted as it is.
	w.put(nobodys)
	holdErrors(t, d.Import(w.table+"/mockPark1/backcountryCamp/1/1/2090-07-01"))
	holdErrors(t, d.Destroy())
	if w.item(1) != nil {
		t.Error("it is still there")
	}
}

// The plan that Terraform prints names what is wrong, and the apply mends it while
// a run has the signal claimed.
func TestSignal_repairsWhileItIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(w.option()),
		Steps: []resource.TestStep{
			{Config: minimalSignal(w.table, "")},
			{
				PreConfig: func() {
					w.check(1, "37")
					w.change(1, signal.Item{"ttl": {}})
				},
				Config: minimalSignal(w.table, ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("needs_repair"), knownvalue.ListExact(nil)),
					meanwhile(func() { w.write(protocol.Claim(campOn(1).Key(), "run-2", june, signal.DefaultChecks().Lease)) }),
				}},
				Check: func(*terraform.State) error {
					item := w.item(1)
					if item.Int("ttl") != 3802662000 || item.Text("claimedBy") != "run-2" || item.Text("value") != "37" {
						return fmt.Errorf("the item is %v", item)
					}
					return nil
				},
			},
			{
				RefreshState:      true,
				RefreshPlanChecks: resource.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
		},
	})
}

// Each call of a repair fails in each way; the next apply mends the rest, with one
// flip at the most.
func TestSignal_repairFails(t *testing.T) {
	t.Parallel()
	for name, effect := range effects() {
		for _, call := range []string{"GetItem", "UpdateItem"} {
			for nth := 1; nth <= 3; nth++ {
				if call == "UpdateItem" && nth > 1 {
					continue
				}
				t.Run(fmt.Sprintf("%s %d, %s", call, nth, name), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					proxy := acctest.NewFaultProxy(t)
					settings := through(proxy)
					settings["max_retries"] = 0
					d := w.driver(signalType, settings)
					holdErrors(t, d.Apply(exactSignal(nil)))
					id := text(d, "global_id")
					w.change(1, signal.Item{"seededBy": {}, "ttl": {}})
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					proxy.Set(acctest.Fault{Operation: call, Call: nth, Effect: effect(cancel)})
					errs := d.ApplyContext(ctx, exactSignal(nil))
					// An answer that was lost is found out about.
					if want := call == "UpdateItem" && (name == "lost" || name == "cancelled, applied"); (len(errs) == 0) != want {
						t.Errorf("errors: %q", errs)
					}
					proxy.Set()
					holdErrors(t, d.Apply(exactSignal(nil)))
					item := w.item(1)
					if item.Text("globalId") != id || item.Text("seededBy") != "terraform:"+id || item.Int("ttl") != 3802662000 || item.Int("rev") != 1 {
						t.Errorf("the item is %v", item)
					}
					holdPlan(t, d, exactSignal(nil), acctest.NoOp)
				})
			}
		}
	}
}
