package dynamo_test

import (
	"testing"
	"time"

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
	now := time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)
	got := dynamo.TransactItem("signals", protocol.Claim(signal.Key{PK: "p", SK: "s"}, "claim", now, time.Minute)).Update
	const condition = "attribute_exists(#pk) AND #gsisk = :v0" +
		" AND (attribute_not_exists(#ttl) OR #ttl > :v1)" +
		" AND (attribute_not_exists(#expiry) OR #expiry > :v2)" +
		" AND (attribute_not_exists(#notBefore) OR #notBefore <= :v3)" +
		" AND (attribute_not_exists(#leaseUntil) OR #leaseUntil <= :v3)"
	const update = "SET #claimedBy = :v4, #rev = if_not_exists(#rev, :v5), #claimedRev = if_not_exists(#rev, :v5), #leaseUntil = :v6"
	if *got.ConditionExpression != condition {
		t.Errorf("condition\n got %s\nwant %s", *got.ConditionExpression, condition)
	}
	if *got.UpdateExpression != update {
		t.Errorf("update\n got %s\nwant %s", *got.UpdateExpression, update)
	}
	names := map[string]string{}
	for _, name := range []string{"pk", "gsisk", "ttl", "expiry", "notBefore", "leaseUntil", "claimedBy", "rev", "claimedRev"} {
		names["#"+name] = name
	}
	if diff := cmp.Diff(names, got.ExpressionAttributeNames); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	n := func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	values := map[string]types.AttributeValue{
		":v0": s("dirty"), ":v1": n("1782907200"), ":v2": s("2026-07-01T12:00:00.000Z"), ":v3": n("1782907200000"),
		":v4": s("claim"), ":v5": n("0"), ":v6": n("1782907260000"),
	}
	ignore := cmpopts.IgnoreUnexported(types.AttributeValueMemberS{}, types.AttributeValueMemberN{})
	if diff := cmp.Diff(values, got.ExpressionAttributeValues, ignore); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}
