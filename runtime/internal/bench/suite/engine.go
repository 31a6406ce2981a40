package suite

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// onEngine is a season on the engine, in a table of its own, which done deletes.
func (s *Suite) onEngine(ctx context.Context, size int, configure ...func(*signal.Bucket)) (is *season, done func(), err error) {
	table, done, err := s.table(ctx)
	if err != nil {
		return nil, nil, err
	}
	is, err = newSeason(ctx, nil, s.Engine, table, size, configure...)
	if err != nil {
		done()
		return nil, nil, err
	}
	return is, done, nil
}

// table is a new table on the engine.
func (s *Suite) table(ctx context.Context) (name string, done func(), err error) {
	name = "availability-bench-" + rand.Text()
	_, err = s.Engine.CreateTable(ctx, awstest.Definition(name, awstest.Included))
	if _, inUse := errors.AsType[*types.ResourceInUseException](err); err != nil && !inUse {
		return "", nil, err
	}
	done = func() {
		_, err := s.Engine.DeleteTable(context.WithoutCancel(ctx), &dynamodb.DeleteTableInput{TableName: &name})
		if err != nil {
			s.say("delete table %s: %v", name, err)
		}
	}
	waiter := dynamodb.NewTableExistsWaiter(s.Engine, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = 20 * time.Millisecond })
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, time.Minute); err != nil {
		done()
		return "", nil, err
	}
	return name, done, nil
}
