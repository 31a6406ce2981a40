package cadencebucket_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

func holdErrors(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// A rule of that name that is not the bucket's is never overwritten.
func TestSeen06_foreignRuleStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := map[string]struct {
		tags map[string]string
		why  string
	}{
		"no tag":        {map[string]string{"team": "other"}, "it has no tag availability:bucket"},
		"other's tag":   {map[string]string{"availability:bucket": "elsewhere/5min"}, `its tag availability:bucket is "elsewhere/5min"`},
		"the name only": {map[string]string{"availability:bucket": "5min"}, `its tag availability:bucket is "5min"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bucket, rule := acctest.Name("bucket"), acctest.Name("theirs")
			w.putRule(rule, tt.tags)
			w.putTarget(rule, "theirs", queueARN)
			before := w.describe(rule)
			d := acctest.NewDriver(t, typeName, nil)

			errs := d.Apply(bucketConfig(w, bucket, acctest.Config{"rule_name": rule}))
			holdErrors(t, errs, `rule_name: Unable to create cadence bucket "`+bucket+`": There is a rule "`+rule+`" that is not this bucket's: `+tt.why+". It was not touched.\n\n"+
				"Nothing was left behind, and the bucket is not in the state.\n\n"+
				`Set rule_name to another name, or delete that rule if nobody needs it. If it is this bucket's after all, give it the tag availability:bucket = "`+w.table+"/"+bucket+`". Then run terraform apply again.`)
			if d.State() != nil || w.registryItem(bucket) != nil {
				t.Error("something was left behind")
			}
			if diff := cmp.Diff(before, w.describe(rule), ignoreTargets()); diff != "" {
				t.Errorf("their rule (-before +after):\n%s", diff)
			}
		})
	}
}

// The same, as somebody sees it who runs Terraform.
func TestBucket_foreignRuleInTerraform(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	w.putRule(rule, nil)
	before := w.describe(rule)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config:      minimal(w.table),
			ExpectError: acctest.Text(`Error: Unable to create cadence bucket "5min"`),
		}},
	})
	if diff := cmp.Diff(before, w.describe(rule), ignoreTargets()); diff != "" {
		t.Errorf("their rule (-before +after):\n%s", diff)
	}
}

// A rule that carries the bucket's tag is what an interrupted create left: it is
// taken over, and made as configured.
func TestBucket_ownRuleIsTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	w.putRule(rule, map[string]string{"availability:bucket": w.table + "/5min", "old": "x"})
	d := made(t, bucketConfig(w, "5min", acctest.Config{"tags": acctest.Config{"team": "reservations"}}))
	got := w.describe(rule)
	if len(got.Targets) != 1 || got.Schedule != "rate(5 minutes)" || got.Description != "" {
		t.Errorf("the rule is not as configured: %+v", got)
	}
	want := map[string]string{"availability:bucket": w.table + "/5min", "availability:managed-by": "terraform", "team": "reservations"}
	if diff := cmp.Diff(want, got.Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	holdDestroyed(t, w, d, "5min")
}

// A create that fails takes back what it made, but not a rule that was there
// before it.
func TestBucket_ruleTakenOverSurvivesFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	w.putRule(rule, map[string]string{"availability:bucket": w.table + "/5min"})
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(acctest.Config{"max_retries": 0}))
	proxy.Set(acctest.Fault{Operation: "PutTargets", Effect: acctest.LoseRequest()})
	if errs := d.Apply(bucketConfig(w, "5min", nil)); len(errs) == 0 {
		t.Error("the apply said nothing of the failure")
	}
	if d.State() != nil || w.registryItem("5min") != nil {
		t.Error("something was left behind")
	}
	if w.describe(rule) == nil {
		t.Error("the rule that was there before is gone")
	}
}

func TestBucket_existsAlready(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", nil)
	first := made(t, config)
	before := w.registryItem("5min")

	second := acctest.NewDriver(t, typeName, nil)
	holdErrors(t, second.Apply(config), `name: Unable to create cadence bucket "5min": Table "`+w.table+"\" already has a cadence bucket of that name.\n\n"+
		"It was not touched, and it is not in the state.\n\n"+
		"To manage it with this configuration, import it: terraform import availability_cadence_bucket.<NAME> '"+w.table+"/5min'. Otherwise choose another name.")
	if second.State() != nil {
		t.Error("it is in the state")
	}
	if diff := cmp.Diff(before, w.registryItem("5min")); diff != "" {
		t.Errorf("registry item (-before +after):\n%s", diff)
	}

	if errs := second.Import(w.table + "/5min"); len(errs) > 0 {
		t.Fatalf("import: %q", errs)
	}
	holdPlan(t, second, config, acctest.NoOp)
	holdDestroyed(t, w, first, "5min")
}

// Two stacks never fight over a bucket: one that another has made anew is not
// this one's any more.
func TestBucket_replacedByAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", nil)
	first := made(t, config)
	w.deleteItem("cadenceBucket::5min", "cadenceBucket")
	second := made(t, config)

	holdPlan(t, first, config, acctest.Create)
	holdErrors(t, first.Warnings(), `Unable to read cadence bucket "5min": The bucket of that name in table "`+w.table+"\" is another one, made since this one was last read.\n\n"+
		"It is not this configuration's, and was removed from the state.\n\n"+
		"Find out who made it. To manage it with this configuration, import it: terraform import availability_cadence_bucket.<NAME> '"+w.table+"/5min'.")
	if errs := first.Apply(config); len(errs) != 1 || !strings.Contains(errs[0], "already has a cadence bucket of that name") {
		t.Errorf("the first stack's apply: %q", errs)
	}
	holdPlan(t, second, config, acctest.NoOp)
	holdDestroyed(t, w, second, "5min")
}

// A rule whose tag somebody removed is not touched any more, neither by an apply
// nor by a destroy.
func TestBucket_ruleLosesItsTag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	w.deleteRule(rule)
	w.putRule(rule, nil)
	before := w.describe(rule)

	why := `There is a rule "` + rule + "\" that is not this bucket's: it has no tag availability:bucket. It was not touched.\n\n"
	do := `Set rule_name to another name, or delete that rule if nobody needs it. If it is this bucket's after all, give it the tag availability:bucket = "` + w.table + `/5min". Then run terraform apply again.`
	holdPlan(t, d, config, acctest.Update)
	holdErrors(t, d.Warnings(), `Unable to read rule of cadence bucket "5min": `+why+"needs_repair says that the bucket has no rule: nothing triggers its checks.\n\n"+do)
	holdErrors(t, d.Apply(config), `rule_name: Unable to update cadence bucket "5min": `+why+
		"The state is as it was, though part of the change may have been made: the next plan shows what is left to do.\n\n"+do)

	d.Warnings()
	if errs := d.Destroy(); len(errs) > 0 {
		t.Errorf("destroy: %q", errs)
	}
	warnings := d.Warnings()
	holdErrors(t, warnings[len(warnings)-1:], `Unable to destroy rule of cadence bucket "5min": `+why+"The bucket itself is destroyed, and no longer in the state.\n\nDelete the rule if nobody needs it.")
	if diff := cmp.Diff(before, w.describe(rule), ignoreTargets()); diff != "" {
		t.Errorf("their rule (-before +after):\n%s", diff)
	}
	if w.registryItem("5min") != nil {
		t.Error("the registry item is still there")
	}
}

// What is left of a create that was killed after the registry item can be
// imported, and the next apply finishes it.
func TestBucket_importsHalfMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	whole := w.describe(w.rule("5min"))
	w.deleteRule(w.rule("5min"))
	w.set("cadenceBucket::5min", "cadenceBucket", "ruleArn", text(""))
	d.Forget()

	if errs := d.Import(w.table + "/5min"); len(errs) > 0 {
		t.Fatalf("import: %q", errs)
	}
	holdPlan(t, d, config, acctest.Update)
	holdApplied(t, d, config)
	holdPlan(t, d, config, acctest.NoOp)
	if diff := cmp.Diff(whole, w.describe(w.rule("5min")), ignoreTargets()); diff != "" {
		t.Errorf("rule (-want +got):\n%s", diff)
	}
	holdDestroyed(t, w, d, "5min")
}

func TestBucket_importMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := acctest.NewDriver(t, typeName, nil)
	advice := "\n\nGive the id as <table_name>/<name>, such as reservations/5min."
	for id, want := range map[string]string{
		"5min":              `Unable to import cadence bucket "5min": The id "5min" has 1 parts, not 2.` + advice,
		"a/b/c":             `Unable to import cadence bucket "a/b/c": The id "a/b/c" has 3 parts, not 2.` + advice,
		"reservations/":     `Unable to import cadence bucket "reservations/": Part 2 of the id "reservations/" is empty.` + advice,
		"a/%zz":             `Unable to import cadence bucket "a/%zz": Part 2 of the id "a/%zz" is not percent-escaped: invalid URL escape "%zz".` + advice,
		w.table + "/absent": "Cannot import non-existent remote object",
	} {
		t.Run(id, func(t *testing.T) { holdErrors(t, d.Import(id), want) })
	}
}
