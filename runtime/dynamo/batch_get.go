package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	// mostBatchKeys is what a BatchGetItem takes.
	mostBatchKeys = 100
	// The pauses before keys are asked for again grow from one to the other; so
	// many in a row without an item, and the table is throttled.
	shortestBatchPause = 25 * time.Millisecond
	longestBatchPause  = 2 * time.Second
	vainBatches        = 8
)

// BatchGetAPI is what BatchGet calls of the SDK.
type BatchGetAPI interface {
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
}

// BatchGet are keys of one table to be read together.
type BatchGet struct {
	Table string
	// Keys may be any number, and may repeat.
	Keys []signal.Key
	// Attrs are the attributes to read beside the key; none for all.
	Attrs []string
	// Eventual makes the reads eventually consistent, for half the price.
	Eventual bool
}

// Read reads the items, as many to a call as there can be, and asks again for
// those that the service leaves unprocessed. Keys without an item are left out.
// The error is ErrThrottled if nothing comes of asking again.
func (b BatchGet) Read(ctx context.Context, api BatchGetAPI) (map[signal.Key]signal.Item, error) {
	items := make(map[signal.Key]signal.Item, len(b.Keys))
	left := unique(b.Keys)
	vain := 0
	for len(left) > 0 {
		chunk := left[:min(len(left), mostBatchKeys)]
		out, err := api.BatchGetItem(ctx, b.input(chunk))
		if err != nil {
			return nil, fmt.Errorf("read %d items of table %q: %w", len(chunk), b.Table, classify(err))
		}
		for _, av := range out.Responses[b.Table] {
			item := decodeItem(av)
			items[item.Key()] = item
		}
		var unprocessed []signal.Key
		for _, av := range out.UnprocessedKeys[b.Table].Keys {
			key := decodeItem(av)
			unprocessed = append(unprocessed, signal.Key{PK: key.Text(signal.AttrPK), SK: key.Text(signal.AttrSK)})
		}
		left = append(unprocessed, left[len(chunk):]...)
		switch {
		case len(unprocessed) == 0:
			vain = 0
			continue
		case len(unprocessed) < len(chunk):
			vain = 0
		}
		if vain++; vain > vainBatches {
			return nil, fmt.Errorf("read items of table %q: %d keys stay unprocessed: %w", b.Table, len(unprocessed), ErrThrottled)
		}
		if err := sleep(ctx, min(shortestBatchPause<<(vain-1), longestBatchPause)); err != nil {
			return nil, fmt.Errorf("read items of table %q: %d keys are unprocessed: %w: %w", b.Table, len(unprocessed), ErrUnknown, err)
		}
	}
	return items, nil
}

func (b BatchGet) input(keys []signal.Key) *dynamodb.BatchGetItemInput {
	asked := types.KeysAndAttributes{ConsistentRead: aws.Bool(!b.Eventual)}
	for _, key := range keys {
		asked.Keys = append(asked.Keys, encodeKey(key))
	}
	if len(b.Attrs) > 0 {
		e := newExpression(len(b.Attrs)+2, 0)
		asked.ProjectionExpression = e.projection(append([]string{signal.AttrPK, signal.AttrSK}, b.Attrs...))
		asked.ExpressionAttributeNames = e.namesOrNil()
	}
	return &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{b.Table: asked}}
}

// unique is the keys, each once: the service refuses a key that repeats.
func unique(keys []signal.Key) []signal.Key {
	seen := make(map[signal.Key]bool, len(keys))
	once := make([]signal.Key, 0, len(keys))
	for _, key := range keys {
		if !seen[key] {
			seen[key] = true
			once = append(once, key)
		}
	}
	return once
}
