package dynamo

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Query asks for the items of one partition of the table or of an index.
type Query struct {
	// Index is the index's name, or "" for the table. Reads of an index are
	// eventually consistent, those of the table strongly.
	Index string
	// Partition is the value of the partition key, whose name is Hash.
	Hash, Partition string
	// Range is the sort key's name, if Equals, or From and To (both inclusive),
	// narrow the query.
	Range, Equals, From, To string
	// Attrs are the attributes to read; none for all (of the index).
	Attrs []string
	// After is the key, of table and index, of the entry to go on after, which need
	// not be there any more; nil for the beginning.
	After signal.Item
	// Limit is the most entries of a page; 0 for as many as fit.
	Limit int32
	// Eventual makes a read of the table eventually consistent, for half the price.
	Eventual bool
}

// Query yields the items of all pages, in order of the sort key. After an error
// it yields nothing more.
func (s *Store) Query(ctx context.Context, q Query) iter.Seq2[signal.Item, error] {
	return func(yield func(signal.Item, error) bool) {
		in := s.queryInput(q)
		for {
			out, err := s.api.Query(ctx, in)
			if err != nil {
				yield(nil, fmt.Errorf("query %q in %s: %w", q.Partition, s.target(q), classify(err)))
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

// Count is how many items a query would yield, for the price of reading them.
func (s *Store) Count(ctx context.Context, q Query) (int64, error) {
	q.Attrs = nil
	in := s.queryInput(q)
	in.Select = types.SelectCount
	var n int64
	for {
		out, err := s.api.Query(ctx, in)
		if err != nil {
			return 0, fmt.Errorf("count %q in %s: %w", q.Partition, s.target(q), classify(err))
		}
		n += int64(out.Count)
		if len(out.LastEvaluatedKey) == 0 {
			return n, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func (s *Store) target(q Query) string {
	if q.Index == "" {
		return fmt.Sprintf("table %q", s.table)
	}
	return fmt.Sprintf("index %q of table %q", q.Index, s.table)
}

func (s *Store) queryInput(q Query) *dynamodb.QueryInput {
	// The keys' two names, and up to three values.
	e := newExpression(len(q.Attrs)+2, 3)
	e.comparison(protocol.Cond{Attr: q.Hash, Value: signal.S(q.Partition)}, " = ")
	switch {
	case q.Equals != "":
		e.write(" AND ")
		e.test(protocol.Cond{Test: protocol.Equal, Attr: q.Range, Value: signal.S(q.Equals)})
	case q.From != "":
		e.write(" AND ")
		e.comparison(protocol.Cond{Attr: q.Range, Value: signal.S(q.From)}, " BETWEEN ")
		e.write(" AND ")
		e.value(signal.S(q.To))
	}
	condition := e.cut(0)
	in := &dynamodb.QueryInput{
		TableName:              &s.table,
		KeyConditionExpression: &condition,
		ProjectionExpression:   e.projection(q.Attrs),
		ConsistentRead:         aws.Bool(q.Index == "" && !q.Eventual),
	}
	if q.Index != "" {
		in.IndexName = &q.Index
	}
	if len(q.After) > 0 {
		in.ExclusiveStartKey = encodeItem(q.After)
	}
	if q.Limit > 0 {
		in.Limit = &q.Limit
	}
	in.ExpressionAttributeNames = e.names
	in.ExpressionAttributeValues = e.values
	return in
}
