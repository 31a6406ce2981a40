package flip_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// BenchmarkFlip compares 64 callers of one process that flip one signal without
// pause: together, and each by an UpdateItem of its own. With TF_ACC=1 it runs on
// the DynamoDB of the environment, otherwise on a table in memory that serves
// one call at a time, as the partition of one item does.
func BenchmarkFlip(b *testing.B) {
	modes := map[string]func(*flip.Client, context.Context, signal.Key) error{
		"joined": (*flip.Client).Flip,
		"blind":  (*flip.Client).Blind,
	}
	for _, name := range []string{"blind", "joined"} {
		b.Run(name, func(b *testing.B) {
			api, table, k := benchmarkTable(b)
			counted := &counter{API: api}
			c := flip.New(counted, table)
			share := make(chan struct{}, b.N)
			for range b.N {
				share <- struct{}{}
			}
			close(share)
			b.ResetTimer()
			var all sync.WaitGroup
			for range callers {
				all.Go(func() {
					for range share {
						if err := modes[name](c, b.Context(), k); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			n := float64(b.N)
			b.ReportMetric(n/b.Elapsed().Seconds(), "flips/s")
			b.ReportMetric(float64(counted.reads)/n, "reads/flip")
			b.ReportMetric(float64(counted.writes)/n, "writes/flip")
		})
	}
}

func benchmarkTable(b *testing.B) (flip.API, string, signal.Key) {
	if !onEngine() {
		tbl := newTable(clean(key(1)))
		var one sync.Mutex
		tbl.before = func(string, int) error {
			one.Lock()
			defer one.Unlock()
			busy(200 * time.Microsecond)
			return nil
		}
		return tbl, "t", key(1)
	}
	db, name := engine(b)
	seedSignal(b, dynamo.NewStore(db, name), july1)
	return db, name, july1.Key()
}

// busy passes a time too short for a timer.
func busy(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// counter counts the calls of a benchmark.
type counter struct {
	flip.API
	mu            sync.Mutex
	reads, writes int
}

func (c *counter) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	c.count(&c.reads)
	return c.API.GetItem(ctx, in, opts...)
}

func (c *counter) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	c.count(&c.writes)
	return c.API.UpdateItem(ctx, in, opts...)
}

func (c *counter) count(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}
