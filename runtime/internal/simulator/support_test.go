package simulator_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	table  = "signals"
	bucket = "5min"
)

// newDB is a database with the contract's table, and a client of it.
func newDB(config simulator.Config) (*simulator.DB, *simulator.Client) {
	db := simulator.New(config)
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
	return db, db.Client("test")
}

func ptr[T any](v T) *T { return &v }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n any) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}

type attributes = map[string]types.AttributeValue

// at is the key of an item of partition p.
func at(sk string) attributes { return attributes{"pk": text("p"), "sk": text(sk)} }

func with(key attributes, more ...any) attributes {
	out := attributes{}
	for name, v := range key {
		out[name] = v
	}
	for i := 0; i < len(more); i += 2 {
		switch v := more[i+1].(type) {
		case string:
			out[more[i].(string)] = text(v)
		case types.AttributeValue:
			out[more[i].(string)] = v
		default:
			out[more[i].(string)] = number(v)
		}
	}
	return out
}

func put(t testing.TB, c *simulator.Client, item attributes) {
	t.Helper()
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: item}); err != nil {
		t.Fatal(err)
	}
}

// get reads an item, strongly consistent.
func get(t testing.TB, c *simulator.Client, key attributes) attributes {
	t.Helper()
	out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: ptr(table), Key: key, ConsistentRead: ptr(true)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

func textOf(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}

func seeding(i int) protocol.Seeding {
	return protocol.Seeding{
		ProductDate: signal.ProductDate{
			Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: fmt.Sprint(i)},
			Date:    signal.Date{Year: 2026, Month: time.August, Day: 1},
		},
		GSIPK: signal.BucketID(bucket), GlobalID: fmt.Sprintf("id-%d", i), SeededBy: "terraform:test",
		Expiry:  time.Date(2026, time.August, 2, 7, 0, 0, 0, time.UTC),
		Pattern: signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{Minutes: 5}},
	}
}

// seed seeds n signals, clean.
func seed(t testing.TB, c *simulator.Client, n int) {
	t.Helper()
	store := dynamo.NewStore(c, table)
	for i := range n {
		if _, err := store.Write(t.Context(), protocol.Seed(seeding(i), c.Now())); err != nil {
			t.Fatal(err)
		}
	}
}
