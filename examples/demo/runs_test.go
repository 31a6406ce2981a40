package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// runItems are buckets' run items that a test writes.
type runItems struct {
	dynamo.StoreAPI
	at func(pk string) (started, ended time.Time)
}

func (r runItems) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	started, ended := r.at(in.Key[signal.AttrPK].(*types.AttributeValueMemberS).Value)
	item := map[string]types.AttributeValue{}
	for name, t := range map[string]time.Time{"startedAt": started, "lastRunAt": ended} {
		if !t.IsZero() {
			item[name] = &types.AttributeValueMemberS{Value: signal.FormatInstant(t)}
		}
	}
	return &dynamodb.GetItemOutput{Item: item}, nil
}

// A run of one bucket each minute from its tenth second on, and of the other from
// its fifteenth, three seconds each.
func TestWatch_awaitsARunOfEveryBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zero := time.Now()
		offsets := map[string]time.Duration{"cadenceBucket::a": 10 * time.Second, "cadenceBucket::b": 15 * time.Second}
		items := runItems{at: func(pk string) (started, ended time.Time) {
			since := time.Since(zero) - offsets[pk]
			if since < 0 {
				return
			}
			n := since / time.Minute
			started = zero.Add(offsets[pk] + n*time.Minute)
			ended = started.Add(3 * time.Second)
			if ended.After(time.Now()) {
				ended = started.Add(-57 * time.Second) // the run before
				if n == 0 {
					ended = time.Time{}
				}
			}
			return
		}}
		ctx, cancel := context.WithCancel(t.Context())
		w := newWatch(dynamo.NewStore(items, "t"), []string{"a", "b"})
		go w.follow(ctx)
		defer synctest.Wait()
		defer cancel()

		started := func(runs []bucketRun, err error) []time.Duration {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			var ds []time.Duration
			for _, r := range runs {
				ds = append(ds, r.started.Sub(zero))
			}
			return ds
		}
		var told int
		first, err := w.await(ctx, nil, func(done []bucketRun) { told = max(told, len(done)) })
		if diff := cmp.Diff([]time.Duration{10 * time.Second, 15 * time.Second}, started(first, err)); diff != "" {
			t.Error(diff)
		}
		if told != 1 {
			t.Errorf("told of %d finished runs while waiting, want 1", told)
		}
		second, err := w.await(ctx, starts(first), func([]bucketRun) {})
		if diff := cmp.Diff([]time.Duration{70 * time.Second, 75 * time.Second}, started(second, err)); diff != "" {
			t.Error(diff)
		}
		// A run that has begun before the moment does not count.
		time.Sleep(time.Until(zero.Add(132 * time.Second)))
		now := time.Now()
		third, err := w.await(ctx, map[string]time.Time{"a": now, "b": now}, func([]bucketRun) {})
		if diff := cmp.Diff([]time.Duration{190 * time.Second, 135 * time.Second}, started(third, err)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWatch_doesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWatch(dynamo.NewStore(runItems{at: func(string) (a, b time.Time) { return }}, "t"), []string{"a", "b"})
		go w.follow(ctx)
		defer synctest.Wait()
		defer cancel()
		_, err := w.await(ctx, nil, func([]bucketRun) {})
		want := "no finished run of a, b within 3m0s: EventBridge did not invoke the function, or the function failed"
		if _, ok := errors.AsType[runtimeFault](err); !ok || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	})
}
