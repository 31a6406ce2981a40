package beside

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// LiteralLoop is a tick as the idea is told in a few sentences: query the index for the
// bucket's dirty signals; for each, compute what is available, store the value and
// reset the bit. Nothing more, and no mistake but what that leaves out.
//
// It is a process of its own.
func LiteralLoop(ctx context.Context, db dynamo.StoreAPI, table, bucket string) error {
	store := dynamo.NewStore(db, table)
	pools := source.NewPool(store)
	dirty := dynamo.Query{
		Index: CadenceIndex, Hash: signal.AttrGSIPK, Partition: signal.BucketID(bucket),
		Range: signal.AttrGSISK, Equals: signal.Dirty, Attrs: []string{signal.AttrPK, signal.AttrSK},
	}
	for entry, err := range store.Query(ctx, dirty) {
		if err != nil {
			return err
		}
		key := signal.Key{PK: entry.Text(signal.AttrPK), SK: entry.Text(signal.AttrSK)}
		date, err := signal.ParseKey(key)
		if err != nil {
			return err
		}
		began := time.Now()
		estimate, err := pools.Estimate(ctx, date)
		if err != nil {
			return err
		}
		value, _ := signal.Pattern{Mode: signal.Exact}.Cache(estimate)
		err = update(ctx, db, table, key, "SET #value = :value, #lastUpdatedAt = :asOf, #gsisk = :clean",
			map[string]string{"#value": signal.AttrValue, "#lastUpdatedAt": signal.AttrLastUpdatedAt, "#gsisk": signal.AttrGSISK},
			map[string]string{":value": value, ":asOf": signal.FormatInstant(began), ":clean": signal.Clean})
		if err != nil {
			return err
		}
	}
	return nil
}

// literalFlip flips the bit.
func literalFlip(ctx context.Context, db dynamo.StoreAPI, key signal.Key) error {
	return update(ctx, db, TableName, key, "SET #gsisk = :dirty", map[string]string{"#gsisk": signal.AttrGSISK}, map[string]string{":dirty": signal.Dirty})
}

func update(ctx context.Context, db dynamo.StoreAPI, table string, key signal.Key, what string, names, values map[string]string) error {
	texts := map[string]types.AttributeValue{}
	for name, value := range values {
		texts[name] = &types.AttributeValueMemberS{Value: value}
	}
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &table,
		Key: map[string]types.AttributeValue{
			signal.AttrPK: &types.AttributeValueMemberS{Value: key.PK}, signal.AttrSK: &types.AttributeValueMemberS{Value: key.SK},
		},
		UpdateExpression: aws.String(what), ExpressionAttributeNames: names, ExpressionAttributeValues: texts,
	})
	if err != nil {
		return fmt.Errorf("update %q: %w", key, err)
	}
	return nil
}
