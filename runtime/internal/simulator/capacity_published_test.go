package simulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// ofBytes is an item of exactly so many bytes, as DynamoDB counts them.
func ofBytes(sk string, bytes int, more ...any) attributes {
	item := with(at(sk), more...)
	left := bytes - len("fill")
	for name, v := range item {
		left -= len(name) + len(textOf(v))
	}
	return with(item, "fill", strings.Repeat("x", left))
}

// TestCapacity_published holds the simulator to the examples and rules with numbers
// in the Amazon DynamoDB Developer Guide, each by itself:
//
//   - "DynamoDB transactions: How it works"
//     (docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html)
//   - "DynamoDB read and write operations"
//     (docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html)
//   - "Provisioned throughput considerations for Global Secondary Indexes"
//     (docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html)
//
// as read in November 2026.
func TestCapacity_published(t *testing.T) {
	const kb = 1024
	get := func(sk string, strong bool) func(*testing.T, *simulator.Client) error {
		return func(t *testing.T, c *simulator.Client) error {
			_, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: ptr(table), Key: at(sk), ConsistentRead: &strong})
			return err
		}
	}
	put := func(item attributes) func(*testing.T, *simulator.Client) error {
		return func(t *testing.T, c *simulator.Client) error {
			_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: item})
			return err
		}
	}
	remove := func(sk string) func(*testing.T, *simulator.Client) error {
		return func(t *testing.T, c *simulator.Client) error {
			_, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: ptr(table), Key: at(sk)})
			return err
		}
	}
	query := func(strong bool) func(*testing.T, *simulator.Client) error {
		return func(t *testing.T, c *simulator.Client) error {
			_, err := c.Query(t.Context(), &dynamodb.QueryInput{
				TableName: ptr(table), ConsistentRead: &strong, KeyConditionExpression: ptr("pk = :p"), ExpressionAttributeValues: attributes{":p": text("p")},
			})
			return err
		}
	}
	transact := func(item attributes) func(*testing.T, *simulator.Client) error {
		return func(t *testing.T, c *simulator.Client) error {
			_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Put: &types.Put{TableName: ptr(table), Item: item}}}})
			return err
		}
	}
	update := func(expression string, values attributes) func(*testing.T, *simulator.Client) error {
		return func(t *testing.T, c *simulator.Client) error {
			_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
				TableName: ptr(table), Key: at("a"), UpdateExpression: &expression, ExpressionAttributeValues: values,
			})
			return err
		}
	}
	many := func(n, bytes int) []attributes {
		items := make([]attributes, n)
		for i := range items {
			items[i] = ofBytes(fmt.Sprintf("%04d", i), bytes)
		}
		return items
	}
	indexed := func(more ...any) []attributes {
		return []attributes{ofBytes("a", 500, append([]any{"gsipk", "bucket"}, more...)...)}
	}
	tests := []struct {
		name string
		has  []attributes
		do   func(*testing.T, *simulator.Client) error
		// table and index are what it costs of each.
		table, index simulator.Units
		refused      bool
	}{
		{name: "reading 3,500 bytes is as reading 4 KB", has: many(1, 3500), do: get("0000", true), table: simulator.Units{Read: 1}},
		{name: "reading 3.5 KB, eventually consistent", has: many(1, 3*kb+512), do: get("0000", false), table: simulator.Units{Read: 0.5}},
		{name: "reading 10 KB is rounded up to 12 KB", has: many(1, 10*kb), do: get("0000", true), table: simulator.Units{Read: 3}},
		{name: "8 KB, strongly consistent", has: many(1, 8*kb), do: get("0000", true), table: simulator.Units{Read: 2}},
		{name: "8 KB, eventually consistent", has: many(1, 8*kb), do: get("0000", false), table: simulator.Units{Read: 1}},
		{name: "80 KB, eventually consistent", has: many(1, 80*kb), do: get("0000", false), table: simulator.Units{Read: 10}},
		{name: "an item that is not there, strongly consistent", do: get("none", true), table: simulator.Units{Read: 1}},
		{name: "an item that is not there, eventually consistent", do: get("none", false), table: simulator.Units{Read: 0.5}},
		{
			name: "BatchGetItem of 1.5 KB and 6.5 KB is 4 KB and 8 KB", has: []attributes{ofBytes("a", kb+512), ofBytes("b", 6*kb+512)},
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
					table: {Keys: []attributes{at("a"), at("b")}, ConsistentRead: ptr(true)},
				}})
				return err
			},
			table: simulator.Units{Read: 3},
		},
		{name: "a query of 10 items of 40.8 KB together is 44 KB", has: many(10, 4178), do: query(true), table: simulator.Units{Read: 11}},
		{name: "a query of 1,500 items of 64 bytes is 96 KB", has: many(1500, 64), do: query(true), table: simulator.Units{Read: 24}},
		{name: "writing 500 bytes is as writing 1 KB", do: put(ofBytes("a", 500)), table: simulator.Units{Write: 1}},
		{name: "putting 1.6 KB is 2 KB", do: put(ofBytes("a", kb+614)), table: simulator.Units{Write: 2}},
		{name: "deleting 1.6 KB is 2 KB", has: []attributes{ofBytes("a", kb+614)}, do: remove("a"), table: simulator.Units{Write: 2}},
		{name: "a put over a larger item counts the larger", has: []attributes{ofBytes("a", 3*kb)}, do: put(ofBytes("a", kb)), table: simulator.Units{Write: 3}},
		{name: "an update counts the larger of before and after", has: []attributes{ofBytes("a", 3*kb)}, do: update("REMOVE fill", nil), table: simulator.Units{Write: 3}},
		{
			name: "BatchWriteItem of 500 bytes and 3.5 KB is 1 KB and 4 KB",
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: {
					{PutRequest: &types.PutRequest{Item: ofBytes("a", 500)}}, {PutRequest: &types.PutRequest{Item: ofBytes("b", 3*kb+512)}},
				}}})
				return err
			},
			table: simulator.Units{Write: 5},
		},
		{
			name: "a failed condition on an item of 1 KB, the new one twice that", has: []attributes{ofBytes("a", kb)}, refused: true,
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: ofBytes("a", 2*kb), ConditionExpression: ptr("attribute_not_exists(pk)")})
				return err
			},
			table: simulator.Units{Write: 2},
		},
		{
			name: "a failed condition on an item that is not there", refused: true,
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: ofBytes("a", 500), ConditionExpression: ptr("attribute_exists(pk)")})
				return err
			},
			table: simulator.Units{Write: 1},
		},
		{
			name: "a failed condition on an item of 300 KB, the new one of 310 KB", has: []attributes{ofBytes("a", 300*kb)}, refused: true,
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: ofBytes("a", 310*kb), ConditionExpression: ptr("attribute_not_exists(pk)")})
				return err
			},
			table: simulator.Units{Write: 310},
		},
		{
			name: "a scan counts what it evaluates, not what it returns", has: many(10, 4178),
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.Scan(t.Context(), &dynamodb.ScanInput{
					TableName: ptr(table), ConsistentRead: ptr(true), FilterExpression: ptr("fill = :none"), ExpressionAttributeValues: attributes{":none": text("none")},
				})
				return err
			},
			table: simulator.Units{Read: 11},
		},
		{
			name: "a part of the attributes costs as much as all", has: many(10, 4178),
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.Query(t.Context(), &dynamodb.QueryInput{
					TableName: ptr(table), ConsistentRead: ptr(true), KeyConditionExpression: ptr("pk = :p"), ProjectionExpression: ptr("sk"), ExpressionAttributeValues: attributes{":p": text("p")},
				})
				return err
			},
			table: simulator.Units{Read: 11},
		},
		{
			name: "a count costs as much as the items", has: many(10, 4178),
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.Query(t.Context(), &dynamodb.QueryInput{
					TableName: ptr(table), ConsistentRead: ptr(true), KeyConditionExpression: ptr("pk = :p"), Select: types.SelectCount, ExpressionAttributeValues: attributes{":p": text("p")},
				})
				return err
			},
			table: simulator.Units{Read: 11},
		},
		{name: "a query that finds nothing", do: query(true), table: simulator.Units{Read: 1}},
		{name: "2 KB in a transaction", do: transact(ofBytes("a", 2*kb)), table: simulator.Units{Write: 4}},
		{
			name: "three items of 500 bytes in a transaction",
			do: func(t *testing.T, c *simulator.Client) error {
				in := &dynamodb.TransactWriteItemsInput{}
				for _, sk := range []string{"a", "b", "c"} {
					in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{TableName: ptr(table), Item: ofBytes(sk, 500)}})
				}
				_, err := c.TransactWriteItems(t.Context(), in)
				return err
			},
			table: simulator.Units{Write: 6},
		},
		{name: "1 KB in a transaction", do: transact(ofBytes("a", kb)), table: simulator.Units{Write: 2}},
		{name: "3 KB in a transaction", do: transact(ofBytes("a", 3*kb)), table: simulator.Units{Write: 6}},

		{name: "a new item with the index's key", do: put(indexed("gsisk", "clean")[0]), table: simulator.Units{Write: 1}, index: simulator.Units{Write: 1}},
		{name: "a change of the index's key is two writes", has: indexed("gsisk", "clean"), do: update("SET gsisk = :v", attributes{":v": text("dirty")}), table: simulator.Units{Write: 1}, index: simulator.Units{Write: 2}},
		{name: "an item defines the index's key", has: indexed(), do: update("SET gsisk = :v", attributes{":v": text("dirty")}), table: simulator.Units{Write: 1}, index: simulator.Units{Write: 1}},
		{name: "an item leaves the index", has: indexed("gsisk", "clean"), do: update("REMOVE gsisk", nil), table: simulator.Units{Write: 1}, index: simulator.Units{Write: 1}},
		{name: "an item that is not in the index before or after", has: indexed(), do: update("SET note = :v", attributes{":v": text("n")}), table: simulator.Units{Write: 1}},
		{name: "a change of a projected attribute alone", has: indexed("gsisk", "dirty"), do: update("SET notBefore = :v", attributes{":v": number(1)}), table: simulator.Units{Write: 1}, index: simulator.Units{Write: 1}},
		{name: "a change of no projected attribute", has: indexed("gsisk", "dirty"), do: update("SET note = :v", attributes{":v": text("n")}), table: simulator.Units{Write: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			db, c := withItems(t, types.ProjectionTypeInclude, tt.has)
			if err := tt.do(t, c); (err != nil) != tt.refused {
				t.Fatalf("error %v, want one: %v", err, tt.refused)
			}
			holdCost(t, db, "", tt.table)
			holdCost(t, db, simulator.CadenceIndex, tt.index)
		})
	}
}

// The guide's example of a query of an index: 8 entries of 2,000 bytes are 16 KB,
// and half of that in units.
func TestCapacity_publishedIndexQuery(t *testing.T) {
	items := make([]attributes, 8)
	for i := range items {
		items[i] = ofBytes(fmt.Sprint(i), 2000, "gsipk", "bucket", "gsisk", "dirty")
	}
	db, c := withItems(t, types.ProjectionTypeAll, items)
	_, err := c.Query(t.Context(), &dynamodb.QueryInput{
		TableName: ptr(table), IndexName: ptr(simulator.CadenceIndex), KeyConditionExpression: ptr("gsipk = :b"),
		ExpressionAttributeValues: attributes{":b": text("bucket")},
	})
	if err != nil {
		t.Fatal(err)
	}
	holdCost(t, db, simulator.CadenceIndex, simulator.Units{Read: 2})
	holdCost(t, db, "", simulator.Units{})
}

// withItems is a table that has these items, and the client that is measured.
func withItems(t *testing.T, projection types.ProjectionType, items []attributes) (*simulator.DB, *simulator.Client) {
	t.Helper()
	db := simulator.New(simulator.Config{})
	db.CreateTable(simulator.SignalTable(table, projection))
	setup := db.Client("setup")
	for _, item := range items {
		put(t, setup, item)
	}
	return db, db.Client("measured")
}

func holdCost(t *testing.T, db *simulator.DB, index string, want simulator.Units) {
	t.Helper()
	if got := db.Units(simulator.Scope{Client: "measured", Table: table, Index: index}); got != want {
		t.Errorf("of %q it costs %+v, want %+v", index, got, want)
	}
}
