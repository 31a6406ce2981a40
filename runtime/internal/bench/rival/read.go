package rival

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Read is the bare query of a seeder's reading of a range: the attributes that it
// reads of the items from one sort key to another, strongly consistent, page after
// page. Nothing is made of them but their number, and that of the pages.
func Read(ctx context.Context, api API, table, partition, first, last string) (items, pages int, err error) {
	in := &dynamodb.QueryInput{
		TableName: &table, ConsistentRead: pointer(true),
		KeyConditionExpression: pointer("#pk = :pk AND #sk BETWEEN :first AND :last"),
		ProjectionExpression:   pointer("#pk, #sk, #schema, #id, #gsipk, #pattern, #expiry, #ttl, #by"),
		ExpressionAttributeNames: map[string]string{
			"#pk": signal.AttrPK, "#sk": signal.AttrSK, "#schema": signal.AttrSchema, "#id": signal.AttrGlobalID, "#gsipk": signal.AttrGSIPK,
			"#pattern": signal.AttrPattern, "#expiry": signal.AttrExpiry, "#ttl": signal.AttrTTL, "#by": signal.AttrSeededBy,
		},
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": text(partition), ":first": text(first), ":last": text(last)},
	}
	for {
		out, err := api.Query(ctx, in)
		if err != nil {
			return items, pages, err
		}
		items, pages = items+len(out.Items), pages+1
		if len(out.LastEvaluatedKey) == 0 {
			return items, pages, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
