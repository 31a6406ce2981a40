package dynamo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestGuard_countsWhatABucketHas(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i, gsipk := range []string{
		signal.ShardKey("5min", 0), signal.ShardKey("5min", 0), signal.ShardKey("5min", 15),
		signal.ShardKey("5min-of-another", 0), signal.ShardKey("15min", 0),
	} {
		s := seeding(july.AddDays(i))
		s.GSIPK, s.Dirty = gsipk, i%2 == 0
		e.write(t, protocol.Seed(s, now))
	}
	e.query = func(in *dynamodb.QueryInput) { in.Limit = aws.Int32(1) }
	guard := dynamo.NewGuard(dynamo.NewStore(e, e.table), cadenceIndex)
	tests := []struct {
		name   string
		bucket string
		at     time.Time
		most   int
		n      int
		more   bool
	}{
		{"clean and dirty ones of every shard", "5min", now, 100, 3, false},
		{"as many as are asked for", "5min", now, 3, 3, false},
		{"no more than are asked for", "5min", now, 2, 2, true},
		{"not those that have expired", "5min", signal.Expiry(july.AddDays(1), time.UTC), 100, 1, false},
		{"all have expired", "5min", signal.Expiry(july.AddDays(9), time.UTC), 100, 0, false},
		{"an empty bucket", "1h", now, 100, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, more, err := guard.Find(t.Context(), tt.bucket, tt.at, tt.most)
			if len(keys) != tt.n || !slices.IsSortedFunc(keys, func(a, b signal.Key) int { return strings.Compare(a.SK, b.SK) }) || more != tt.more || err != nil {
				t.Errorf("Find = %v, %t, %v; want %d, %t", keys, more, err, tt.n, tt.more)
			}
		})
	}
}

// The index lags: it still lists signals that are gone, or are elsewhere by now.
func TestGuard_ghostsDoNotCount(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i := range 3 {
		e.write(t, protocol.Seed(seeding(july.AddDays(i)), now))
	}
	var listed []*dynamodb.QueryOutput
	e.answer = func(in *dynamodb.QueryInput, out *dynamodb.QueryOutput) { listed = append(listed, out) }
	guard := dynamo.NewGuard(dynamo.NewStore(e, e.table), cadenceIndex)
	if keys, _, err := guard.Find(t.Context(), "5min", now, 10); len(keys) != 3 || err != nil {
		t.Fatalf("Find = %v, %v", keys, err)
	}
	// The first is destroyed, the second moved.
	e.write(t, protocol.DeleteBySeeder(campOn(july).Key(), protocol.Identity{GlobalID: "id-2026-07-01", SeededBy: signal.S("test")}))
	e.write(t, protocol.UpdateBySeeder(campOn(july.AddDays(1)).Key(), protocol.Identity{GlobalID: "id-2026-07-02", SeededBy: signal.S("test")}, protocol.Change{GSIPK: signal.BucketID("15min")}, now))
	old, i := listed, 0
	e.answer = func(_ *dynamodb.QueryInput, out *dynamodb.QueryOutput) { *out, i = *old[i], i+1 }
	if keys, more, err := guard.Find(t.Context(), "5min", now, 10); len(keys) != 1 || more || err != nil {
		t.Errorf("Find = %v, %t, %v; want the one that is there", keys, more, err)
	}
}

func TestGuard_failsLoudly(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i := range 40 {
		e.write(t, protocol.Seed(seeding(july.AddDays(i)), now))
	}
	if _, _, err := dynamo.NewGuard(e.store, "no-such-index").Find(t.Context(), "5min", now, 10); !errors.Is(err, dynamo.ErrIndexNotFound) {
		t.Errorf("no index: %v", err)
	}
	for _, op := range []string{"Query", "GetItem"} {
		e.set(fault{op, 3, fail(errLost)})
		if _, _, err := dynamo.NewGuard(dynamo.NewStore(e, e.table), cadenceIndex).Find(t.Context(), "5min", now, 100); !errors.Is(err, dynamo.ErrUnknown) {
			t.Errorf("%s fails: %v", op, err)
		}
	}
}

// denying is a DynamoDB that denies the read of one date, once another is read too,
// which it then never answers.
type denying struct {
	dynamo.StoreAPI
	denied signal.Date
	other  chan struct{}
}

func (d denying) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if dynamo.DecodeItem(in.Key).Text(signal.AttrSK) == d.denied.String() {
		<-d.other
		return nil, code("AccessDeniedException", "not authorized")
	}
	close(d.other)
	<-ctx.Done()
	return nil, ctx.Err()
}

// What it has broken off by itself is not why it fails.
func TestGuard_saysWhyItFailed(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i := range 2 {
		e.write(t, protocol.Seed(seeding(july.AddDays(i)), now))
	}
	store := dynamo.NewStore(denying{e, july, make(chan struct{})}, e.table)
	if _, _, err := dynamo.NewGuard(store, cadenceIndex).Find(t.Context(), "5min", now, 10); !errors.Is(err, dynamo.ErrAccessDenied) {
		t.Errorf("error: %v", err)
	}
}

// It reads no more than it needs to say that there are as many.
func TestGuard_stopsWhenItHasFoundEnough(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i := range 200 {
		e.write(t, protocol.Seed(seeding(july.AddDays(i)), now))
	}
	guard := dynamo.NewGuard(dynamo.NewStore(e, e.table), cadenceIndex)
	e.set()
	if found, more, err := guard.Find(t.Context(), "5min", now, 1); len(found) != 1 || !more || err != nil || e.called("GetItem") > 40 {
		t.Errorf("Find = %v, %t, %v after %d reads", found, more, err, e.called("GetItem"))
	}
	e.set()
	if found, more, err := guard.Find(t.Context(), "5min", now, 0); len(found) != 0 || !more || err != nil || e.called("GetItem") > 0 {
		t.Errorf("none asked for: %v, %t, %v after %d reads", found, more, err, e.called("GetItem"))
	}
	// The index itself shows what has expired.
	e.set()
	if found, more, err := guard.Find(t.Context(), "5min", now.AddDate(1, 0, 0), 1); len(found) != 0 || more || err != nil || e.called("GetItem") > 0 {
		t.Errorf("all expired: %v, %t, %v after %d reads", found, more, err, e.called("GetItem"))
	}
}

// More may turn out to be there than were asked for, when several are looked at at
// once and the listing is through: that there are more is said then too.
func TestGuard_findsMoreAtOnce(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i := range 3 {
		e.write(t, protocol.Seed(seeding(july.AddDays(i)), now))
	}
	var all sync.WaitGroup
	all.Add(3)
	together := before(func() { all.Done(); all.Wait() })
	e.set(fault{"GetItem", 1, together}, fault{"GetItem", 2, together}, fault{"GetItem", 3, together})
	found, more, err := dynamo.NewGuard(dynamo.NewStore(e, e.table), cadenceIndex).Find(t.Context(), "5min", now, 1)
	if len(found) != 1 || !more || err != nil {
		t.Errorf("Find = %v, %t, %v", found, more, err)
	}
}

// By its ttl too, which the index may not show yet.
func TestGuard_expiredByItsTTLAlone(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	item := protocol.Seed(seeding(july), now).Item
	delete(item, signal.AttrExpiry)
	item[signal.AttrTTL] = signal.N(now.Unix())
	e.put(t, item)
	e.answer = func(_ *dynamodb.QueryInput, out *dynamodb.QueryOutput) {
		for _, hit := range out.Items {
			delete(hit, signal.AttrTTL)
		}
	}
	if keys, _, err := dynamo.NewGuard(dynamo.NewStore(e, e.table), cadenceIndex).Find(t.Context(), "5min", now, 10); len(keys) > 0 || err != nil {
		t.Errorf("Find = %v, %v", keys, err)
	}
}

// What it names is in order of the products, and then of the dates.
func TestGuard_namesInOrder(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	var want []signal.Key
	for _, product := range []string{"1", "2"} {
		for i := range 2 {
			s := seeding(july.AddDays(i))
			s.ProductID = product
			// The first product's dates are listed last, and its first date last of all.
			s.GSIPK = signal.ShardKey("5min", map[string]int{"1": 15 - i, "2": i}[product])
			e.write(t, protocol.Seed(s, now))
			want = append(want, s.Key())
		}
	}
	got, _, err := dynamo.NewGuard(e.store, cadenceIndex).Find(t.Context(), "5min", now, 10)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
