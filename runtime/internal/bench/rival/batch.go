package rival

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// BatchAPI is what Insert calls of the SDK.
type BatchAPI interface {
	BatchExecuteStatement(context.Context, *dynamodb.BatchExecuteStatementInput, ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error)
}

// Insert is the bare loop of a seeder's writes: it inserts items, each on condition
// that it is not there, 25 to a request and so many requests at once. It reads
// nothing, and it repeats nothing but what the SDK does.
func Insert(ctx context.Context, api BatchAPI, table string, items []map[string]types.AttributeValue, atOnce int) error {
	batches := make(chan []map[string]types.AttributeValue)
	failures := make([]error, atOnce)
	var workers sync.WaitGroup
	for w := range atOnce {
		workers.Go(func() {
			for batch := range batches {
				if err := insert(ctx, api, table, batch); err != nil && failures[w] == nil {
					failures[w] = err
				}
			}
		})
	}
	for batch := range slices.Chunk(items, 25) {
		batches <- batch
	}
	close(batches)
	workers.Wait()
	return errors.Join(failures...)
}

func insert(ctx context.Context, api BatchAPI, table string, items []map[string]types.AttributeValue) error {
	in := &dynamodb.BatchExecuteStatementInput{Statements: make([]types.BatchStatementRequest, len(items))}
	for i, item := range items {
		names := slices.Sorted(maps.Keys(item))
		values := make([]types.AttributeValue, len(names))
		for j, name := range names {
			values[j] = item[name]
		}
		statement := fmt.Sprintf(`INSERT INTO "%s" VALUE {'%s': ?}`, table, strings.Join(names, "': ?, '"))
		in.Statements[i] = types.BatchStatementRequest{Statement: &statement, Parameters: values}
	}
	out, err := api.BatchExecuteStatement(ctx, in)
	if err != nil {
		return err
	}
	for _, answer := range out.Responses {
		// The SDK may have repeated what had been applied.
		if answer.Error != nil && answer.Error.Code != types.BatchStatementErrorCodeEnumDuplicateItem {
			return fmt.Errorf("insert: %s", answer.Error.Code)
		}
	}
	return nil
}
