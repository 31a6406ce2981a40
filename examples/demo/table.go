package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/beside"
	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Names of what the platform, and not Terraform, has. The provider calls the rules
// of the table's buckets by rulePrefix.
const (
	tableName     = "reservations"
	cadenceIndex  = beside.CadenceIndex
	globalIDIndex = "globalId-index"
	rulePrefix    = "availability-" + tableName + "-"
)

// Attributes of an inventory pool.
const (
	attrAsset        = "asset"
	attrAvailability = "availability"
	attrCapacity     = "capacity"
)

const (
	// batch is the most that one BatchWriteItem takes.
	batch     = 25
	awaitable = 2 * time.Minute
)

// createTable makes the table with its two indexes and its TTL.
func createTable(ctx context.Context, db *dynamodb.Client, name string) error {
	text := func(names ...string) []types.AttributeDefinition {
		var defs []types.AttributeDefinition
		for _, n := range names {
			defs = append(defs, types.AttributeDefinition{AttributeName: aws.String(n), AttributeType: types.ScalarAttributeTypeS})
		}
		return defs
	}
	key := func(names ...string) []types.KeySchemaElement {
		schema := []types.KeySchemaElement{{AttributeName: aws.String(names[0]), KeyType: types.KeyTypeHash}}
		for _, n := range names[1:] {
			schema = append(schema, types.KeySchemaElement{AttributeName: aws.String(n), KeyType: types.KeyTypeRange})
		}
		return schema
	}
	_, err := db.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: text(signal.AttrPK, signal.AttrSK, signal.AttrGSIPK, signal.AttrGSISK, signal.AttrGlobalID),
		KeySchema:            key(signal.AttrPK, signal.AttrSK),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{
				IndexName: aws.String(cadenceIndex),
				KeySchema: key(signal.AttrGSIPK, signal.AttrGSISK),
				Projection: &types.Projection{
					ProjectionType:   types.ProjectionTypeInclude,
					NonKeyAttributes: []string{signal.AttrDirtySince, signal.AttrTTL, signal.AttrNotBefore},
				},
			},
			{
				IndexName:  aws.String(globalIDIndex),
				KeySchema:  key(signal.AttrGlobalID),
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
			},
		},
	})
	if err != nil {
		return fmt.Errorf("create table %q: %w", name, err)
	}
	if err := dynamodb.NewTableExistsWaiter(db).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, awaitable); err != nil {
		return fmt.Errorf("wait for table %q: %w", name, err)
	}
	_, err = db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(signal.AttrTTL), Enabled: aws.Bool(true)},
	})
	if err != nil {
		return fmt.Errorf("turn on TTL of table %q: %w", name, err)
	}
	return nil
}

func deleteTable(ctx context.Context, db *dynamodb.Client, name string) error {
	if _, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
		return fmt.Errorf("delete table %q: %w", name, err)
	}
	return nil
}

// loadInventory writes every pool of every day, as the platform has them, and
// returns how many.
func loadInventory(ctx context.Context, db *dynamodb.Client, s *season.Season) (int, error) {
	var pools []types.WriteRequest
	for _, d := range s.Days() {
		date := s.ProductDate(d)
		for _, pool := range s.Products[d.Product].Pools {
			capacity := &types.AttributeValueMemberN{Value: strconv.FormatInt(pool.Capacity, 10)}
			pools = append(pools, types.WriteRequest{PutRequest: &types.PutRequest{Item: map[string]types.AttributeValue{
				signal.AttrPK:     &types.AttributeValueMemberS{Value: date.PoolPK()},
				signal.AttrSK:     &types.AttributeValueMemberS{Value: pool.Asset},
				signal.AttrSchema: &types.AttributeValueMemberS{Value: "inventoryPool"},
				attrCapacity:      capacity,
				attrAvailability:  capacity,
			}}})
		}
	}
	batches := make([][]types.WriteRequest, 0, len(pools)/batch+1)
	for rest := pools; len(rest) > 0; rest = rest[min(batch, len(rest)):] {
		batches = append(batches, rest[:min(batch, len(rest))])
	}
	return len(pools), each(ctx, batches, func(ctx context.Context, b []types.WriteRequest) error {
		for len(b) > 0 {
			out, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{tableName: b}})
			if err != nil {
				return fmt.Errorf("load inventory into table %q: %w", tableName, err)
			}
			b = out.UnprocessedItems[tableName]
		}
		return nil
	})
}
