package suite

import (
	"context"
	"fmt"
	"runtime"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/record"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/bench/rival"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// overhead is P7: what a check allocates beyond the SDK's calls.
func (s *Suite) overhead(ctx context.Context) (record.Row, error) {
	size := s.sized(1000, 40)
	r := record.Row{
		Title: "Own overhead of a check",
		How:   fmt.Sprintf("A run of %d checks with the pool source, on %s, beside the same SDK calls written out by hand (sixteen queries, and for each signal a claim, a read of its pools and a finish), by as many workers. Allocations of this process, by Go's own count.", size, s.EngineName),
	}
	season, done, err := s.onEngine(ctx, size)
	if err != nil {
		return r, err
	}
	defer done()
	if err := season.stock(ctx); err != nil {
		return r, err
	}
	runner := season.runner(s.Engine, source.NewPool(season.store))
	calls := rival.Calls{API: s.Engine, Table: season.table, Index: simulator.CadenceIndex, Bucket: bucketName}
	var ours, theirs allocations
	_, err = record.Alternate(s.Rounds,
		func() (float64, error) {
			return 0, ours.count(size, func() error { return season.soil(ctx, 1) }, func() error {
				_, err := runner.Run(ctx, bucketName)
				return err
			})
		},
		func() (float64, error) {
			return 0, theirs.count(size, func() error { return season.soil(ctx, 1) }, func() error { return season.callByCall(ctx, calls) })
		})
	if err != nil {
		return r, err
	}
	r.Lines = []record.Line{
		over("allocations beyond the SDK's", ours.objects, theirs.objects),
		over("bytes beyond the SDK's", ours.bytes, theirs.bytes),
	}
	return r, nil
}

func over(what string, ours, theirs []float64) record.Line {
	a, b := record.Median(ours), record.Median(theirs)
	return record.Line{
		What: what, Value: 100 * (a/b - 1), Unit: "%", Goal: record.AtMost(10),
		Detail: fmt.Sprintf("%s for a check against %s", record.Number(a), record.Number(b)),
	}
}

// allocations are those of single rounds, for one of many.
type allocations struct{ objects, bytes []float64 }

func (a *allocations) count(n int, before, do func() error) error {
	if err := before(); err != nil {
		return err
	}
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	err := do()
	runtime.ReadMemStats(&to)
	a.objects = append(a.objects, float64(to.Mallocs-from.Mallocs)/float64(n))
	a.bytes = append(a.bytes, float64(to.TotalAlloc-from.TotalAlloc)/float64(n))
	return err
}

// stock gives every date a pool.
func (s *season) stock(ctx context.Context) error {
	return s.each(ctx, 0, s.size, func(ctx context.Context, i int) error {
		_, err := s.api.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: map[string]types.AttributeValue{
			signal.AttrPK: &types.AttributeValueMemberS{Value: s.day(i).PoolPK()}, signal.AttrSK: &types.AttributeValueMemberS{Value: "a"},
			"capacity": &types.AttributeValueMemberN{Value: "10"}, "availability": &types.AttributeValueMemberN{Value: "7"},
		}})
		return err
	})
}

// callByCall is a run's calls without the run, by as many workers.
func (s *season) callByCall(ctx context.Context, c rival.Calls) error {
	for shard := range signal.MaxShards {
		if err := c.List(ctx, shard); err != nil {
			return err
		}
	}
	return each(ctx, 0, s.size, s.bucket.Checks.Concurrency, func(ctx context.Context, i int) error { return c.Check(ctx, s.day(i)) })
}
