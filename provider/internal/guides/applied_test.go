package guides_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The guide's reader has a value after the first tick, and another after a booking.
func gettingStarted(t *testing.T, g *guide) {
	local(t)
	table := acctest.Name("signals")
	g.set(map[string]any{"table_name": table, "architecture": acctest.Architecture()})
	g.take()
	g.Init()
	g.beforeTheFirstApply(table)
	g.take()
	g.Run(0, "apply", "-auto-approve", "-no-color")
	if n := len(signals(t, table, campPK)); n != 31 {
		t.Errorf("July has %d signals", n)
	}
	inventory(t, table)
	input := onlyInput(t, "availability-"+table+"-5min")
	tick(t, "availability-"+table, input)
	hold := func(day, value, bit string) {
		t.Helper()
		item := signals(t, table, campPK)[day]
		if item.Text("value") != value || item.Text("gsisk") != bit {
			t.Errorf("%s is %s and %q, want %s and %q", day, item.Text("gsisk"), item.Text("value"), bit, value)
		}
	}
	hold("2090-07-01", "37", "clean")
	hold("2090-07-02", "none", "clean")

	// A booking.
	client := acctest.DynamoDB(t)
	key := signal.Key{PK: campPK, SK: "2090-07-01"}
	_, err := client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName:                 &table,
		Key:                       stringItem("pk", "inventoryPool::mockPark1::backcountryCamp::1::1::2090-07-01", "sk", "main"),
		UpdateExpression:          aws.String("SET #left = :left"),
		ExpressionAttributeNames:  map[string]string{"#left": "availability"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":left": &types.AttributeValueMemberN{Value: "36"}},
	})
	if err := errors.Join(err, flip.New(client, table).Flip(t.Context(), key)); err != nil {
		t.Fatal(err)
	}
	hold("2090-07-01", "37", "dirty")
	tick(t, "availability-"+table, input)
	hold("2090-07-01", "36", "clean")
	g.Run(0, "plan", "-detailed-exitcode", "-no-color")
	g.afterTheLastApply(table)
	g.destroy()
}

// inventory is the guide's own command.
func inventory(t *testing.T, table string) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(examples, "getting-started", "inventory.sh"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", later.Replace(string(script)))
	cmd.Env = append(cmd.Environ(), "TABLE="+table)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Signals come and go in a table of the platform's, and nothing else of it changes.
func sharedTable(t *testing.T, g *guide) {
	client := acctest.DynamoDB(t)
	table := acctest.Name("reservations")
	index := func(name string, keys ...types.KeySchemaElement) types.GlobalSecondaryIndex {
		return types.GlobalSecondaryIndex{IndexName: &name, KeySchema: keys, Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}
	}
	acctest.PlatformTable(t, &dynamodb.CreateTableInput{
		TableName:              &table,
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{index("gsi-index", hash("gsipk"), sort("gsisk")), index("globalId-index", hash("globalId"))},
	}, "gsipk", "gsisk", "globalId")
	product := stringItem("pk", "product::mockPark1::backcountryCamp::1", "sk", "1", "schema", "product", "gsipk", "collection::mockPark1", "gsisk", "product", "globalId", "a product")
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: product}); err != nil {
		t.Fatal(err)
	}
	g.take()
	g.set(map[string]any{"table_name": table, "function_arn": functionARN})
	g.Init()
	g.apply()
	if july := signals(t, table, campPK); len(july) != 31 || july["2090-07-31"].Text("gsipk") != "cadenceBucket::5min" {
		t.Errorf("July is %v", july)
	}
	g.destroy()
	all, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Items) != 1 || !cmp.Equal(all.Items[0], product, cmp.AllowUnexported(types.AttributeValueMemberS{})) {
		t.Errorf("the table has %v", all.Items)
	}
}

// The second trigger has the bucket checked as the first one does.
func openingMorning(t *testing.T, g *guide) {
	local(t)
	table := acctest.Table(t)
	function := newFunction(t, g, map[string]string{"AVAILABILITY_TABLE_NAME": table})
	g.take()
	g.set(map[string]any{"table_name": table, "function_name": function})
	g.Init()
	g.Run(0, "apply", "-auto-approve", "-no-color")
	own, opening := onlyInput(t, "availability-"+table+"-5min"), onlyInput(t, "opening-morning-"+table)
	var a, b map[string]string
	if err := errors.Join(json.Unmarshal([]byte(own), &a), json.Unmarshal([]byte(opening), &b)); err != nil || !cmp.Equal(a, b) {
		t.Errorf("the targets' inputs are %s and %s, %v", own, opening, err)
	}
	tick(t, function, opening)
	run, err := acctest.DynamoDB(t).GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: stringItem("pk", "cadenceBucket::5min", "sk", "run"), ConsistentRead: aws.Bool(true)})
	if err != nil || run.Item["lastRunAt"] == nil {
		t.Errorf("the bucket has not run: %v, %v", run, err)
	}
	g.destroy()
}

// A change of inventory flips its signal, without the application's doing.
func streaming(t *testing.T, g *guide) {
	local(t)
	table, platform := acctest.Table(t), acctest.Name("platform")
	acctest.PlatformTable(t, &dynamodb.CreateTableInput{
		TableName:           &platform,
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeKeysOnly},
	})
	client := acctest.DynamoDB(t)
	put := func(table string, item map[string]types.AttributeValue) {
		t.Helper()
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	put(table, stringItem("pk", campPK, "sk", "2090-07-01", "schema", "availabilitySignal", "gsipk", "cadenceBucket::5min", "gsisk", "clean", "value", "37"))
	g.take()
	g.set(map[string]any{
		"function_name":       newFunction(t, g, map[string]string{"AVAILABILITY_TABLE_NAME": table, "AVAILABILITY_INVENTORY_TABLE_NAME": platform}),
		"platform_table_name": platform,
	})
	g.Init()
	g.Run(0, "apply", "-auto-approve", "-no-color")
	put(platform, stringItem("pk", "inventoryPool::mockPark1::backcountryCamp::1::1::2090-07-01", "sk", "main"))
	await(t, "the stream flips the signal", func() bool { return signals(t, table, campPK)["2090-07-01"].Text("gsisk") == "dirty" })
	g.destroy()
}

// applyItems applies table items. Now and then an answer of a local AWS is lost, the
// SDK sends the put again, and hashicorp/aws takes its own item for another's: such an
// item is deleted, and made again.
func applyItems(t *testing.T, g *guide, table string) {
	t.Helper()
	for range 5 {
		out, err := g.Terraform("apply", "-auto-approve", "-no-color").CombinedOutput()
		if err == nil {
			return
		}
		if !strings.Contains(string(out), "ConditionalCheckFailedException") {
			t.Fatalf("terraform apply: %v\n%s", err, out)
		}
		known := map[string]bool{}
		for _, r := range g.Resources() {
			id, _ := r["id"].(string)
			known[id] = true
		}
		for _, pk := range []string{campPK, "availabilitySignal::mockPark1::dayUse::7::1"} {
			for sk := range signals(t, table, pk) {
				if known[strings.Join([]string{table, "pk", pk, sk}, "|")] {
					continue
				}
				if _, err := acctest.DynamoDB(t).DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: stringItem("pk", pk, "sk", sk)}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Fatal("terraform apply: table items are refused for themselves each time")
}

// What was seeded item by item is taken over as it is, by a plan that destroys
// nothing.
func migrating(t *testing.T, g *guide) {
	local(t)
	table := acctest.Table(t)
	g.take("bucket.tf", "before.tf")
	g.set(map[string]any{"table_name": table, "function_arn": functionARN})
	g.Init()
	applyItems(t, g, table)
	before := signals(t, table, campPK)
	if len(before) != 184 {
		t.Fatalf("%d items", len(before))
	}

	g.drop("before.tf")
	g.take("moved.tf", "removed.tf")
	plan := g.Run(0, "plan", "-no-color")
	for _, want := range []string{"moved from aws_dynamodb_table_item.canada_day", "1 to add, 1 to change, 0 to destroy", "Terraform will no longer manage these objects"} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan does not say %q:\n%s", want, plan)
		}
	}
	g.apply()
	owners := map[string]bool{}
	for date, was := range before {
		is := signals(t, table, campPK)[date]
		if is.Text("value") != was.Text("value") || is.Text("gsisk") != "dirty" || is.Text("globalId") == "" || !is["ttl"].Exists() {
			t.Fatalf("%s was %v and is %v", date, was, is)
		}
		owners[is.Text("seededBy")] = true
	}
	if len(owners) != 1 {
		t.Errorf("the range's dates have the owners %v", owners)
	}
	moved := signals(t, table, "availabilitySignal::mockPark1::dayUse::7::1")["2090-07-01"]
	if moved.Text("value") != "37" || moved.Text("seededBy") == "" {
		t.Errorf("the signal that was moved is %v", moved)
	}
	g.destroy()
}
