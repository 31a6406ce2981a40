package guides_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	ebtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var firstOfJuly = signal.Key{PK: campPK, SK: "2090-07-01"}

// The runbooks are walked on the stack of the first guide, one after another, as
// one would in a bad week.
func runbooks(t *testing.T, g *guide) {
	local(t)
	table := acctest.Name("signals")
	c := &commands{t: t, dir: t.TempDir(), table: table, function: "availability-" + table, operator: operatorCommand(t)}
	g.name = "getting-started"
	g.take()
	g.set(map[string]any{"table_name": table, "architecture": acctest.Architecture()})
	g.Init()
	g.Run(0, "apply", "-auto-approve", "-no-color")
	pool(t, table, "2090-07-01", 37, 60)
	input := onlyInput(t, "availability-"+table+"-5min")
	tick(t, c.function, input)

	oneWrongDay(t, c)
	quarantine(t, c)
	brake(t, c)
	afterARestore(t, c, g)
	keepingTheNewName(t, c, g)
	leaving(t, c, g)
}

// holdValue holds a value as readers have it.
func (c *commands) holdValue(date, want string) {
	c.t.Helper()
	if item := signals(c.t, c.table, campPK)[date]; item.Text("value") != want || item.Text("gsisk") != "clean" {
		c.t.Errorf("%s is %s and %q, want %q and clean", date, item.Text("gsisk"), item.Text("value"), want)
	}
}

func oneWrongDay(t *testing.T, c *commands) {
	t.Helper()
	pool(t, c.table, "2090-07-01", 12, 60)
	c.run(1, "one-wrong-day", "explain.sh")
	if out := c.run(0, "one-wrong-day", "invoke.sh"); !strings.Contains(out, `"verdict":"changed without a flip"`) && !strings.Contains(out, `"verdict": "changed without a flip"`) {
		t.Errorf("the function answers %s", out)
	}
	c.run(0, "one-wrong-day", "check.sh")
	c.holdValue("2090-07-01", "12")
	// Right by now, so that whoever still shows 37 has it from somewhere else.
	c.says(1, "look at the reader: the value 12 is right, and 37 was shown", "explain", "-function", c.function, "-shows", "37", firstOfJuly.String())

	pool(t, c.table, "2090-07-04", 5, 60)
	c.run(1, "one-wrong-day", "audit.sh")
	tick(t, c.function, `{"cadenceBucket": "cadenceBucket::5min"}`)
	c.holdValue("2090-07-04", "5")
}

func quarantine(t *testing.T, c *commands) {
	t.Helper()
	pool(t, c.table, "2090-07-01", 12, -1)
	if err := flip.New(acctest.DynamoDB(t), c.table).Flip(t.Context(), firstOfJuly); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		c.says(1, "its capacity is missing", "check", "-function", c.function, firstOfJuly.String())
	}
	c.run(1, "quarantine", "doctor.sh")
	c.run(1, "quarantine", "explain.sh")
	pool(t, c.table, "2090-07-01", 12, 60)
	c.run(0, "quarantine", "check.sh")
	c.holdValue("2090-07-01", "12")
	c.says(0, "signals: all is well", "doctor", "-table", c.table)
}

// The brake holds everything that the function does, and is let go again.
func brake(t *testing.T, c *commands) {
	t.Helper()
	c.run(0, "stopping-a-bucket", "brake.sh")
	_, err := acctest.Lambda(t).Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &c.function, Payload: []byte(`{"cadenceBucket": "cadenceBucket::5min"}`)}, func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
	if err == nil || !strings.Contains(err.Error(), "TooManyRequests") {
		t.Errorf("invoked all the same: %v", err)
	}
	c.says(1, "its reserved concurrency is 0: it is never invoked", "doctor", "-table", c.table)
	c.says(1, "somebody has stopped it. Try again, or do without -function", "explain", "-function", c.function, firstOfJuly.String())
	c.says(0, "right: the value 12 is right", "explain", "-table", c.table, firstOfJuly.String())
	c.run(0, "stopping-a-bucket", "release.sh")
	c.says(0, "right: the value 12 is right", "explain", "-function", c.function, firstOfJuly.String())
}

// The table is put back as it was: what has been seeded since is missing, what has
// been booked since is wrong, and TTL is off.
func afterARestore(t *testing.T, c *commands, g *guide) {
	t.Helper()
	db := acctest.DynamoDB(t)
	// The local AWS restores what there is now, so that this is the moment to go back to.
	_, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &c.table, Key: stringItem("pk", campPK, "sk", "2090-07-31")})
	if err != nil {
		t.Fatal(err)
	}
	pool(t, c.table, "2090-07-02", 8, 60)
	c.run(0, "after-a-restore", "restore.sh", "WHEN="+time.Now().UTC().Format(time.RFC3339))
	t.Cleanup(func() { acctest.DeleteTable(t, c.table+"-restored") })
	c.run(0, "after-a-restore", "swap.sh")

	c.run(1, "after-a-restore", "doctor.sh")
	c.run(0, "after-a-restore", "audit.sh")
	c.holdValue("2090-07-02", "8")
	// With the range and the table go the two that Terraform reads again after a table that changes: the function and its policy.
	plan := g.Run(2, "plan", "-detailed-exitcode", "-no-color")
	for _, want := range []string{"2090-07-31/2090-07-31", "attribute_name = \"ttl\"", "0 to add, 4 to change, 0 to destroy"} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan does not say %q:\n%s", want, plan)
		}
	}
	g.apply()
	if is := signals(t, c.table, campPK)["2090-07-31"]; is.Text("gsisk") != "dirty" {
		t.Errorf("what was missing is %v", is)
	}
	c.says(0, "table: all is well", "doctor", "-table", c.table)

	// The same without a comparison, by what Terraform 1.8 cannot parse.
	server := acctest.NewServer(t, acctest.Config{"table_name": c.table})
	for _, block := range acctest.Example(t, filepath.Join(examples, "after-a-restore", "mark-dirty.tf"), nil) {
		if _, errs := server.Invoke(block.Labels[1], block.Config); len(errs) > 0 {
			t.Errorf("%v: %q", block.Labels, errs)
		}
	}
	for date, is := range signals(t, c.table, campPK) {
		if is.Text("gsisk") != "dirty" {
			t.Errorf("%s is not dirty", date)
		}
	}
}

// The restored table takes the old one's place, under its new name, and nothing of
// ours goes by the old one any more.
func keepingTheNewName(t *testing.T, c *commands, g *guide) {
	t.Helper()
	old := c.table
	t.Cleanup(func() { acctest.DeleteTable(t, old) })
	here := *c
	here.dir = g.Dir()
	g.Write("delete_signals.py", c.example("leaving", "delete_signals.py"))
	here.run(0, "after-a-restore", "forget.sh")
	here.run(0, "after-a-restore", "new-name.sh", append(g.Terraform().Env, "TF_CLI_ARGS_apply=-auto-approve", "TF_CLI_ARGS_destroy=-auto-approve", "TF_CLI_ARGS=-no-color")...)

	c.table, c.function = old+"-restored", "availability-"+old+"-restored"
	g.set(map[string]any{"table_name": c.table, "architecture": acctest.Architecture()})
	g.Run(0, "plan", "-detailed-exitcode", "-no-color")
	rules := acctest.EventBridge(t)
	holdRule(t, rules, "availability-"+old+"-5min", false)
	july := signals(t, c.table, campPK)
	if len(july) != 31 || july["2090-07-02"].Text("gsisk") != "dirty" || july["2090-07-02"].Text("value") != "" {
		t.Errorf("July is %v", july)
	}
	if left := signals(t, old, campPK); len(left) > 0 {
		t.Errorf("the old table still has %d", len(left))
	}
	tick(t, c.function, onlyInput(t, "availability-"+c.table+"-5min"))
	c.holdValue("2090-07-02", "8")
	c.says(0, "signals: all is well", "doctor", "-table", c.table)
}

// Nothing of ours is left in a table that stays.
func leaving(t *testing.T, c *commands, g *guide) {
	t.Helper()
	if _, err := acctest.DynamoDB(t).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &c.table, Item: stringItem(
		"pk", "availabilitySignal::mockPark1::dayUse::7::1", "sk", "2090-07-01", "schema", "availabilitySignal", "seededBy", "stream",
		"gsipk", "cadenceBucket::5min", "gsisk", "dirty",
	)}); err != nil {
		t.Fatal(err)
	}
	g.Run(0, "destroy", "-auto-approve", "-no-color", "-target=availability_signal_range.july")
	if left := g.Run(1, "destroy", "-auto-approve", "-no-color", "-target=availability_cadence_bucket.five_minutes"); !strings.Contains(left, "It still has 1 signal in table") {
		t.Errorf("a bucket with a signal is destroyed: %s", left)
	}
	if out := c.python("leaving", "delete_signals.py", c.table); !strings.HasPrefix(out, "1 deleted") {
		t.Errorf("deleted: %s", out)
	}
	g.Run(0, "destroy", "-auto-approve", "-no-color", "-target=availability_cadence_bucket.five_minutes")
	if out := c.run(0, "leaving", "left.sh"); !strings.HasPrefix(out, "0\n[]") {
		t.Errorf("left: %s", out)
	}
	g.destroy()
}

// A bucket that is stopped by hand is started by the next apply, and one that is
// stopped in the configuration is not.
func stoppingABucket(t *testing.T, g *guide) {
	table := acctest.Table(t)
	c := &commands{t: t, dir: t.TempDir(), table: table, operator: operatorCommand(t)}
	rule, rules := "availability-"+table+"-5min", acctest.EventBridge(t)
	hold := func(want ebtypes.RuleState) {
		t.Helper()
		is, err := rules.DescribeRule(t.Context(), &eventbridge.DescribeRuleInput{Name: &rule})
		if err != nil || is.State != want {
			t.Fatalf("the rule is %v, %v; want %s", is, err, want)
		}
	}
	g.take("main.tf")
	stopped := c.example("stopping-a-bucket", "bucket.tf")
	running := regexp.MustCompile(`(?m)^  enabled = false.*\n`).ReplaceAllString(stopped, "")
	if running == stopped {
		t.Fatal("the example does not stop it")
	}
	g.Write("bucket.tf", running)
	g.set(map[string]any{"table_name": table, "function_arn": functionARN})
	g.Init()
	g.apply()

	c.run(0, "stopping-a-bucket", "disable.sh")
	hold(ebtypes.RuleStateDisabled)
	g.Run(0, "apply", "-auto-approve", "-no-color")
	hold(ebtypes.RuleStateEnabled)

	c.run(0, "stopping-a-bucket", "disable.sh")
	g.take("bucket.tf")
	g.apply()
	hold(ebtypes.RuleStateDisabled)
	c.says(1, "it is disabled: its signals are not checked", "doctor", "-table", table)

	g.Write("bucket.tf", running)
	g.apply()
	hold(ebtypes.RuleStateEnabled)
	g.destroy()
}

// The runbook has every verdict that there is, in the order in which they are found.
func TestOneWrongDay_everyVerdict(t *testing.T) {
	t.Parallel()
	guide := text(t, "docs/guides/one-wrong-day.md")
	found := regexp.MustCompile(`Verdict = "([^"]+)"`).FindAllStringSubmatch(text(t, "runtime/operate/verdict.go"), -1)
	if len(found) == 0 {
		t.Fatal("no verdicts")
	}
	for _, verdict := range found {
		if !strings.Contains(guide, "\n| "+verdict[1]+" |") {
			t.Errorf("the guide has no row for %q", verdict[1])
		}
	}
}
