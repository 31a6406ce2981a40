package dynamo

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// FinderAPI is what a Finder calls of the SDK.
type FinderAPI interface {
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
}

// Finder finds the items of a table by how their partition keys begin. It reads
// the whole table: a thing for operators, seldom.
type Finder struct {
	api   FinderAPI
	table string
}

// NewFinder returns the finder of a table.
func NewFinder(api FinderAPI, table string) *Finder { return &Finder{api: api, table: table} }

// Keys yields the keys whose pk begins with any of the prefixes, in no order,
// strongly consistent. After an error it yields nothing more.
func (f *Finder) Keys(ctx context.Context, prefixes ...string) iter.Seq2[signal.Key, error] {
	return func(yield func(signal.Key, error) bool) {
		for item, err := range f.Items(ctx, nil, prefixes...) {
			if !yield(item.Key(), err) || err != nil {
				return
			}
		}
	}
}

// Items is Keys with these attributes beside the key.
func (f *Finder) Items(ctx context.Context, attrs []string, prefixes ...string) iter.Seq2[signal.Item, error] {
	return func(yield func(signal.Item, error) bool) {
		e := newExpression(2+len(attrs), len(prefixes))
		for i, p := range prefixes {
			if i > 0 {
				e.write(" OR ")
			}
			e.write("begins_with(")
			e.name(signal.AttrPK)
			e.write(", ")
			e.value(signal.S(p))
			e.write(")")
		}
		filter := e.cut(0)
		in := &dynamodb.ScanInput{
			TableName:            &f.table,
			FilterExpression:     &filter,
			ProjectionExpression: e.projection(append([]string{signal.AttrPK, signal.AttrSK}, attrs...)),
			ConsistentRead:       aws.Bool(true),
		}
		in.ExpressionAttributeNames, in.ExpressionAttributeValues = e.names, e.values
		for {
			out, err := f.api.Scan(ctx, in)
			if err != nil {
				yield(nil, fmt.Errorf("scan table %q: %w", f.table, classify(err)))
				return
			}
			for _, av := range out.Items {
				if !yield(decodeItem(av), nil) {
					return
				}
			}
			if len(out.LastEvaluatedKey) == 0 {
				return
			}
			in.ExclusiveStartKey = out.LastEvaluatedKey
		}
	}
}
