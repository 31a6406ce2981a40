package simulator_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
)

func keyOf(i int) attributes {
	k := seeding(i).Key()
	return attributes{"pk": text(k.PK), "sk": text(k.SK)}
}

func BenchmarkUpdateItem(b *testing.B) {
	_, c := newDB(simulator.Config{})
	seed(b, c, 1)
	in := &dynamodb.UpdateItemInput{
		TableName: ptr(table), Key: keyOf(0),
		UpdateExpression:          ptr("SET #gsisk = :v0, #dirtySince = if_not_exists(#dirtySince, :v1) ADD #rev :v2"),
		ConditionExpression:       ptr("attribute_exists(#pk)"),
		ExpressionAttributeNames:  map[string]string{"#gsisk": "gsisk", "#dirtySince": "dirtySince", "#rev": "rev", "#pk": "pk"},
		ExpressionAttributeValues: attributes{":v0": text("dirty"), ":v1": text("2026-07-01T00:00:00.000Z"), ":v2": number(1)},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.UpdateItem(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGetItem(b *testing.B) {
	_, c := newDB(simulator.Config{})
	seed(b, c, 1)
	in := &dynamodb.GetItemInput{TableName: ptr(table), Key: keyOf(0)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.GetItem(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStore is what the adapter makes of a flip.
func BenchmarkStore(b *testing.B) {
	_, c := newDB(simulator.Config{})
	seed(b, c, 1)
	store, k := dynamo.NewStore(c, table), seeding(0).Key()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := store.Write(b.Context(), protocol.Flip(k, c.Now())); err != nil {
			b.Fatal(err)
		}
	}
}
