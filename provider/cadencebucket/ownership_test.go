package cadencebucket_test

import (
	"strings"
	"testing"
	"time"

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
				`Delete that rule if nobody needs it. If it is this bucket's after all, give it the tag availability:bucket = "`+w.table+"/"+bucket+`". Then run terraform apply again. Or set rule_name to another name.`)
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
		"To manage it with this configuration, import it: terraform import availability_cadence_bucket.<NAME> '"+w.table+"/5min'. Otherwise choose another name. "+
		"If it is this resource's own, which is being replaced for another rule_name: a bucket is never there twice, so take create_before_destroy out of its lifecycle.")
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

// A bucket that is gone without its rule leaves none that nobody speaks of; made
// again, it takes it over.
func TestOwn02_bucketRegistryItemGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	w.deleteItem("cadenceBucket::5min", "cadenceBucket")
	want := `Unable to read cadence bucket "5min": Its registry item in table "` + w.table + `" is gone, or the table is, but its rule "` + w.rule("5min") + "\" is still there and may go on firing for a bucket that nobody can check.\n\n" +
		"The bucket was removed from the state.\n\n" +
		"Run terraform apply: the bucket that it makes takes the rule over, if it has the same table_name, name and rule_name. If there is to be none any more, remove the rule's targets and delete it."
	holdPlan(t, d, config, acctest.Create)
	holdErrors(t, d.Warnings(), want)
	holdApplied(t, d, config)
	holdPlan(t, d, config, acctest.NoOp)

	w.deleteItem("cadenceBucket::5min", "cadenceBucket")
	w.deleteRule(w.rule("5min"))
	d.Warnings()
	holdPlan(t, d, config, acctest.Create)
	if warnings := d.Warnings(); len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
}

// Two stacks never fight over a bucket: one that another has made anew is not
// this one's any more.
func TestOwn02_bucketReplacedByAnother(t *testing.T) {
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
	do := `Delete that rule if nobody needs it. If it is this bucket's after all, give it the tag availability:bucket = "` + w.table + `/5min". Then run terraform apply again. ` +
		"To have another rule instead, which replaces the bucket: set force_destroy = true and run terraform apply, which says this once more and takes note of that; only then set rule_name to another name, and run terraform apply again. Its signals stay, and are the new bucket's."
	holdPlan(t, d, config, acctest.Update)
	holdErrors(t, d.Warnings(), `Unable to read rule of cadence bucket "5min": `+why+"needs_repair says that the bucket has no rule: nothing triggers its checks.\n\n"+do)
	holdErrors(t, d.Apply(config), `rule_name: Unable to update cadence bucket "5min": `+why+
		"The state is as it was but for force_destroy, though part of the change may have been made: the next plan shows what is left to do.\n\n"+do)

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

// Whose rule is taken away gets another one by the way that the message says, and
// its signals are the new bucket's.
func TestBucket_ruleNameChangesWithSignals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	w.seed("cadenceBucket::5min", "2026-07-01", "clean", time.Now().Add(48*time.Hour))
	w.deleteRule(rule)
	w.putRule(rule, nil)
	before := w.describe(rule)

	config["force_destroy"] = true
	if errs := d.Apply(config); len(errs) != 1 {
		t.Errorf("errors: %q", errs)
	}
	if d.State()["force_destroy"] != true || d.Tainted() {
		t.Errorf("state: %v", d.State())
	}
	config["rule_name"] = acctest.Name("ours")
	holdPlan(t, d, config, acctest.Replace)
	holdApplied(t, d, config)
	config["force_destroy"] = false
	holdApplied(t, d, config)
	holdPlan(t, d, config, acctest.NoOp)
	if w.describe(config["rule_name"].(string)) == nil || w.registryItem("5min") == nil {
		t.Error("there is no new bucket")
	}
	if diff := cmp.Diff(before, w.describe(rule), ignoreTargets()); diff != "" {
		t.Errorf("their rule (-before +after):\n%s", diff)
	}
	w.unseed("2026-07-01")
	if errs := d.Destroy(); len(errs) > 0 {
		t.Errorf("destroy: %q", errs)
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
	advice := "\n\nGive the id as <table_name>/<name>, each part percent-escaped, such as reservations/5min."
	noName := ": expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min."
	for id, want := range map[string]string{
		"5min":              `Unable to import cadence bucket "5min": The id has 1 part, not 2; a slash inside a part is written %2F.` + advice,
		"a/b/c":             `Unable to import cadence bucket "a/b/c": The id has 3 parts, not 2; a slash inside a part is written %2F.` + advice,
		"reservations/":     `Unable to import cadence bucket "reservations/": Invalid bucket name ""` + noName + advice,
		"reservations/5Min": `Unable to import cadence bucket "reservations/5Min": Invalid bucket name "5Min"` + noName + advice,
		"a/5min":            `Unable to import cadence bucket "a/5min": Table name "a": expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores.` + advice,
		"a/%zz":             `Unable to import cadence bucket "a/%zz": Part 2 of the id is not percent-escaped: invalid URL escape "%zz".` + advice,
		w.table + "/absent": "Cannot import non-existent remote object",
	} {
		t.Run(id, func(t *testing.T) { holdErrors(t, d.Import(id), want) })
	}
	for want, identity := range map[string]acctest.Config{
		`Unable to import cadence bucket "5Min": Invalid bucket name "5Min"` + noName + "\n\nCorrect the identity in the import block.": {"table_name": w.table, "name": "5Min"},
		`Unable to import cadence bucket "5min": Table name "a": expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores.` + "\n\nCorrect the identity in the import block.": {
			"table_name": "a", "name": "5min",
		},
	} {
		holdErrors(t, d.ImportIdentity(identity), want)
	}
}
