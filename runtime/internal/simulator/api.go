package simulator

import (
	"context"
	"fmt"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// GetItem is the SDK's.
func (c *Client) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return do(ctx, c, options, &request[dynamodb.GetItemOutput]{
		Call:    c.call("GetItem", false, in.TableName, in.Key, in),
		execute: func(x *execution) (*dynamodb.GetItemOutput, error) { return x.db.getItem(x.client, in) },
	})
}

// PutItem is the SDK's.
func (c *Client) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return do(ctx, c, options, &request[dynamodb.PutItemOutput]{
		Call: c.call("PutItem", true, in.TableName, in.Item, in),
		execute: func(x *execution) (*dynamodb.PutItemOutput, error) {
			if x.conflicting {
				return nil, conflict()
			}
			return x.db.putItem(x.client, in)
		},
	})
}

// UpdateItem is the SDK's.
func (c *Client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return do(ctx, c, options, &request[dynamodb.UpdateItemOutput]{
		Call: c.call("UpdateItem", true, in.TableName, in.Key, in),
		execute: func(x *execution) (*dynamodb.UpdateItemOutput, error) {
			if x.conflicting {
				return nil, conflict()
			}
			return x.db.updateItem(x.client, in)
		},
	})
}

// DeleteItem is the SDK's.
func (c *Client) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return do(ctx, c, options, &request[dynamodb.DeleteItemOutput]{
		Call: c.call("DeleteItem", true, in.TableName, in.Key, in),
		execute: func(x *execution) (*dynamodb.DeleteItemOutput, error) {
			if x.conflicting {
				return nil, conflict()
			}
			return x.db.deleteItem(x.client, in)
		},
	})
}

// Query is the SDK's.
func (c *Client) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return do(ctx, c, options, &request[dynamodb.QueryOutput]{
		Call: c.queryCall(in),
		execute: func(x *execution) (*dynamodb.QueryOutput, error) {
			q, err := x.db.startQuery(in)
			if err != nil {
				return nil, err
			}
			if x.fault.Torn && x.pause != nil {
				x.db.readQuery(q, 1+x.db.random.Int32N(8))
				x.yield("Query, second half")
				if err := x.db.readRest(q); err != nil {
					return nil, err
				}
			} else {
				x.db.readQuery(q, 0)
			}
			return x.db.finishQuery(x.client, q)
		},
	})
}

// Scan is the SDK's.
func (c *Client) Scan(ctx context.Context, in *dynamodb.ScanInput, options ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return do(ctx, c, options, &request[dynamodb.ScanOutput]{
		Call:    c.call("Scan", false, in.TableName, nil, in),
		execute: func(x *execution) (*dynamodb.ScanOutput, error) { return x.db.scan(x.client, in) },
	})
}

// BatchGetItem is the SDK's. Its items are read one by one.
func (c *Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return do(ctx, c, options, &request[dynamodb.BatchGetItemOutput]{
		Call: c.call("BatchGetItem", false, nil, nil, in),
		execute: func(x *execution) (*dynamodb.BatchGetItemOutput, error) {
			g, err := x.db.startBatchGet(in)
			if err != nil {
				return nil, err
			}
			for i, k := range g.keys {
				if i > 0 {
					x.yield("BatchGetItem, item")
				}
				if err := x.db.get(x.client, g, k, x.leaves()); err != nil {
					return nil, err
				}
			}
			return x.db.finishBatchGet(g)
		},
	})
}

// BatchWriteItem is the SDK's. Its items are written one by one.
func (c *Client) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return do(ctx, c, options, &request[dynamodb.BatchWriteItemOutput]{
		Call: c.call("BatchWriteItem", true, nil, nil, in),
		execute: func(x *execution) (*dynamodb.BatchWriteItemOutput, error) {
			w, err := x.db.startBatchWrite(in)
			if err != nil {
				return nil, err
			}
			for i := range w.requests {
				if i > 0 {
					x.yield("BatchWriteItem, item")
				}
				if err := x.db.put(x.client, w, &w.requests[i], x.leaves()); err != nil {
					return nil, err
				}
			}
			return x.db.finishBatchWrite(w)
		},
	})
}

// BatchExecuteStatement is the SDK's. Its statements are executed one by one.
func (c *Client) BatchExecuteStatement(ctx context.Context, in *dynamodb.BatchExecuteStatementInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
	return do(ctx, c, options, &request[dynamodb.BatchExecuteStatementOutput]{
		Call: c.call("BatchExecuteStatement", true, nil, nil, in),
		execute: func(x *execution) (*dynamodb.BatchExecuteStatementOutput, error) {
			s, err := x.db.startBatchStatement(in)
			if err != nil {
				return nil, err
			}
			awsmiddleware.SetRequestIDMetadata(&s.out.ResultMetadata, fmt.Sprintf("simulated-%d", x.db.requests))
			for i := range in.Statements {
				var fault error
				switch {
				case i > 0:
					x.yield("BatchExecuteStatement, statement")
				case x.conflicting:
					fault = conflict()
				}
				if x.leaves() {
					fault = tooBusy()
				}
				x.db.execute(x.client, s, i, fault)
			}
			return &s.out, nil
		},
	})
}

// TransactWriteItems is the SDK's. Once it is decided for, its items become
// visible one by one, until which single writes of them conflict.
func (c *Client) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, options ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if in.ClientRequestToken == nil {
		// As the SDK does, so that its own repetitions are recognised.
		tokened := *in
		tokened.ClientRequestToken = text(fmt.Sprintf("%016x-%d", hash(c.db.config.Seed, c.String()), c.ids.Add(1)))
		in = &tokened
	}
	return do(ctx, c, options, &request[dynamodb.TransactWriteItemsOutput]{
		Call: c.call("TransactWriteItems", true, nil, nil, in),
		execute: func(x *execution) (*dynamodb.TransactWriteItemsOutput, error) {
			tx, done, err := x.db.begin(x.client, in, x.conflicting)
			if tx == nil {
				return done, err
			}
			if x.alone && x.pause != nil {
				x.db.world.group.Go(func() {
					x.db.mu.Lock()
					defer x.db.mu.Unlock()
					x.complete(tx)
				})
				return &dynamodb.TransactWriteItemsOutput{}, nil
			}
			x.complete(tx)
			return x.db.finishTransaction(tx), nil
		},
	})
}

// complete makes a transaction's items visible.
func (x *execution) complete(tx *transaction) {
	for more := true; more; {
		x.rest(x.db.draw(x.db.config.VisibilityDelay))
		x.yield("TransactWriteItems, item")
		more = x.db.show(tx)
	}
}

// call describes a request.
func (c *Client) call(operation string, writes bool, name *string, key map[string]types.AttributeValue, input any) Call {
	out := Call{Operation: operation, Input: input, writes: writes}
	if name == nil || !c.db.watched() {
		return out
	}
	out.Table = *name
	if t := c.db.peek(*name); t != nil {
		out.Partition, _ = t.hash.encode(key[t.hash.Name])
		out.Sort, _ = t.ranged.encode(key[t.ranged.Name])
	}
	return out
}

// queryCall describes a query.
func (c *Client) queryCall(in *dynamodb.QueryInput) Call {
	out := c.call("Query", false, in.TableName, nil, in)
	t := c.db.peek(out.Table)
	if t == nil || in.KeyConditionExpression == nil {
		return out
	}
	s := t.schema
	if in.IndexName != nil {
		out.Index = *in.IndexName
		if ix := t.index(out.Index); ix != nil {
			s = ix.schema
		}
	}
	prog := c.db.config.Expressions.program(expressions{key: in.KeyConditionExpression, filter: in.FilterExpression, projection: in.ProjectionExpression})
	if prog.err != nil {
		return out
	}
	for _, part := range append([]*condition{prog.key}, prog.key.parts...) {
		o, v := part.operands[0], part.operands[1]
		if part.test == testEqual && v.value && (o.literal == s.hash.Name || o.literal == "" && in.ExpressionAttributeNames[prog.names[o.number].text] == s.hash.Name) {
			out.Partition, _ = s.hash.encode(in.ExpressionAttributeValues[prog.values[v.number].text])
		}
	}
	return out
}

func (db *DB) peek(name string) *table {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.tables[name]
}

// watched is whether anybody looks at calls.
func (db *DB) watched() bool {
	return db.world != nil || db.config.Faults != nil || db.config.OnCall != nil
}
