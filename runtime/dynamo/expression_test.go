package dynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A write in full: each attribute under an alias, and a value that is needed twice
// in a row sent once, but never one for another.
func TestTransactItem_rendersAWrite(t *testing.T) {
	later := signal.N(1782907200000)
	absentOrAtMost := func(attr string) protocol.Cond {
		return protocol.Cond{Test: protocol.AnyOf, Any: []protocol.Cond{{Test: protocol.Absent, Attr: attr}, {Test: protocol.AtMost, Attr: attr, Value: later}}}
	}
	got := dynamo.TransactItem("signals", protocol.Write{
		Key: signal.Key{PK: "p", SK: "s"},
		If: []protocol.Cond{
			{Test: protocol.Exists, Attr: "pk"},
			{Test: protocol.Equal, Attr: "gsisk", Value: signal.S("dirty")},
			{Test: protocol.Above, Attr: "ttl", Value: signal.N(1782907200)},
			absentOrAtMost("notBefore"), absentOrAtMost("leaseUntil"),
		},
		Set: []protocol.Assignment{
			{Attr: "claimedBy", Value: signal.S("claim")},
			{Attr: "rev", From: "rev", Value: signal.N(0)},
			{Attr: "claimedRev", From: "rev", Value: signal.N(0)},
			{Attr: "leaseUntil", Value: later},
		},
		Add:    []protocol.Addition{{Attr: "attempts", By: 1}},
		Remove: []string{"dirtySince", "value"},
	}).Update
	const condition = "attribute_exists(#pk) AND #gsisk = :v0 AND #ttl > :v1" +
		" AND (attribute_not_exists(#notBefore) OR #notBefore <= :v2)" +
		" AND (attribute_not_exists(#leaseUntil) OR #leaseUntil <= :v2)"
	const update = "SET #claimedBy = :v3, #rev = if_not_exists(#rev, :v4), #claimedRev = if_not_exists(#rev, :v4), #leaseUntil = :v5" +
		" ADD #attempts :v6 REMOVE #dirtySince, #value"
	if *got.ConditionExpression != condition {
		t.Errorf("condition\n got %s\nwant %s", *got.ConditionExpression, condition)
	}
	if *got.UpdateExpression != update {
		t.Errorf("update\n got %s\nwant %s", *got.UpdateExpression, update)
	}
	names := map[string]string{}
	for _, name := range []string{"pk", "gsisk", "ttl", "notBefore", "leaseUntil", "claimedBy", "rev", "claimedRev", "attempts", "dirtySince", "value"} {
		names["#"+name] = name
	}
	if diff := cmp.Diff(names, got.ExpressionAttributeNames); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	n := func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	values := map[string]types.AttributeValue{
		":v0": s("dirty"), ":v1": n("1782907200"), ":v2": n("1782907200000"), ":v3": s("claim"), ":v4": n("0"), ":v5": n("1782907200000"), ":v6": n("1"),
	}
	ignore := cmpopts.IgnoreUnexported(types.AttributeValueMemberS{}, types.AttributeValueMemberN{})
	if diff := cmp.Diff(values, got.ExpressionAttributeValues, ignore); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}
