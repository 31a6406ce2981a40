//go:build !race

package goals_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// dirtyVariable tells a process of its own how many signals are dirty.
const dirtyVariable = "GOALS_DIRTY"

// A run keeps little of each signal that is dirty, and nothing of those that are
// clean: a process that does nothing else stays small.
func TestP6_resident(t *testing.T) {
	if dirty, err := strconv.Atoi(os.Getenv(dirtyVariable)); err == nil {
		runFlood(t, dirty)
		return
	}
	for dirty, limit := range map[int]int{100_000: 64, 1_000_000: 100} {
		t.Run(fmt.Sprint(dirty, " dirty"), func(t *testing.T) {
			// The test's own program, which this one was built as.
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), self, "-test.run", "^TestP6_resident$", "-test.v")
			c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", dirtyVariable, dirty))
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			_, rest, found := strings.Cut(string(out), "resident: ")
			number, _, _ := strings.Cut(rest, " ")
			kib, err := strconv.Atoi(number)
			if !found || err != nil {
				t.Fatalf("it does not say: %s", out)
			}
			t.Logf("%d dirty: %.1f MiB resident at the most, the test's own program included", dirty, float64(kib)/1024)
			if kib > limit*1024 {
				t.Errorf("%.1f MiB, want at most %d", float64(kib)/1024, limit)
			}
		})
	}
}

// runFlood runs a bucket, and says how much memory the process has had.
func runFlood(t *testing.T, dirty int) {
	const checks = 20_000
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := platformOn(t, simulator.New(simulator.Config{}))
	f := &flood{bucket: p.bucket, dirty: dirty}
	var asked atomic.Int64
	p.source = func(context.Context, int) (signal.Estimate, error) {
		if asked.Add(1) == checks {
			// The most is needed by now.
			cancel()
		}
		return signal.Estimate{Available: 7, Capacity: 10}, nil
	}
	store := dynamo.NewStore(f, table)
	var ids atomic.Int64
	r := check.Runner{
		Store: store, Registry: dynamo.NewRegistry(store), Source: p, Index: simulator.CadenceIndex,
		Now: time.Now, NewID: func() string { return fmt.Sprint("claim ", ids.Add(1)) }, Random: func() float64 { return 0.5 },
		Log: slog.New(slog.DiscardHandler),
	}
	report, err := r.Run(ctx, name)
	if err != nil || report.Due != int64(dirty) || report.Cleaned < checks*9/10 {
		t.Fatalf("%+v, %v", report.Counts, err)
	}
	status, err := os.ReadFile(filepath.Join("/proc", "self", "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	t.Logf("resident: %s KiB", strings.Fields(rest)[0])
}

// flood is a table of so many dirty signals that is nowhere: each is made up when it
// is asked for.
type flood struct {
	dynamo.StoreAPI // nil: a run neither puts nor deletes
	bucket          signal.Bucket
	dirty           int
}

// GetItem answers for the registry item.
func (f *flood) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	db := simulator.New(simulator.Config{})
	db.CreateTable(simulator.SignalTable(table, types.ProjectionTypeAll))
	p := platform{db: db, bucket: f.bucket}
	p.register()
	key := signal.RegistryKey(name)
	return db.Client("flood").GetItem(context.Background(), &dynamodb.GetItemInput{
		TableName: new(table), Key: attributes{signal.AttrPK: text(key.PK), signal.AttrSK: text(key.SK)},
	})
}

// Query answers with as many entries as DynamoDB puts on a page.
func (f *flood) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	const page = 4500
	out := &dynamodb.QueryOutput{}
	for _, v := range in.ExpressionAttributeValues {
		if s, ok := v.(*types.AttributeValueMemberS); ok && s.Value == signal.BucketID(name) {
			from := 0
			if after, ok := in.ExclusiveStartKey[signal.AttrSK].(*types.AttributeValueMemberS); ok {
				pk := in.ExclusiveStartKey[signal.AttrPK].(*types.AttributeValueMemberS).Value
				d, err := signal.ParseKey(signal.Key{PK: pk, SK: after.Value})
				if err != nil {
					return nil, err
				}
				from = numberOf(d) + 1
			}
			for n := from; n < min(from+page, f.dirty); n++ {
				out.Items = append(out.Items, f.entry(n))
			}
			if from+page < f.dirty {
				out.LastEvaluatedKey = out.Items[page-1]
			}
		}
	}
	out.Count = int32(len(out.Items))
	return out, nil
}

// entry is a signal's in the index, its texts as new as an answer's.
func (f *flood) entry(n int) attributes {
	key := day(n).Key()
	return attributes{
		signal.AttrPK: text(key.PK), signal.AttrSK: text(key.SK),
		signal.AttrDirtySince: text(signal.FormatInstant(time.Date(2026, time.July, 1, 0, 0, n%3600, 0, time.UTC))),
		signal.AttrTTL:        &types.AttributeValueMemberN{Value: strings.Clone("2082758400")},
	}
}

// UpdateItem grants every claim.
func (f *flood) UpdateItem(_ context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out := &dynamodb.UpdateItemOutput{}
	if in.ReturnValues == types.ReturnValueAllNew {
		zero := &types.AttributeValueMemberN{Value: "0"}
		out.Attributes = attributes{
			signal.AttrPK: in.Key[signal.AttrPK], signal.AttrSK: in.Key[signal.AttrSK], signal.AttrGSIPK: text(signal.BucketID(name)),
			signal.AttrRev: zero, signal.AttrClaimedRev: zero,
			signal.AttrPattern: &types.AttributeValueMemberM{Value: attributes{"estimationMode": text("exact")}},
		}
	}
	return out, nil
}
