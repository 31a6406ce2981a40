package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// The example of a platform's whole repository, with a provider that a workspace has:
// planned in one checkout and applied in another, its trigger computes values, its
// stream flips, it plans empty from both, and the operators' doctor finds nothing.
func runComplete(t *testing.T, ws *acctest.Workspace, version, operator string) {
	t.Helper()
	p := newPlatform(t)
	planned, applied := p.checkout(ws.Beside(t), version), p.checkout(ws.Beside(t), version)
	planned.Init()
	planned.Run(0, "plan", "-out=plan", "-no-color")
	// What travels with a plan, and what is in version control.
	carry(t, planned, applied, "plan", ".terraform.lock.hcl", ".terraform/availability")
	applied.Init()
	applied.Run(0, "apply", "-no-color", "plan")
	holdNothingToDo(t, applied)
	carry(t, applied, planned, "terraform.tfstate")
	holdNothingToDo(t, planned)

	// Nobody but EventBridge invokes the function.
	p.await("37")
	p.left("36")
	p.await("36")
	holdNothingToDo(t, applied)
	// As the example's README says.
	shown := strings.Split(strings.TrimSpace(block(t, "examples/complete/README.md", "operator doctor")), "\n")
	doctor := exec.CommandContext(t.Context(), "sh", "-c", strings.NewReplacer("operator ", operator+" ", " signals", " "+p.signals, " reservations", " "+p.table).Replace(shown[len(shown)-1]))
	if out, err := doctor.CombinedOutput(); err != nil {
		t.Errorf("the doctor: %v\n%s", err, out)
	}

	applied.Run(0, "destroy", "-auto-approve", "-no-color")
	rules, err := acctest.EventBridge(t).ListRules(t.Context(), &eventbridge.ListRulesInput{NamePrefix: aws.String("availability-" + p.signals)})
	if err != nil || len(rules.Rules) > 0 {
		t.Errorf("rules are left: %v, %v", rules, err)
	}
	if _, err := p.client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &p.signals}); err == nil {
		t.Error("the signals' table is left")
	}
}

// platform is what there is before: a table with the inventory of a night.
type platform struct {
	t              *testing.T
	client         *dynamodb.Client
	signals, table string
}

func newPlatform(t *testing.T) platform {
	t.Helper()
	p := platform{t: t, client: acctest.DynamoDB(t), signals: acctest.Name("signals"), table: acctest.Name("reservations")}
	acctest.PlatformTable(t, &dynamodb.CreateTableInput{
		TableName:           &p.table,
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly},
	})
	p.left("37")
	return p
}

// left is a booking: so much is left of the night afterwards.
func (p platform) left(n string) {
	p.t.Helper()
	_, err := p.client.PutItem(p.t.Context(), &dynamodb.PutItemInput{TableName: &p.table, Item: map[string]types.AttributeValue{
		"pk": stringValue("inventoryPool::mockPark1::backcountryCamp::1::1::2090-07-01"), "sk": stringValue("main"),
		"availability": &types.AttributeValueMemberN{Value: n}, "capacity": &types.AttributeValueMemberN{Value: "60"},
	}})
	if err != nil {
		p.t.Fatal(err)
	}
}

// await waits for the night's signal to have a value.
func (p platform) await(value string) {
	p.t.Helper()
	key := map[string]types.AttributeValue{"pk": stringValue("availabilitySignal::mockPark1::backcountryCamp::1::1"), "sk": stringValue("2090-07-01")}
	var item map[string]types.AttributeValue
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		out, err := p.client.GetItem(p.t.Context(), &dynamodb.GetItemInput{TableName: &p.signals, Key: key, ConsistentRead: aws.Bool(true)})
		if err != nil {
			p.t.Fatal(err)
		}
		item = out.Item
		if got, ok := item["value"].(*types.AttributeValueMemberS); ok && got.Value == value {
			return
		}
	}
	p.t.Fatalf("the signal has not come to be %s: it is %v", value, item)
}

func stringValue(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// checkout is the example with its settings, which are its own but for names, the
// year, and a bucket that ticks as often as there is.
func (p platform) checkout(ws *acctest.Workspace, version string) *acctest.Workspace {
	p.t.Helper()
	later := strings.NewReplacer("2027", "2090", `"5min" = { minutes = 5`, `"1min" = { minutes = 1`, `"5min"`, `"1min"`, `"1h"   = { hours = 1 }`, `"1h"   = { minutes = 1 }`)
	for _, name := range []string{"complete", "observability"} {
		ws.In(name).Take(filepath.Join("../examples", name), later.Replace, ".tf", ".tfvars", ".json")
	}
	settings, err := json.Marshal(map[string]any{
		"table_name": p.signals, "platform_table_name": p.table, "architecture": acctest.Architecture(),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	folder := ws.In("complete")
	folder.Write("test.auto.tfvars.json", string(settings))
	// A snapshot is taken only by its version.
	folder.Write("test_override.tf", fmt.Sprintf(`
terraform {
  required_providers {
    availability = {
      source  = "availability-signal/availability"
      version = %q
    }
  }
}
`, version))
	return folder
}

// carry copies files, and those of folders, from one workspace to another.
func carry(t *testing.T, from, to *acctest.Workspace, names ...string) {
	t.Helper()
	for _, name := range names {
		source := filepath.Join(from.Dir(), name)
		info, err := os.Stat(source)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			to.In(name).Take(source, func(s string) string { return s }, ".zip")
			continue
		}
		to.Write(name, string(read(t, source)))
	}
}

// holdNothingToDo holds that a plan changes nothing. The local AWS keeps an alarm and
// shows only a part of it, so that an alarm is always to be changed.
func holdNothingToDo(t *testing.T, ws *acctest.Workspace) {
	t.Helper()
	ws.Run(0, "plan", "-out=check", "-no-color")
	out, err := ws.Terraform("show", "-json", "check").Output()
	if err != nil {
		t.Fatal(err)
	}
	var plan struct {
		Changes []struct {
			Address string
			Type    string
			Change  struct{ Actions []string }
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal(out, &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Changes) == 0 {
		t.Error("the plan has no resources")
	}
	for _, c := range plan.Changes {
		actions := strings.Join(c.Change.Actions, " ")
		if actions == "no-op" || actions == "update" && c.Type == "aws_cloudwatch_metric_alarm" {
			continue
		}
		t.Errorf("%s is to be changed: %s", c.Address, actions)
	}
}
