package simulator

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// legacy refuses what expressions have replaced.
func legacy(used bool, operation string) {
	if used {
		notSimulated("the parameters that expressions have replaced, in %s", operation)
	}
}

func collectionMetrics(asked types.ReturnItemCollectionMetrics, operation string) {
	if asked != "" && asked != types.ReturnItemCollectionMetricsNone {
		notSimulated("ReturnItemCollectionMetrics in %s", operation)
	}
}

func (db *DB) putItem(client int, in *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
	legacy(in.Expected != nil || in.ConditionalOperator != "", "PutItem")
	collectionMetrics(in.ReturnItemCollectionMetrics, "PutItem")
	if err := oldOrNone(in.ReturnValues); err != nil {
		return nil, err
	}
	p, charges, err := db.single(client, &writeRequest{
		verb: verbPut, table: in.TableName, item: in.Item,
		texts: expressions{condition: in.ConditionExpression},
		names: in.ExpressionAttributeNames, values: in.ExpressionAttributeValues,
		allOld: in.ReturnValuesOnConditionCheckFailure,
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.PutItemOutput{
		Attributes:       p.returned(in.ReturnValues),
		ConsumedCapacity: p.table.consumed(in.ReturnConsumedCapacity, charges),
	}, nil
}

func (db *DB) deleteItem(client int, in *dynamodb.DeleteItemInput) (*dynamodb.DeleteItemOutput, error) {
	legacy(in.Expected != nil || in.ConditionalOperator != "", "DeleteItem")
	collectionMetrics(in.ReturnItemCollectionMetrics, "DeleteItem")
	if err := oldOrNone(in.ReturnValues); err != nil {
		return nil, err
	}
	p, charges, err := db.single(client, &writeRequest{
		verb: verbDelete, table: in.TableName, key: in.Key,
		texts: expressions{condition: in.ConditionExpression},
		names: in.ExpressionAttributeNames, values: in.ExpressionAttributeValues,
		allOld: in.ReturnValuesOnConditionCheckFailure,
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.DeleteItemOutput{
		Attributes:       p.returned(in.ReturnValues),
		ConsumedCapacity: p.table.consumed(in.ReturnConsumedCapacity, charges),
	}, nil
}

func (db *DB) updateItem(client int, in *dynamodb.UpdateItemInput) (*dynamodb.UpdateItemOutput, error) {
	legacy(in.Expected != nil || in.ConditionalOperator != "" || in.AttributeUpdates != nil, "UpdateItem")
	collectionMetrics(in.ReturnItemCollectionMetrics, "UpdateItem")
	p, charges, err := db.single(client, &writeRequest{
		verb: verbUpdate, table: in.TableName, key: in.Key,
		texts: expressions{condition: in.ConditionExpression, update: in.UpdateExpression},
		names: in.ExpressionAttributeNames, values: in.ExpressionAttributeValues,
		allOld: in.ReturnValuesOnConditionCheckFailure,
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.UpdateItemOutput{
		Attributes:       p.returned(in.ReturnValues),
		ConsumedCapacity: p.table.consumed(in.ReturnConsumedCapacity, charges),
	}, nil
}

func oldOrNone(v types.ReturnValue) error {
	switch v {
	case "", types.ReturnValueNone, types.ReturnValueAllOld:
		return nil
	}
	return invalid("Return values set to invalid value")
}

// returned is the part of the item that ReturnValues asks for.
func (p *prepared) returned(v types.ReturnValue) map[string]types.AttributeValue {
	switch v {
	case types.ReturnValueAllOld:
		return p.old.export()
	case types.ReturnValueAllNew:
		return p.new.export()
	case types.ReturnValueUpdatedOld:
		return some(p.old.only(p.touched))
	case types.ReturnValueUpdatedNew:
		return some(p.new.only(p.touched))
	}
	return nil
}

func some(m map[string]types.AttributeValue) map[string]types.AttributeValue {
	if len(m) == 0 {
		return nil
	}
	return m
}
