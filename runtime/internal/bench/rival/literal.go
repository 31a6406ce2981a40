// Package rival is what the benchmarks compare with: what somebody would write who
// takes the description of a signal word for word, as well as it can be written in
// a few lines. It loses changes, which is why it is here only.
package rival

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// API is what it calls of the SDK.
type API interface {
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// Literal is the literal loop over the signals of one bucket, which has one shard.
type Literal struct {
	API
	Table, Index, Bucket string
}

// Flip sets the dirty bit, whatever it was.
func (l Literal) Flip(ctx context.Context, key signal.Key) error {
	return l.update(ctx, key, "SET #gsisk = :bit", map[string]string{"#gsisk": signal.AttrGSISK},
		map[string]types.AttributeValue{":bit": text(signal.Dirty)})
}

// Tick queries what is dirty, and then, one after the other, asks the source,
// stores the value and cleans the bit. It returns how many it has done.
func (l Literal) Tick(ctx context.Context, from source.Source) (done int, err error) {
	in := &dynamodb.QueryInput{
		TableName: &l.Table, IndexName: &l.Index,
		KeyConditionExpression:    pointer("#gsipk = :bucket AND #gsisk = :bit"),
		ExpressionAttributeNames:  map[string]string{"#gsipk": signal.AttrGSIPK, "#gsisk": signal.AttrGSISK},
		ExpressionAttributeValues: map[string]types.AttributeValue{":bucket": text(signal.BucketID(l.Bucket)), ":bit": text(signal.Dirty)},
	}
	for {
		out, err := l.Query(ctx, in)
		if err != nil {
			return done, err
		}
		for _, item := range out.Items {
			if err := l.check(ctx, item, from); err != nil {
				return done, err
			}
			done++
		}
		if len(out.LastEvaluatedKey) == 0 {
			return done, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func (l Literal) check(ctx context.Context, item map[string]types.AttributeValue, from source.Source) error {
	key := signal.Key{PK: textOf(item[signal.AttrPK]), SK: textOf(item[signal.AttrSK])}
	date, err := signal.ParseKey(key)
	if err != nil {
		return err
	}
	estimate, err := from.Estimate(ctx, date)
	if err != nil {
		return err
	}
	value, _ := signal.Pattern{Mode: signal.Exact}.Cache(estimate)
	return l.update(ctx, key, "SET #value = :value, #at = :at, #gsisk = :bit",
		map[string]string{"#value": signal.AttrValue, "#at": signal.AttrLastUpdatedAt, "#gsisk": signal.AttrGSISK},
		map[string]types.AttributeValue{":value": text(value), ":at": text(signal.FormatInstant(time.Now())), ":bit": text(signal.Clean)})
}

func (l Literal) update(ctx context.Context, key signal.Key, expression string, names map[string]string, values map[string]types.AttributeValue) error {
	_, err := l.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                &l.Table,
		Key:                      map[string]types.AttributeValue{signal.AttrPK: text(key.PK), signal.AttrSK: text(key.SK)},
		UpdateExpression:         &expression,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	return err
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func textOf(v types.AttributeValue) string {
	s, _ := v.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

func pointer[T any](v T) *T { return &v }
