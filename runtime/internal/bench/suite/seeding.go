package suite

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

type item = map[string]types.AttributeValue

// rangeOf is a range of so many dates of the n-th product.
func rangeOf(n, days int) dynamo.Range {
	first := signal.Date{Year: 2090, Month: time.January, Day: 1}
	return dynamo.Range{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: strconv.Itoa(n), ProductID: "1"},
		Span:    dynamo.Span{First: first, Last: first.AddDays(days - 1)},
		Bucket:  bucketName, Pattern: signal.Pattern{Mode: signal.Exact}, Zone: time.UTC, Start: dynamo.Start{Dirty: true},
	}
}

// seedRange times the seeding and the deletion of a range without Terraform, in a
// new table.
func (s *Suite) seedRange(ctx context.Context, days int) (create, remove float64, err error) {
	table, done, err := s.place(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	seeder := dynamo.NewSeeder(s.Engine, table, time.Now, rand.Reader)
	began := time.Now()
	state, why, err := seeder.CreateRange(ctx, rangeOf(1, days))
	create = time.Since(began).Seconds()
	if err == nil && (why != nil || len(state.Missing) > 0) {
		err = fmt.Errorf("%d dates are missing: %w", len(state.Missing), why)
	}
	if err != nil {
		return 0, 0, err
	}
	began = time.Now()
	err = seeder.DeleteRange(ctx, rangeOf(1, days).Product, state.ID)
	return create, time.Since(began).Seconds(), err
}

// items are what the seeder writes for a range of so many dates.
func (s *Suite) items(days int) ([]item, error) {
	r := rangeOf(1, days)
	put := &capturing{}
	store := dynamo.NewStore(put, tableName)
	for i := range days {
		d := r.First.AddDays(i)
		seeding := protocol.Seeding{
			ProductDate: signal.ProductDate{Product: r.Product, Date: d}, GSIPK: signal.BucketID(bucketName),
			GlobalID: fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i), SeededBy: "terraform:00000000-0000-4000-8000-000000000000",
			Pattern: signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{Minutes: 5}}, Expiry: signal.Expiry(d, time.UTC), Dirty: true,
		}
		if _, err := store.Write(context.Background(), protocol.Seed(seeding, time.Now())); err != nil {
			return nil, err
		}
	}
	return put.items, nil
}

// capturing keeps what is put.
type capturing struct {
	dynamo.StoreAPI // nil: nothing else is called
	items           []item
}

// PutItem keeps the item.
func (c *capturing) PutItem(_ context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	c.items = append(c.items, in.Item)
	return &dynamodb.PutItemOutput{}, nil
}

// SeedTask is how many signals to seed, in ranges of how many dates.
type SeedTask struct{ Signals, Days int }

// Seeded is what that took.
type Seeded struct{ MiB, Seconds float64 }

// seedMemory measures the memory of a seeder of a million signals.
func (s *Suite) seedMemory(ctx context.Context, r *record.Row) error {
	task := SeedTask{s.sized(1_000_000, 1000), s.sized(10_000, 100)}
	var found Seeded
	if err := s.child(ctx, seedChild, task, &found); err != nil {
		return err
	}
	r.Lines = append(r.Lines, record.Line{
		What:  fmt.Sprintf("memory of the seeder of %s signals", record.Number(float64(task.Signals))),
		Value: found.MiB, Unit: "MiB", Goal: record.AtMost(128),
		Detail: fmt.Sprintf("a process of its own, ten ranges of %s dates at once, over a table that answers at once and keeps nothing; %s", record.Number(float64(task.Days)), record.Quantity(found.Seconds, "s")),
	})
	return nil
}

// seedMany seeds as Terraform does, ten ranges at once.
func seedMany(ctx context.Context, task SeedTask) (Seeded, error) {
	const atOnce = 10
	seeder := dynamo.NewSeeder(&forgetful{}, tableName, time.Now, rand.Reader)
	began := time.Now()
	err := each(ctx, 0, task.Signals/task.Days, atOnce, func(ctx context.Context, i int) error {
		_, why, err := seeder.CreateRange(ctx, rangeOf(i, task.Days))
		if err == nil {
			err = why
		}
		return err
	})
	if err != nil {
		return Seeded{}, err
	}
	mib, err := residentPeak(os.Getpid())
	return Seeded{MiB: mib, Seconds: time.Since(began).Seconds()}, err
}

// forgetful is a table that has one bucket, takes every write and keeps none.
type forgetful struct{ dynamo.SeederAPI }

// GetItem answers with the bucket.
func (*forgetful) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	put := &capturing{}
	b := signal.Bucket{Name: bucketName, Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true, Checks: signal.DefaultChecks(), GlobalID: "bench"}
	err := dynamo.NewRegistry(dynamo.NewStore(put, tableName)).Create(context.Background(), b)
	return &dynamodb.GetItemOutput{Item: put.items[0]}, err
}

// Query finds nothing.
func (*forgetful) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return &dynamodb.QueryOutput{}, nil
}

// BatchExecuteStatement says that all has been written.
func (*forgetful) BatchExecuteStatement(_ context.Context, in *dynamodb.BatchExecuteStatementInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
	return &dynamodb.BatchExecuteStatementOutput{Responses: make([]types.BatchStatementResponse, len(in.Statements))}, nil
}
