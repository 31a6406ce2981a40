package simulator_test

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// once sends a request once.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

func throttledBy(err error) string {
	if e, ok := errors.AsType[*types.ProvisionedThroughputExceededException](err); ok && len(e.ThrottlingReasons) == 1 {
		return *e.ThrottlingReasons[0].Reason
	}
	return ""
}

// until puts items, as f makes them, until one is throttled, and says how many.
func until(t *testing.T, c *simulator.Client, f func(i int) attributes) (n int, reason string) {
	t.Helper()
	for i := range 100_000 {
		_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: f(i)}, once)
		if err != nil {
			return i, throttledBy(err)
		}
	}
	return -1, ""
}

func TestThrottling_writesOfAPartition(t *testing.T) {
	clock := simulator.NewClock(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC))
	db, c := newDB(simulator.Config{Clock: clock, Limits: simulator.PartitionLimits()})
	in := func(p string) func(int) attributes {
		return func(int) attributes { return attributes{"pk": text(p), "sk": text("a")} }
	}
	if n, reason := until(t, c, in("p")); n != 1000 || reason != "TableWriteKeyRangeThroughputExceeded" {
		t.Errorf("throttled after %d writes by %q", n, reason)
	}
	if n, _ := until(t, c, in("q")); n != 1000 {
		t.Errorf("another partition was throttled after %d writes", n)
	}
	clock.Advance(250 * time.Millisecond)
	if n, _ := until(t, c, in("p")); n != 250 {
		t.Errorf("a quarter of a second later it took %d writes", n)
	}
	clock.Advance(time.Hour)
	if n, _ := until(t, c, in("p")); n != 1000 {
		t.Errorf("an hour later it took %d writes at once", n)
	}
	db.SetLimits(nil)
	if n, _ := until(t, c, in("p")); n != -1 {
		t.Errorf("without limits it was throttled after %d writes", n)
	}
}

func TestThrottling_readsOfAPartition(t *testing.T) {
	_, c := newDB(simulator.Config{Limits: simulator.PartitionLimits()})
	read := func(strong bool) error {
		_, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: ptr(table), Key: at("a"), ConsistentRead: &strong}, once)
		return err
	}
	n := 0
	var err error
	for ; err == nil; n++ {
		err = read(n%2 == 0)
	}
	// Two reads for one and a half.
	if n != 4001 || throttledBy(err) != "TableReadKeyRangeThroughputExceeded" {
		t.Errorf("throttled at read %d: %v", n, err)
	}
}

// The dirty bit is a key of the index, so that a flip and a clean cost its
// partition four units: 250 cycles a second, whatever the table could take.
func TestThrottling_indexStopsTheTable(t *testing.T) {
	_, c := newDB(simulator.Config{Limits: simulator.PartitionLimits()})
	signals := 5000
	bits := func(i int) attributes {
		bit := "clean"
		if i >= signals && i%2 == 0 {
			bit = "dirty"
		}
		return attributes{"pk": text(string(rune('a' + i%signals))), "sk": text("a"), "gsipk": text("b"), "gsisk": text(bit)}
	}
	n, reason := until(t, c, bits)
	if n != 1000 || reason != "IndexWriteKeyRangeThroughputExceeded" {
		t.Errorf("throttled after %d entries by %q", n, reason)
	}
	// What the index does not have, the table takes.
	if n, _ := until(t, c, func(i int) attributes { return attributes{"pk": text("other"), "sk": text("a")} }); n != 1000 {
		t.Errorf("a write beside the index was throttled after %d", n)
	}
}

func TestThrottling_refusedWritesNothing(t *testing.T) {
	db, c := newDB(simulator.Config{Limits: &simulator.Limits{Read: 100, Write: 1}})
	put(t, c, with(at("a"), "n", 1))
	before := db.Units(simulator.Scope{Index: simulator.Everything})
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: with(at("a"), "n", 2)}, once); throttledBy(err) == "" {
		t.Fatalf("not throttled: %v", err)
	}
	if got := db.Units(simulator.Scope{Index: simulator.Everything}); got != before {
		t.Errorf("cost %+v", got)
	}
	if got := textOf(get(t, c, at("a"))["n"]); got != "1" {
		t.Errorf("wrote %s", got)
	}
}

// A batch gets through in part, and says what did not.
func TestThrottling_ofBatches(t *testing.T) {
	_, c := newDB(simulator.Config{Limits: &simulator.Limits{Read: 2, Write: 2}})
	requests := []types.WriteRequest{}
	keys := []attributes{}
	for _, sk := range []string{"a", "b", "c"} {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: at(sk)}})
		keys = append(keys, at(sk))
	}
	wrote, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}})
	if err != nil || len(wrote.UnprocessedItems[table]) != 1 {
		t.Errorf("unprocessed: %v, %v", wrote, err)
	}
	read, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{table: {Keys: keys, ConsistentRead: ptr(true)}}})
	if err != nil || len(read.UnprocessedKeys[table].Keys) != 1 || !*read.UnprocessedKeys[table].ConsistentRead {
		t.Errorf("unprocessed: %v, %v", read, err)
	}
	if _, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}}, once); err == nil {
		t.Error("a batch of which nothing got through is no error")
	}
	statement := `INSERT INTO "signals" VALUE {'pk': ?, 'sk': ?}`
	done, err := c.BatchExecuteStatement(t.Context(), &dynamodb.BatchExecuteStatementInput{Statements: []types.BatchStatementRequest{
		{Statement: &statement, Parameters: []types.AttributeValue{text("p"), text("x")}},
		{Statement: &statement, Parameters: []types.AttributeValue{text("q"), text("x")}},
	}})
	if err != nil || done.Responses[0].Error == nil || done.Responses[0].Error.Code != types.BatchStatementErrorCodeEnumProvisionedThroughputExceeded || done.Responses[1].Error != nil {
		t.Errorf("answers: %+v, %v", done, err)
	}
}

func TestThrottling_ofATransaction(t *testing.T) {
	db, c := newDB(simulator.Config{Limits: &simulator.Limits{Read: 10, Write: 3}})
	put := func(p string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: ptr(table), Item: attributes{"pk": text(p), "sk": text("a")}}}
	}
	transact := func(p ...string) error {
		in := &dynamodb.TransactWriteItemsInput{}
		for _, p := range p {
			in.TransactItems = append(in.TransactItems, put(p))
		}
		_, err := c.TransactWriteItems(t.Context(), in, once)
		return err
	}
	if err := transact("a", "b"); err != nil {
		t.Fatal(err)
	}
	err := transact("c", "b")
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || *cancelled.CancellationReasons[0].Code != "None" || *cancelled.CancellationReasons[1].Code != "ProvisionedThroughputExceeded" {
		t.Errorf("a transaction too much: %v", err)
	}
	if u := db.Units(simulator.Scope{Partition: "c"}); u.Write != 0 {
		t.Errorf("its other item cost %v", u)
	}
	if err := transact("c"); err != nil {
		t.Errorf("its other item's partition was charged: %v", err)
	}
}
