package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	bookingAttempts = 20
	bookingPause    = 50 * time.Millisecond
)

// book is the application's own transaction: it takes from a pool, or gives back
// to it, and keeps a record. It knows nothing of signals.
func book(ctx context.Context, db *dynamodb.Client, s *season.Season, b season.Booking) error {
	for attempt := 1; ; attempt++ {
		_, err := db.TransactWriteItems(ctx, transaction(s, b))
		if err == nil {
			return nil
		}
		if flip.Advise(err) != flip.Repeat || attempt == bookingAttempts {
			return fmt.Errorf("book line %d of %s, %q: %w", b.Line, season.MorningFile, s.ProductDate(b.Day), err)
		}
		select {
		case <-time.After(rand.N(bookingPause)):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// transaction is a booking as one TransactWriteItems. Its token makes a repeat,
// after an answer that was lost, do nothing.
func transaction(s *season.Season, b season.Booking) *dynamodb.TransactWriteItemsInput {
	date := s.ProductDate(b.Day)
	pool := s.Products[b.Product].Pools[b.Pool]
	text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	number := func(n int64) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
	}
	return &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(fmt.Sprintf("morning-%d", b.Line)),
		TransactItems: []types.TransactWriteItem{
			{Update: &types.Update{
				TableName: aws.String(tableName),
				Key: map[string]types.AttributeValue{
					signal.AttrPK: text(date.PoolPK()), signal.AttrSK: text(pool.Asset),
				},
				// Never below nothing, nor above what there is.
				ConditionExpression: aws.String("#availability BETWEEN :least AND :most"),
				UpdateExpression:    aws.String("ADD #availability :change"),
				ExpressionAttributeNames: map[string]string{
					"#availability": attrAvailability,
				},
				ExpressionAttributeValues: map[string]types.AttributeValue{
					":least":  number(max(0, -b.Change)),
					":most":   number(min(pool.Capacity, pool.Capacity-b.Change)),
					":change": number(b.Change),
				},
			}},
			{Put: &types.Put{
				TableName: aws.String(tableName),
				Item: map[string]types.AttributeValue{
					signal.AttrPK:     text("booking" + strings.TrimPrefix(date.PoolPK(), "inventoryPool")),
					signal.AttrSK:     text(fmt.Sprintf("%06d", b.Line)),
					signal.AttrSchema: text("booking"),
					attrAsset:         text(pool.Asset),
					"change":          number(b.Change),
				},
				ConditionExpression:      aws.String("attribute_not_exists(#pk)"),
				ExpressionAttributeNames: map[string]string{"#pk": signal.AttrPK},
			}},
		},
	}
}
