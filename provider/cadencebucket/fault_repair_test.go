package cadencebucket_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// Whatever call fails of a create that takes over what an interrupted one left: the
// rule is never lost, and the next apply makes the bucket.
func TestOwn01_bucketTakeoverFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	// takeover makes a bucket whose rule is there already.
	takeover := func(t *testing.T, name string, fault ...acctest.Fault) (*acctest.Driver, acctest.Config, []string) {
		w.putRule(w.rule(name), map[string]string{"availability:bucket": w.table + "/" + name, "old": "x"})
		d := acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 0}))
		config := bucketConfig(w, name, acctest.Config{"tags": acctest.Config{"team": "reservations"}})
		proxy.Set(fault...)
		return d, config, d.Apply(config)
	}
	whole, _, errs := takeover(t, "whole")
	holdErrors(t, errs)
	calls := proxy.Calls()
	want := []string{
		"DescribeTable", "DescribeTimeToLive", "PutItem",
		"DescribeRule", "ListTagsForResource", "UntagResource", "TagResource", "PutRule", "PutTargets", "GetItem", "UpdateItem",
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls of a takeover (-want +got):\n%s", diff)
	}
	holdDestroyed(t, w, whole, "whole")

	eachFault(t, briefly(), calls, func(t *testing.T, fault acctest.Fault) {
		name := acctest.Name("takeover")
		d, config, errs := takeover(t, name, fault)
		proxy.Set()
		if len(errs) == 0 {
			t.Error("the apply said nothing of the failure")
		}
		if d.State() == nil && w.registryItem(name) != nil {
			t.Error("a registry item is left that no state has")
		}
		if w.describe(w.rule(name)) == nil {
			t.Error("the rule is gone")
		}
		holdApplied(t, d, config)
		holdPlan(t, d, config, acctest.NoOp)
		holdDestroyed(t, w, d, name)
	})
}

// Whatever call of a repair fails: the next apply mends the rest.
func TestOwn01_bucketRepairFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 0}))
	config := bucketConfig(w, "5min", acctest.Config{"tags": acctest.Config{"a": "1"}})
	proxy.Set()
	holdApplied(t, d, config)
	rule := w.rule("5min")
	wholeRule, wholeItem := w.describe(rule), w.registryItem("5min")

	for name, spoil := range map[string]func(t *testing.T){
		"no rule": func(*testing.T) { w.deleteRule(rule) },
		// What a create has left that was killed after the registry item.
		"half made": func(t *testing.T) {
			w.deleteRule(rule)
			w.set("cadenceBucket::5min", "cadenceBucket", "ruleArn", text(""))
			d.Forget()
			holdErrors(t, d.Import(w.table+"/5min"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			spoil(t)
			proxy.Set()
			holdApplied(t, d, config)
			eachFault(t, briefly(), proxy.Calls(), func(t *testing.T, fault acctest.Fault) {
				spoil(t)
				proxy.Set(fault)
				errs := d.Apply(config)
				proxy.Set()
				if len(errs) == 0 {
					t.Error("the apply said nothing of the failure")
				}
				holdApplied(t, d, config)
				holdPlan(t, d, config, acctest.NoOp)
				if diff := cmp.Diff(wholeRule, w.describe(rule), ignoreTargets()); diff != "" {
					t.Errorf("rule (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(wholeItem, w.registryItem("5min")); diff != "" {
					t.Errorf("registry item (-want +got):\n%s", diff)
				}
			})
		})
	}
	holdDestroyed(t, w, d, "5min")
}
