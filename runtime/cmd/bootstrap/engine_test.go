package main_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const fiveMinutes = `{"cadenceBucket": "cadenceBucket::5min"}`

// newStore is a table with the bucket 5min.
func newStore(t *testing.T, db *dynamodb.Client, p awstest.Projection) *dynamo.Store {
	t.Helper()
	store := dynamo.NewStore(db, awstest.Table(t, db, p))
	err := dynamo.NewRegistry(store).Create(t.Context(), signal.Bucket{
		Name: "5min", Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: rand.Text(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// seed seeds a dirty signal in one table, and a pool of 12 of 20 in another.
func seed(t *testing.T, db *dynamodb.Client, signals *dynamo.Store, inventory, date string) signal.Key {
	t.Helper()
	day, err := signal.ParseDate(date)
	if err != nil {
		t.Fatal(err)
	}
	d := signal.ProductDate{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"},
		Date:    day,
	}
	_, err = db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &inventory, Item: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: d.PoolPK()}, "sk": &types.AttributeValueMemberS{Value: "loop"},
		"capacity": &types.AttributeValueMemberN{Value: "20"}, "availability": &types.AttributeValueMemberN{Value: "12"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	awstest.Seed(t, signals, d, "5min", signal.Pattern{Mode: signal.Exact})
	return d.Key()
}

// report is an answer's report; it must not be an error.
func report(t *testing.T, a answer) check.Report {
	t.Helper()
	if a.ErrorMessage != "" {
		t.Fatal(a.ErrorMessage)
	}
	var r check.Report
	if err := json.Unmarshal([]byte(a.body), &r); err != nil {
		t.Fatalf("answer %s: %v", a.body, err)
	}
	return r
}

func wantClean(t *testing.T, store *dynamo.Store, key signal.Key) {
	t.Helper()
	item, err := store.Get(t.Context(), key)
	if err != nil || item.Text(signal.AttrGSISK) != signal.Clean || item.Text(signal.AttrValue) != "12" {
		t.Errorf("want it clean with 12: %v, %v", item, err)
	}
}

func TestBootstrap_runsABucket(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	key := seed(t, db, store, store.Table(), "2027-07-01")
	l := start(t, build(t), lambdaEnv(map[string]string{"AVAILABILITY_TABLE_NAME": store.Table()}))

	a := l.invoke(fiveMinutes)
	r := report(t, a)
	if r.Bucket != "cadenceBucket::5min" || r.Cleaned != 1 || r.Changed != 1 {
		t.Errorf("report: %s", a.body)
	}
	wantClean(t, store, key)
	lines := l.logged("run")
	if len(lines) != 1 || lines[0]["cleaned"] != 1.0 || lines[0]["requestId"] != "request-1" || lines[0]["bucket"] != "cadenceBucket::5min" {
		t.Errorf("log: %s", l.log.String())
	}

	// Kept warm, it runs again.
	if r := report(t, l.invoke(fiveMinutes)); r.Seen != 0 {
		t.Errorf("second run: %+v", r)
	}
}

func TestBootstrap_inventoryInATableOfItsOwn(t *testing.T) {
	db := awstest.DynamoDB(t)
	store, inventory := newStore(t, db, awstest.Included), awstest.Table(t, db, awstest.NoIndex)
	key := seed(t, db, store, inventory, "2027-07-01")
	l := start(t, build(t), lambdaEnv(map[string]string{
		"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_INVENTORY_TABLE_NAME": inventory,
		"AVAILABILITY_CADENCE_INDEX_NAME": awstest.CadenceIndex, "AVAILABILITY_SOURCE": "inventory-pool",
	}))
	if r := report(t, l.invoke(fiveMinutes)); r.Cleaned != 1 {
		t.Errorf("report: %+v", r)
	}
	wantClean(t, store, key)
}

func TestBootstrap_whatIsMissing(t *testing.T) {
	db := awstest.DynamoDB(t)
	bootstrap := build(t)
	whole, noIndex := newStore(t, db, awstest.Included), newStore(t, db, awstest.NoIndex)
	for name, test := range map[string]struct {
		env         map[string]string
		event, kind string
		says        []string
	}{
		"bucket": {
			map[string]string{"AVAILABILITY_TABLE_NAME": whole.Table()},
			`{"cadenceBucket": "cadenceBucket::1h"}`, "BucketNotRegistered",
			[]string{`run bucket "1h"`, whole.Table(), "bucket not registered", `apply availability_cadence_bucket "1h" for this table`, "AVAILABILITY_TABLE_NAME"},
		},
		"table": {
			map[string]string{"AVAILABILITY_TABLE_NAME": "no-such-table"},
			fiveMinutes, "TableNotFound",
			[]string{`run bucket "5min"`, `"no-such-table"`, "table not found", "AVAILABILITY_TABLE_NAME and AWS_REGION"},
		},
		"index": {
			map[string]string{"AVAILABILITY_TABLE_NAME": noIndex.Table()},
			fiveMinutes, "IndexNotFound",
			[]string{`run bucket "5min"`, `index "cadence-index" of table "` + noIndex.Table(), "index not found", "create an index of gsipk and gsisk", "AVAILABILITY_CADENCE_INDEX_NAME"},
		},
		"index of that name": {
			map[string]string{"AVAILABILITY_TABLE_NAME": whole.Table(), "AVAILABILITY_CADENCE_INDEX_NAME": "gsi1"},
			fiveMinutes, "IndexNotFound",
			[]string{`index "gsi1"`, "index not found"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := start(t, bootstrap, lambdaEnv(test.env)).invoke(test.event)
			if a.ErrorType != test.kind {
				t.Errorf("type %q, want %q", a.ErrorType, test.kind)
			}
			for _, want := range test.says {
				if !strings.Contains(a.ErrorMessage, want) {
					t.Errorf("%q does not say %q", a.ErrorMessage, want)
				}
			}
		})
	}
}

// A missing inventory table is not the signals' fault, and must be seen at once.
func TestBootstrap_noInventoryTable(t *testing.T) {
	db := awstest.DynamoDB(t)
	store := newStore(t, db, awstest.Included)
	key := seed(t, db, store, store.Table(), "2027-07-01")
	l := start(t, build(t), lambdaEnv(map[string]string{
		"AVAILABILITY_TABLE_NAME": store.Table(), "AVAILABILITY_INVENTORY_TABLE_NAME": "no-such-table",
	}))
	r := report(t, l.invoke(fiveMinutes))
	if r.BackedOff != 1 || !strings.Contains(r.SourceError, "table not found") || !strings.Contains(r.SourceError, "no-such-table") {
		t.Errorf("report: %+v", r)
	}
	if item, err := store.Get(t.Context(), key); err != nil || item[signal.AttrAttempts].Exists() {
		t.Errorf("item: %v, %v", item, err)
	}
}
