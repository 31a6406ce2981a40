package rival

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Calls are the SDK's calls of a tick and its checks, written out by hand, with no
// decision made in between: what a run allocates beyond them is its own.
type Calls struct {
	API
	Table, Index, Bucket string
}

// List is the query of one shard key.
func (c Calls) List(ctx context.Context, shard int) error {
	_, err := c.Query(ctx, &dynamodb.QueryInput{
		TableName: &c.Table, IndexName: &c.Index,
		KeyConditionExpression: pointer("#gsipk = :shard AND #gsisk = :bit"),
		ProjectionExpression:   pointer("#pk, #sk, #since, #ttl, #notBefore"),
		ExpressionAttributeNames: map[string]string{
			"#gsipk": signal.AttrGSIPK, "#gsisk": signal.AttrGSISK, "#pk": signal.AttrPK, "#sk": signal.AttrSK,
			"#since": signal.AttrDirtySince, "#ttl": signal.AttrTTL, "#notBefore": signal.AttrNotBefore,
		},
		ExpressionAttributeValues: map[string]types.AttributeValue{":shard": text(signal.ShardKey(c.Bucket, shard)), ":bit": text(signal.Dirty)},
	})
	return err
}

// Check is a claim, the read of the pools, and a clean finish.
func (c Calls) Check(ctx context.Context, d signal.ProductDate) error {
	is, err := c.claim(ctx, d)
	if err != nil {
		return err
	}
	_, err = c.Query(ctx, &dynamodb.QueryInput{
		TableName: &c.Table, ConsistentRead: pointer(true), KeyConditionExpression: pointer("#pk = :pk"),
		ProjectionExpression:      pointer("#sk, #available, #capacity"),
		ExpressionAttributeNames:  map[string]string{"#pk": signal.AttrPK, "#sk": signal.AttrSK, "#available": "availability", "#capacity": "capacity"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": text(d.PoolPK())},
	})
	if err != nil {
		return err
	}
	return c.finish(ctx, is)
}

// ClaimAndFinish is Check with a source that costs nothing.
func (c Calls) ClaimAndFinish(ctx context.Context, d signal.ProductDate) error {
	is, err := c.claim(ctx, d)
	if err != nil {
		return err
	}
	return c.finish(ctx, is)
}

// claimed is what a finish needs of its claim.
type claimed struct {
	key map[string]types.AttributeValue
	id  string
	at  time.Time
	rev types.AttributeValue
}

func (c Calls) claim(ctx context.Context, d signal.ProductDate) (claimed, error) {
	is := claimed{
		key: map[string]types.AttributeValue{signal.AttrPK: text(d.PK()), signal.AttrSK: text(d.Date.String())},
		id:  rand.Text(), at: time.Now(),
	}
	out, err := c.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &c.Table, Key: is.key,
		UpdateExpression:    pointer("SET #by = :id, #rev = if_not_exists(#rev, :zero), #claimed = if_not_exists(#rev, :zero), #lease = :until"),
		ConditionExpression: pointer("attribute_exists(#pk) AND #gsisk = :bit AND (attribute_not_exists(#ttl) OR #ttl > :seconds) AND (attribute_not_exists(#expiry) OR #expiry > :now) AND (attribute_not_exists(#notBefore) OR #notBefore <= :ms) AND (attribute_not_exists(#lease) OR #lease <= :ms)"),
		ExpressionAttributeNames: map[string]string{
			"#by": signal.AttrClaimedBy, "#rev": signal.AttrRev, "#claimed": signal.AttrClaimedRev, "#lease": signal.AttrLeaseUntil,
			"#pk": signal.AttrPK, "#gsisk": signal.AttrGSISK, "#ttl": signal.AttrTTL, "#expiry": signal.AttrExpiry, "#notBefore": signal.AttrNotBefore,
		},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":id": text(is.id), ":zero": number(0), ":until": number(is.at.Add(2 * time.Minute).UnixMilli()), ":bit": text(signal.Dirty),
			":seconds": number(is.at.Unix()), ":now": text(signal.FormatInstant(is.at)), ":ms": number(is.at.UnixMilli()),
		},
		ReturnValues: types.ReturnValueAllNew, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if old, refused := refusedBy(err); refused && textOf(old[signal.AttrClaimedBy]) == is.id {
		// The SDK has repeated what had been applied.
		is.rev = old[signal.AttrRev]
		return is, nil
	}
	if err == nil {
		is.rev = out.Attributes[signal.AttrRev]
	}
	return is, err
}

// refusedBy is the item that a write was refused for.
func refusedBy(err error) (item map[string]types.AttributeValue, refused bool) {
	is, refused := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !refused {
		return nil, false
	}
	return is.Item, true
}

func (c Calls) finish(ctx context.Context, is claimed) error {
	_, err := c.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &c.Table, Key: is.key,
		UpdateExpression:    pointer("SET #value = :value, #at = :now, #gsisk = :clean REMOVE #by, #lease, #since, #attempts, #notBefore, #settleRev, #settleFrom"),
		ConditionExpression: pointer("#by = :id AND #rev = :rev"),
		ExpressionAttributeNames: map[string]string{
			"#value": signal.AttrValue, "#at": signal.AttrLastUpdatedAt, "#gsisk": signal.AttrGSISK, "#by": signal.AttrClaimedBy, "#lease": signal.AttrLeaseUntil,
			"#since": signal.AttrDirtySince, "#attempts": signal.AttrAttempts, "#notBefore": signal.AttrNotBefore, "#rev": signal.AttrRev,
			"#settleRev": "settleRev", "#settleFrom": "settleFrom",
		},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":value": text("7"), ":now": text(signal.FormatInstant(is.at)), ":clean": text(signal.Clean), ":id": text(is.id), ":rev": is.rev,
		},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if old, refused := refusedBy(err); refused && textOf(old[signal.AttrGSISK]) == signal.Clean {
		return nil
	}
	return err
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
