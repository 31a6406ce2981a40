package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// StoreAPI is what a Store calls of the SDK.
type StoreAPI interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// Store reads and writes the items of one table by the protocol.
type Store struct {
	api   StoreAPI
	table string
}

// NewStore returns the store of a table.
func NewStore(api StoreAPI, table string) *Store { return &Store{api: api, table: table} }

// Table is the table's name.
func (s *Store) Table() string { return s.table }

// Get reads an item, strongly consistent; attrs are the attributes to read, none
// for all. It returns nil if there is no item.
func (s *Store) Get(ctx context.Context, key signal.Key, attrs ...string) (signal.Item, error) {
	e := newExpression(len(attrs), 0)
	projection := e.projection(attrs)
	out, err := s.api.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:                &s.table,
		Key:                      encodeKey(key),
		ConsistentRead:           aws.Bool(true),
		ProjectionExpression:     projection,
		ExpressionAttributeNames: e.namesOrNil(),
	})
	if err != nil {
		return nil, fmt.Errorf("read %q in table %q: %w", key, s.table, classify(err))
	}
	return decodeItem(out.Item), nil
}

// Write sends a write, repeating it after a conflict with a transaction and
// whatever else the SDK repeats. A refusal may therefore be of a repeat whose
// first sending was applied: look at the *RefusedError's Old. The item returned
// is the one after an update, as far as its operation Reads it, and nil after a put
// or delete.
func (s *Store) Write(ctx context.Context, w protocol.Write) (signal.Item, error) {
	var all attempts
	item, err := s.write(ctx, w, func(o *dynamodb.Options) { o.Retryer = all.insist(o.Retryer) })
	return item, all.mark(err)
}

// WriteOnce sends a write once and never again, whatever becomes of it.
func (s *Store) WriteOnce(ctx context.Context, w protocol.Write) (signal.Item, error) {
	return s.write(ctx, w, func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
}

func (s *Store) write(ctx context.Context, w protocol.Write, opts func(*dynamodb.Options)) (signal.Item, error) {
	item, err := s.send(ctx, w, opts)
	if err != nil {
		return nil, fmt.Errorf("%s %q in table %q: %w", w.Op, w.Key, s.table, classify(err))
	}
	return item, nil
}

func (s *Store) send(ctx context.Context, w protocol.Write, opts func(*dynamodb.Options)) (signal.Item, error) {
	e := expressionOf(w)
	var condition *string
	if len(w.If) > 0 {
		condition = aws.String(e.condition(w.If))
	}
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	switch w.Kind {
	case protocol.Put:
		_, err := s.api.PutItem(ctx, &dynamodb.PutItemInput{
			TableName:                           &s.table,
			Item:                                encodeItem(w.Item),
			ConditionExpression:                 condition,
			ExpressionAttributeNames:            e.namesOrNil(),
			ExpressionAttributeValues:           e.valuesOrNil(),
			ReturnValuesOnConditionCheckFailure: old,
		}, opts)
		return nil, err
	case protocol.Delete:
		_, err := s.api.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName:                           &s.table,
			Key:                                 encodeKey(w.Key),
			ConditionExpression:                 condition,
			ExpressionAttributeNames:            e.namesOrNil(),
			ExpressionAttributeValues:           e.valuesOrNil(),
			ReturnValuesOnConditionCheckFailure: old,
		}, opts)
		return nil, err
	}
	update := e.update(w)
	out, err := s.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                           &s.table,
		Key:                                 encodeKey(w.Key),
		UpdateExpression:                    &update,
		ConditionExpression:                 condition,
		ExpressionAttributeNames:            e.namesOrNil(),
		ExpressionAttributeValues:           e.valuesOrNil(),
		ReturnValues:                        returnValues(w.Op),
		ReturnValuesOnConditionCheckFailure: old,
	}, opts)
	if err != nil {
		return nil, err
	}
	return decodeRead(w.Op, out.Attributes), nil
}

// returnValues asks for the item only where something depends on it.
func returnValues(op protocol.Op) types.ReturnValue {
	switch op {
	case protocol.OpClaim, protocol.OpTakeRun, protocol.OpAuditFlip:
		return types.ReturnValueAllNew
	}
	return types.ReturnValueNone
}

// TransactItem renders a write of Kind Update as an entry of the caller's own
// TransactWriteItems.
func TransactItem(table string, w protocol.Write) types.TransactWriteItem {
	e := expressionOf(w)
	condition, update := e.condition(w.If), e.update(w)
	return types.TransactWriteItem{Update: &types.Update{
		TableName:                           &table,
		Key:                                 encodeKey(w.Key),
		UpdateExpression:                    &update,
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            e.namesOrNil(),
		ExpressionAttributeValues:           e.valuesOrNil(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}
