package check_test

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// index is a table whose index has pages of two entries for every shard key, and
// that refuses every claim.
type index struct {
	dynamo.StoreAPI
	pages int
	sent  []dynamodb.QueryInput
}

func (x *index) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	x.sent = append(x.sent, *in)
	page := 0
	if from, ok := in.ExclusiveStartKey["page"].(*types.AttributeValueMemberN); ok {
		page, _ = strconv.Atoi(from.Value)
	}
	out := &dynamodb.QueryOutput{}
	for i := range 2 {
		out.Items = append(out.Items, map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: loop.PK()},
			"sk": &types.AttributeValueMemberS{Value: fmt.Sprintf("entry %d of page %d, query %d", i, page, len(x.sent))},
		})
	}
	if page+1 < x.pages {
		out.LastEvaluatedKey = map[string]types.AttributeValue{"page": &types.AttributeValueMemberN{Value: strconv.Itoa(page + 1)}}
	}
	return out, nil
}

func (x *index) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return nil, &types.ConditionalCheckFailedException{}
}

func TestRun_everyPageOfEveryShard(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		x := &index{pages: 3}
		w.runner.Store = dynamo.NewStore(x, "signals")

		w.wantCounts(w.run(), check.Counts{Seen: 96, Due: 96, Refused: 96})

		pages := map[string]int{}
		for _, in := range x.sent {
			if *in.IndexName != "cadence-index" || *in.TableName != "signals" {
				t.Errorf("query of %s of %s", *in.IndexName, *in.TableName)
			}
			for alias, name := range in.ExpressionAttributeNames {
				if name == "gsisk" && !strings.Contains(*in.KeyConditionExpression, alias+" = ") {
					t.Errorf("the dirty bit is not in the key condition %s", *in.KeyConditionExpression)
				}
			}
			for _, v := range in.ExpressionAttributeValues {
				if s := v.(*types.AttributeValueMemberS).Value; s != signal.Dirty {
					pages[s]++
				}
			}
			projected := map[string]bool{}
			for alias := range strings.SplitSeq(*in.ProjectionExpression, ", ") {
				projected[in.ExpressionAttributeNames[alias]] = true
			}
			// An index that includes no more than these must do.
			if diff := cmp.Diff(map[string]bool{"pk": true, "sk": true, "dirtySince": true, "ttl": true, "notBefore": true}, projected); diff != "" {
				t.Errorf("projection: %s", diff)
			}
		}
		want := map[string]int{"cadenceBucket::5min": 3}
		for k := 1; k < 16; k++ {
			want[fmt.Sprintf("cadenceBucket::5min::%d", k)] = 3
		}
		if diff := cmp.Diff(want, pages); diff != "" {
			t.Errorf("pages by shard key: %s", diff)
		}
	})
}

// season is a table of very many dirty signals, that refuses every claim.
type season struct {
	*table
	signals   int
	perPK     int
	afterLast func()
}

func (s *season) Query(_ context.Context, q dynamo.Query) iter.Seq2[signal.Item, error] {
	return func(yield func(signal.Item, error) bool) {
		if q.Partition != signal.BucketID("5min") {
			return
		}
		first := signal.Date{Year: 2026, Month: time.January, Day: 1}
		since := time.Now().Add(-time.Hour)
		for i := range s.signals {
			ok := yield(signal.Item{
				signal.AttrPK:         signal.S(fmt.Sprintf("availabilitySignal::mockPark1::backcountryCamp::1::%d", i/s.perPK)),
				signal.AttrSK:         signal.S(first.AddDays(i % s.perPK).String()),
				signal.AttrDirtySince: signal.S(signal.FormatInstant(since.Add(time.Duration(i*7919%s.signals) * time.Millisecond))),
				signal.AttrTTL:        signal.N(since.Add(1000 * time.Hour).Unix()),
			}, nil)
			if !ok {
				return
			}
		}
	}
}

func (s *season) WriteOnce(context.Context, protocol.Write) (signal.Item, error) {
	if s.afterLast != nil {
		s.afterLast()
		s.afterLast = nil
	}
	return nil, &dynamo.RefusedError{}
}

// What a run keeps of a signal that waits is 16 bytes, and its product's pk once.
func TestRun_manyDirtySignalsInLittleMemory(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		heap := func() uint64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		const signals = 200_000
		before := heap()
		var waiting uint64
		w.runner.Store = &season{
			table: w.table, signals: signals, perPK: 365,
			afterLast: func() { waiting = heap() - before },
		}
		if report := w.run(); report.Refused != signals {
			t.Errorf("refused %d", report.Refused)
		}
		if each := waiting / signals; each > 24 {
			t.Errorf("%d bytes for each of %d signals, want no more than 24", each, signals)
		}
	})
}
