package main_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// tableKeyedBy is a table whose key attributes have those names.
func tableKeyedBy(t *testing.T, db *dynamodb.Client, hash, sort string) string {
	t.Helper()
	name := "availability-test-" + rand.Text()
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: &hash, AttributeType: types.ScalarAttributeTypeS}, {AttributeName: &sort, AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}},
	})
	if err != nil {
		t.Fatalf("create table: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if _, err := db.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
			t.Errorf("delete table: %v", err)
		}
	})
	if err := dynamodb.NewTableExistsWaiter(db).Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &name}, time.Minute); err != nil {
		t.Fatalf("wait for table: %v", err)
	}
	return name
}

// The stream of a table whose keys and attributes are the platform's own: what the
// source reads by its settings, the stream flips by the same.
func TestBootstrap_streamOfAnotherLayout(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	inventory := tableKeyedBy(t, db, "id", "unit")
	f := deploy(t, map[string]string{
		"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_INVENTORY_TABLE_NAME": inventory,
		"AVAILABILITY_SOURCE": "inventory-units", "AVAILABILITY_SOURCE_STATUS_ATTRIBUTE": "state", "AVAILABILITY_SOURCE_AVAILABLE_STATUSES": "free",
		"AVAILABILITY_SOURCE_PARTITION_KEY_ATTRIBUTE": "id", "AVAILABILITY_SOURCE_SORT_KEY_ATTRIBUTE": "unit",
		"AVAILABILITY_SOURCE_KEY_TEMPLATE": "stock/{date}/{collectionId}/{activityType}/{activityId}/{productId}",
	})
	f.readsBy(db, inventory, "id", "stock/")
	july1 := campOn(t, "2027-07-01")
	awstest.Seed(t, store, july1, "5min", signal.Pattern{Mode: signal.Exact})
	if r := f.run(fiveMinutes); r.Cleaned != 1 {
		t.Errorf("first run: %+v", r)
	}
	await(t, store, july1, "clean", isClean)
	for unit, state := range map[string]string{"1": "free", "2": "free", "3": "sold"} {
		put(t, db, inventory, map[string]types.AttributeValue{
			"id": s("stock/2027-07-01/mockPark1/backcountryCamp/1/1"), "unit": s(unit), "state": s(state),
		})
	}
	await(t, store, july1, "dirty", isDirty)
	deadline := time.Now().Add(time.Minute)
	// The records may come in several batches, each a flip.
	for {
		f.run(fiveMinutes)
		item, err := store.Get(t.Context(), july1.Key())
		if err != nil {
			t.Fatal(err)
		}
		if isClean(item) && item.Text(signal.AttrValue) == "2" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("want clean with 2: %v", item)
		}
	}
}

// What cannot be handled is delivered again by the event source mapping, until it
// can.
func TestBootstrap_streamDeliversAgain(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	// More than the SDK sends by itself.
	const busy = 12
	n, endpoint := newNetwork(t, func(kind string, n int) fate {
		if kind == "PutItem" && n <= busy {
			return throttled
		}
		return delivered
	})
	f := deploy(t, map[string]string{"AVAILABILITY_TABLE_NAME": store.Table(), "AWS_ENDPOINT_URL_DYNAMODB": endpoint})
	july1, july2 := campOn(t, "2027-07-01"), campOn(t, "2027-07-02")
	awstest.Seed(t, store, july2, "5min", signal.Pattern{Mode: signal.Exact})
	f.run(fiveMinutes)
	await(t, store, july2, "clean", isClean)
	f.reads(db, store.Table(), "inventoryPool::", "productDate::", "product::")
	putItem(t, store, july1.ItemKey(), signal.Item{"timezone": signal.S("America/Vancouver"), "availabilityEstimationPattern": pattern("exact", minutes(5))})
	putItem(t, store, dateKey(july1), signal.Item{})
	putItem(t, store, poolKey(july2), signal.Item{"capacity": signal.N(20), "availability": signal.N(12)})
	await(t, store, july1, "seeded", isDirty)
	if got := n.count("PutItem"); got <= busy {
		t.Errorf("seeded by request %d, although the first %d were turned away", got, busy)
	}
	await(t, store, july2, "dirty", isDirty)
}
