package simulator_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// What a stream of the table would tell: every change of an item, before and
// after, and nothing that changed nothing.
func TestChanges(t *testing.T) {
	type change struct{ key, before, after string }
	var got []change
	_, c := newDB(simulator.Config{OnChange: func(ch simulator.Change) {
		either := ch.New
		if either == nil {
			either = ch.Old
		}
		if ch.Table != table || !ch.At.Equal(midnight().Now()) || ch.Client != "test" {
			t.Errorf("change %+v", ch)
		}
		got = append(got, change{textOf(either["sk"]), textOf(ch.Old["n"]), textOf(ch.New["n"])})
	}})
	put(t, c, with(at("a"), "n", 1))
	put(t, c, with(at("a"), "n", 1))
	put(t, c, with(at("a"), "n", 2))
	if err := add(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: ptr(table), Item: with(at("a"), "n", 9), ConditionExpression: ptr("attribute_not_exists(pk)")}); err == nil {
		t.Fatal("not refused")
	}
	if _, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: ptr(table), Key: at("a")}},
		{Delete: &types.Delete{TableName: ptr(table), Key: at("none")}},
		{ConditionCheck: &types.ConditionCheck{TableName: ptr(table), Key: at("b"), ConditionExpression: ptr("attribute_not_exists(pk)")}},
	}}); err != nil {
		t.Fatal(err)
	}
	want := []change{{"a", "", "1"}, {"a", "1", "2"}, {"a", "2", "3"}, {"a", "3", ""}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(change{})); diff != "" {
		t.Error(diff)
	}
}
