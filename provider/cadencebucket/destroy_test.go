package cadencebucket_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// seed writes a signal of a bucket as a seeder does.
func (w world) seed(gsipk, date, bit string, expires time.Time) {
	w.t.Helper()
	w.put(map[string]any{
		"pk": "availabilitySignal::mockPark1::backcountryCamp::1::1", "sk": date, "gsipk": gsipk, "gsisk": bit,
		"schema": "availabilitySignal", "globalId": "g-" + date, "expiry": expires.UTC().Format("2006-01-02T15:04:05.000Z"), "ttl": expires.Unix(),
	})
}

func (w world) unseed(date string) {
	w.t.Helper()
	w.deleteItem("availabilitySignal::mockPark1::backcountryCamp::1::1", date)
}

// A bucket with signals is not destroyed, and nothing about it changes, until
// they are gone.
func TestBucket_destroyGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	later := time.Now().Add(48 * time.Hour)
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	w.seed("cadenceBucket::5min", "2026-07-01", "clean", later)
	w.seed("cadenceBucket::5min::3", "2026-07-02", "dirty", later)
	w.seed("cadenceBucket::5min", "2020-07-01", "clean", time.Now().Add(-time.Hour))
	w.seed("cadenceBucket::15min", "2026-07-03", "clean", later)

	refused := func(count, named string) string {
		return `Unable to destroy cadence bucket "5min": It still has ` + count + ` in table "` + w.table + "\", which nothing would check any more: " + named + ".\n\n" +
			"The bucket is as it was, and stays in the state.\n\n" +
			"Destroy its signals, or move them to another bucket, then destroy again. To destroy it all the same, set force_destroy = true, run terraform apply, and only then destroy: " +
			"the signals stay, unchecked, until they expire. To change rule_name, set force_destroy = true under the old one, run terraform apply, and only then change it: the signals stay, and are the new bucket's. " +
			"To change name, set lifecycle { create_before_destroy = true }, so that the signals move to the new bucket first."
	}
	const first = "availabilitySignal::mockPark1::backcountryCamp::1::1 2026-07-01"
	holdErrors(t, d.Destroy(), refused("2 signals", first+", availabilitySignal::mockPark1::backcountryCamp::1::1 2026-07-02"))
	holdPlan(t, d, config, acctest.NoOp)
	w.unseed("2026-07-02")
	holdErrors(t, d.Destroy(), refused("1 signal", first))
	holdPlan(t, d, config, acctest.NoOp)
	w.unseed("2026-07-01")
	holdDestroyed(t, w, d, "5min")
}

func TestBucket_forceDestroy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	forced := minimal(w.table)[:len(minimal(w.table))-2] + "  force_destroy = true\n}\n"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: minimal(w.table)},
			{
				PreConfig:   func() { w.seed("cadenceBucket::5min", "2026-07-01", "clean", time.Now().Add(48*time.Hour)) },
				Config:      "# nothing",
				ExpectError: acctest.Text(`Error: Unable to destroy cadence bucket "5min" It still has 1 signal in table "` + w.table + `", which nothing would check any more: availabilitySignal::mockPark1::backcountryCamp::1::1 2026-07-01.`),
			},
			{
				PreConfig: func() {
					w.putTarget(rule, "theirs", queueARN)
					w.put(map[string]any{"pk": "cadenceBucket::5min", "sk": "run", "runBy": "r-1"})
					w.put(map[string]any{"pk": "cadenceBucket::5min", "sk": "audit::0", "cursor": "x"})
				},
				Config: forced,
			},
		},
	})
	w.holdNothing("5min", rule)
	for _, sk := range []string{"run", "audit::0"} {
		if item := w.item("cadenceBucket::5min", sk); item != nil {
			t.Errorf("the bucket's own item is still there: %v", item)
		}
	}
	if w.item("availabilitySignal::mockPark1::backcountryCamp::1::1", "2026-07-01") == nil {
		t.Error("the signal is gone")
	}
}

// Nobody's targets lose their ticks unasked.
func TestBucket_othersTargetsStopDestroy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)
	w.putTarget(rule, "theirs", queueARN)
	w.putTarget(rule, "hers", functionARN)

	errs := d.Destroy()
	want := func(targets string) string {
		return `Unable to destroy cadence bucket "5min": Others have added targets to its rule "` + rule + `": ` + targets + ".\n\n" +
			"The bucket is as it was, and stays in the state.\n\n" +
			"Have them removed from the rule, whose ticks they will no longer get, then destroy again. To remove them with the bucket, set force_destroy = true, run terraform apply, and only then destroy."
	}
	theirs, hers := "theirs ("+queueARN+")", "hers ("+functionARN+")"
	if len(errs) != 1 || errs[0] != want(theirs+", "+hers) && errs[0] != want(hers+", "+theirs) {
		t.Errorf("errors: %q", errs)
	}
	holdPlan(t, d, config, acctest.NoOp)
	w.removeTarget(rule, "theirs")
	w.removeTarget(rule, "hers")
	holdDestroyed(t, w, d, "5min")
}

// A target that somebody adds between the look at the rule and its removal keeps
// the rule, as AWS has it, and is named.
func TestBucket_targetAddedWhileDestroying(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rule := w.rule("5min")
	proxy := acctest.NewFaultProxy(t)
	d := acctest.NewDriver(t, typeName, proxy.Settings(nil))
	holdApplied(t, d, bucketConfig(w, "5min", nil))
	proxy.Set(
		acctest.Fault{Operation: "DeleteRule", Call: 1, Effect: acctest.Before(func() { w.putTarget(rule, "theirs", queueARN) })},
		// As AWS answers, where the local one may just delete.
		acctest.Fault{Operation: "DeleteRule", Effect: acctest.Fail(400, "ValidationException", "Rule can't be deleted since it has targets.")},
	)
	holdErrors(t, d.Destroy(), `Unable to destroy cadence bucket "5min": Others have added targets to its rule "`+rule+`": theirs (`+queueARN+").\n\n"+
		"Its own target is removed already, so that nothing is checked. The bucket stays in the state; an apply would put the target back.\n\n"+
		"Have them removed from the rule, whose ticks they will no longer get, then destroy again. To remove them with the bucket, set force_destroy = true, run terraform apply, and only then destroy.")
	proxy.Set()
	w.removeTarget(rule, "theirs")
	holdDestroyed(t, w, d, "5min")
}

// Without its table there is no bucket: it is gone in a plan, and a destroy only
// tidies its rule.
func TestOwn03_bucketTableVanishes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.table = acctest.Name("availability-vanishing")
	config := bucketConfig(w, "5min", nil)
	noTable := `There is no table "` + w.table + `" in this account and region.` + "\n\n%s\n\n" +
		"Create it in the same configuration and take table_name from that resource, or correct table_name, the provider's region or its credentials.\n\n%s"

	d := acctest.NewDriver(t, typeName, nil)
	holdPlan(t, d, config, acctest.Create)
	errs := d.Apply(config)
	if len(errs) != 1 || !acctest.Text(fmt.Sprintf(`Unable to create cadence bucket "5min": `+noTable,
		"Nothing was left behind, and the bucket is not in the state.", "DynamoDB answered DescribeTable with ResourceNotFoundException: ANY")).MatchString(errs[0]) {
		t.Errorf("apply without a table: %q", errs)
	}
	if d.State() != nil {
		t.Error("it is in the state")
	}

	acctest.CreateTable(t, w.table)
	holdApplied(t, d, config)
	acctest.DeleteTable(t, w.table)
	if errs := d.DestroyUnrefreshed(); len(errs) > 0 {
		t.Errorf("destroy: %q", errs)
	}
	if w.describe(w.rule("5min")) != nil {
		t.Error("the rule is still there")
	}

	acctest.CreateTable(t, w.table)
	holdApplied(t, d, config)
	acctest.DeleteTable(t, w.table)
	holdPlan(t, d, config, acctest.Create)
	w.deleteRule(w.rule("5min"))
}
