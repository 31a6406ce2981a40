package flip_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// onEngine is whether the tests are to use a DynamoDB, and fail without one.
func onEngine() bool { return os.Getenv("TF_ACC") != "" }

// engine is a table of its own on a DynamoDB, local or real, for one test.
func engine(tb testing.TB) (*dynamodb.Client, string) {
	tb.Helper()
	if !onEngine() {
		tb.Skip("needs a DynamoDB: set TF_ACC=1 and credentials, or AWS_ENDPOINT_URL")
	}
	cfg, err := config.LoadDefaultConfig(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	db, name := dynamodb.NewFromConfig(cfg), "availability-flip-"+rand.Text()
	_, err = db.CreateTable(tb.Context(), &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(signal.AttrPK), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(signal.AttrSK), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(signal.AttrPK), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(signal.AttrSK), KeyType: types.KeyTypeRange},
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		// The test's own context has ended by now. One that the SDK sends again, as the
		// first answer was lost, finds no table any more.
		_, err := db.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
		if _, gone := errors.AsType[*types.ResourceNotFoundException](err); err != nil && !gone {
			tb.Error(err)
		}
	})
	if err := dynamodb.NewTableExistsWaiter(db).Wait(tb.Context(), &dynamodb.DescribeTableInput{TableName: &name}, 2*time.Minute); err != nil {
		tb.Fatal(err)
	}
	return db, name
}

// seedSignal seeds a clean signal.
func seedSignal(tb testing.TB, store *dynamo.Store, d signal.ProductDate) {
	tb.Helper()
	_, err := store.Write(tb.Context(), protocol.Seed(protocol.Seeding{
		ProductDate: d,
		GSIPK:       signal.ShardKey("5min", 0),
		GlobalID:    "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b",
		Pattern:     signal.Pattern{Mode: signal.Exact},
		Expiry:      signal.Expiry(d.Date, time.UTC),
		SeededBy:    "test",
	}, time.Now()))
	if err != nil {
		tb.Fatal(err)
	}
}

var july1 = signal.ProductDate{
	Product: signal.Product{CollectionID: "park", ActivityType: "dayuse", ActivityID: "1", ProductID: "1"},
	Date:    signal.Date{Year: 2027, Month: time.July, Day: 1},
}

func TestFlip_onEngine(t *testing.T) {
	db, name := engine(t)
	store, k := dynamo.NewStore(db, name), july1.Key()
	seedSignal(t, store, july1)
	at := time.Now().Truncate(time.Millisecond).UTC()
	clock := at
	c := flip.New(db, name, flip.WithClock(func() time.Time { return clock }))
	expect := func(what string, rev int64) {
		t.Helper()
		item, err := store.Get(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		if item.Text(signal.AttrGSISK) != signal.Dirty || item.Int(signal.AttrRev) != rev || item.Text(signal.AttrDirtySince) != signal.FormatInstant(at) {
			t.Errorf("after %s: %s, rev %d, dirty since %s; want dirty, rev %d, since %s", what,
				item.Text(signal.AttrGSISK), item.Int(signal.AttrRev), item.Text(signal.AttrDirtySince), rev, signal.FormatInstant(at))
		}
	}
	do := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}

	do("flip", c.Flip(t.Context(), k))
	expect("the flip of a clean signal", 1)
	clock = at.Add(time.Second)
	do("flip", c.Flip(t.Context(), k))
	expect("the flip of a dirty one", 1)
	do("blind", c.Blind(t.Context(), k))
	expect("a blind flip", 2)
	claim(t, store, k)
	do("flip", c.Flip(t.Context(), k))
	expect("the flip of a claimed one", 3)
	_, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{c.TransactItem(k)}})
	do("transaction", err)
	expect("a flip in a transaction", 4)
}

func TestFlip_onEngineNothingIsBroughtIntoBeing(t *testing.T) {
	db, name := engine(t)
	store, k := dynamo.NewStore(db, name), july1.Key()
	c := flip.New(db, name)
	if err := c.Flip(t.Context(), k); err != nil {
		t.Errorf("flip: %v", err)
	}
	if err := c.Blind(t.Context(), k); err != nil {
		t.Errorf("blind: %v", err)
	}
	_, err := db.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{c.TransactItem(k)}})
	if advice := flip.Advise(err, 0); advice != flip.WithoutFlips {
		t.Errorf("advice %d for %v, want WithoutFlips", advice, err)
	}
	if item, err := store.Get(t.Context(), k); item != nil || err != nil {
		t.Errorf("found %v, %v", item, err)
	}
}

func TestFlip_onEngineWithoutATable(t *testing.T) {
	db, _ := engine(t)
	err := flip.New(db, "availability-no-such-table").Flip(t.Context(), july1.Key())
	if !errors.Is(err, dynamo.ErrTableNotFound) {
		t.Errorf("error %v", err)
	}
}

// Callers of many goroutines, each with a change of its own, on the engine.
func TestFlip_onEngineManyCallers(t *testing.T) {
	db, name := engine(t)
	store, k := dynamo.NewStore(db, name), july1.Key()
	seedSignal(t, store, july1)
	c := flip.New(db, name)
	for round := range 5 {
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				if err := c.Flip(t.Context(), k); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		item, err := store.Get(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		if item.Text(signal.AttrGSISK) != signal.Dirty {
			t.Errorf("round %d: the signal is %s", round, item.Text(signal.AttrGSISK))
		}
		// A claim, so that the next round's flips count.
		claim(t, store, k)
	}
}

// claim claims a signal. A claim is sent once, so one whose answer is lost may have
// to be made again.
func claim(t *testing.T, store *dynamo.Store, k signal.Key) {
	t.Helper()
	for {
		id := rand.Text()
		_, err := store.WriteOnce(t.Context(), protocol.Claim(k, id, time.Now(), 0))
		if err == nil {
			return
		}
		if !errors.Is(err, dynamo.ErrUnknown) {
			t.Fatal(err)
		}
		item, err := store.Get(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		if item.Text(signal.AttrClaimedBy) == id {
			return
		}
	}
}
