// Package guides_test applies what the guides show, from the files that they show.
package guides_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	examples    = "../../../examples/guides"
	functionARN = "arn:aws:lambda:ca-central-1:000000000000:function:availability"
	campPK      = "availabilitySignal::mockPark1::backcountryCamp::1::1"
)

// The guides' dates pass, but not here.
var later = strings.NewReplacer("2027", "2090")

func TestGuides(t *testing.T) {
	ws := acctest.NewWorkspaceWithPackages(t)
	// For several of them, and built by the first.
	function := sync.OnceValue(func() []byte { return acctest.Package(t, acctest.Architecture()) })
	for name, test := range map[string]func(*testing.T, *guide){
		"readme":                     readme,
		"getting-started":            gettingStarted,
		"seeding-a-season":           seedingASeason,
		"shared-table":               sharedTable,
		"environments":               environments,
		"opening-morning":            openingMorning,
		"stream":                     streaming,
		"migrating-from-table-items": migrating,
		"stopping-a-bucket":          stoppingABucket,
		"adopting":                   adoptingBeside,
		"one-wrong-day":              runbooks, // and those that are walked after it
	} {
		t.Run(name, func(t *testing.T) {
			test(t, &guide{Workspace: ws.Beside(t), t: t, name: name, ws: ws, function: function})
		})
	}
}

// Every folder of the guides' examples is applied.
func TestGuides_all(t *testing.T) {
	t.Parallel()
	folders, err := os.ReadDir(examples)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range folders {
		got = append(got, f.Name())
	}
	want := []string{
		"adopting", "after-a-restore", "alternatives", "environments", "flipping", "getting-started", "leaving", "migrating-from-table-items", "one-wrong-day",
		"opening-morning", "quarantine", "seeding-a-season", "shared-table", "stopping-a-bucket", "stream",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("examples/guides (-want +got):\n%s", diff)
	}
}

// guide is the example of a guide, in a folder of its own.
type guide struct {
	*acctest.Workspace
	t    *testing.T
	name string
	ws   *acctest.Workspace
	// function is the zip of the runtime's function, for this machine.
	function func() []byte
}

// take copies files of the example, or all of its configuration.
func (g *guide) take(files ...string) {
	g.t.Helper()
	if len(files) == 0 {
		found, err := filepath.Glob(filepath.Join(examples, g.name, "*.tf"))
		if err != nil || len(found) == 0 {
			g.t.Fatalf("%s has no configuration: %v", g.name, err)
		}
		for _, f := range found {
			files = append(files, filepath.Base(f))
		}
	}
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(examples, g.name, f))
		if err != nil {
			g.t.Fatal(err)
		}
		g.Write(f, later.Replace(string(content)))
	}
}

// drop takes a file away again.
func (g *guide) drop(file string) {
	g.t.Helper()
	if err := os.Remove(filepath.Join(g.Dir(), file)); err != nil {
		g.t.Fatal(err)
	}
}

// set gives values to variables.
func (g *guide) set(variables map[string]any) {
	g.t.Helper()
	text, err := json.Marshal(variables)
	if err != nil {
		g.t.Fatal(err)
	}
	g.Write("terraform.tfvars.json", string(text))
}

// apply applies, after which there is nothing left to do.
func (g *guide) apply() {
	g.t.Helper()
	g.Run(0, "apply", "-auto-approve", "-no-color")
	g.Run(0, "plan", "-detailed-exitcode", "-no-color")
}

func (g *guide) destroy() {
	g.t.Helper()
	g.Run(0, "destroy", "-auto-approve", "-refresh=false", "-no-color")
}

// signals are those of a product, by date.
func signals(t *testing.T, table, pk string) map[string]signal.Item {
	t.Helper()
	found := map[string]signal.Item{}
	query := dynamo.Query{Hash: signal.AttrPK, Partition: pk, Range: signal.AttrSK, From: "0", To: "9"}
	for item, err := range dynamo.NewStore(acctest.DynamoDB(t), table).Query(t.Context(), query) {
		if err != nil {
			t.Fatal(err)
		}
		found[item.Text(signal.AttrSK)] = item
	}
	return found
}

func seedingASeason(t *testing.T, g *guide) {
	table := acctest.Table(t)
	g.take()
	g.set(map[string]any{"table_name": table, "function_arn": functionARN})
	g.Init()
	g.apply()
	pass := "availabilitySignal::mockPark1::dayUse::7::1"
	season := signals(t, table, campPK)
	// 184 days from May to October, less two.
	if len(season) != 182 || season["2090-06-14"] != nil || len(signals(t, table, pass)) != 182 {
		t.Errorf("the season has %d and %d dates", len(season), len(signals(t, table, pass)))
	}
	dates := slices.Sorted(maps.Keys(season))
	if dates[0] != "2090-05-01" || dates[len(dates)-1] != "2090-10-31" {
		t.Errorf("it goes from %s to %s", dates[0], dates[len(dates)-1])
	}
	july := season["2090-07-01"]
	if july.Text("expiry") != "2090-07-02T07:00:00.000Z" || july.Text("gsisk") != "dirty" || july.Text("gsipk") != "cadenceBucket::5min" {
		t.Errorf("the first of July is %v", july)
	}

	// Two weeks more, and the rest is left alone.
	g.set(map[string]any{"table_name": table, "function_arn": functionARN, "end_date": "2090-11-14"})
	g.apply()
	extended := signals(t, table, campPK)
	if len(extended) != 196 || !cmp.Equal(extended["2090-07-01"], july) {
		t.Errorf("it has %d dates; the first of July: %s", len(extended), cmp.Diff(july, extended["2090-07-01"]))
	}
	g.destroy()
	if left := signals(t, table, campPK); len(left) > 0 {
		t.Errorf("%d signals are left", len(left))
	}
}

// One folder, and a file and a workspace for each environment.
func environments(t *testing.T, g *guide) {
	rules := acctest.EventBridge(t)
	account := callerAccount(t)
	g.take()
	ruleOf := map[string]string{}
	files := func(account string) {
		for environment, rule := range ruleOf {
			// The names are the test's own.
			name := strings.TrimSuffix(strings.TrimPrefix(rule, "availability-signals-"), "-5min")
			change := strings.NewReplacer(`"`+environment+`"`, `"`+name+`"`, "111111111111", account)
			content, err := os.ReadFile(filepath.Join(examples, g.name, environment+".tfvars"))
			if err != nil {
				t.Fatal(err)
			}
			g.Write(environment+".tfvars", change.Replace(string(content)))
		}
	}
	for _, environment := range []string{"test", "production"} {
		name := acctest.Name(environment)
		acctest.CreateTable(t, "signals-"+name)
		t.Cleanup(func() { acctest.DeleteTable(t, "signals-"+name) })
		ruleOf[environment] = "availability-signals-" + name + "-5min"
	}
	files(account)
	g.Init()
	script, err := filepath.Abs(filepath.Join(examples, g.name, "apply.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for environment := range ruleOf {
		terraform := g.Terraform()
		cmd := exec.CommandContext(t.Context(), "sh", "-e", script)
		cmd.Dir = terraform.Dir
		cmd.Env = slices.Concat(terraform.Env, []string{"ENVIRONMENT=" + environment, "TF_CLI_ARGS_apply=-auto-approve -no-color"})
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("apply %s: %v\n%s", environment, err, out)
		}
		g.Run(0, "plan", "-detailed-exitcode", "-no-color", "-var-file="+environment+".tfvars")
	}
	destroy := func(environment string) {
		g.Run(0, "workspace", "select", environment)
		g.Run(0, "destroy", "-auto-approve", "-refresh=false", "-no-color", "-var-file="+environment+".tfvars")
	}
	holdRule(t, rules, ruleOf["test"], true)
	destroy("test")
	holdRule(t, rules, ruleOf["test"], false)
	holdRule(t, rules, ruleOf["production"], true)

	// The other account's environment is not applied to this one.
	files("123456789012")
	g.Run(0, "workspace", "select", "production")
	g.Run(1, "plan", "-no-color", "-var-file=production.tfvars")
	files(account)
	destroy("production")
}
