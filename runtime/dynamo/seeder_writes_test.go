package dynamo_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A long range takes little memory for each of its dates, however many there are: it
// is not all rendered before the first is sent. No other test runs meanwhile, since it
// is the process's heap that is measured.
func TestRange_takesLittleMemory(t *testing.T) {
	const dates, most = 20_000, 500
	e := newSimulated()
	e.register(t, "5min")
	live := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var (
		mu       sync.Mutex
		calls    int
		greatest int64
	)
	forgetful := func(_ context.Context, in *dynamodb.BatchExecuteStatementInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls%100 == 1 {
			greatest = max(greatest, live())
		}
		return &dynamodb.BatchExecuteStatementOutput{Responses: make([]types.BatchStatementResponse, len(in.Statements))}, nil
	}
	before := live()
	state, why, err := dynamo.NewSeeder(batching{e, forgetful}, e.table, clock, rand.Reader).CreateRange(t.Context(), days(dates))
	if err != nil || why != nil || len(state.Missing) > 0 {
		t.Fatalf("create: %d missing, %v, %v", len(state.Missing), why, err)
	}
	if per := (greatest - before) / dates; per > most {
		t.Errorf("seeding takes %d bytes of memory for a date, want no more than %d", per, most)
	}
}

// ids is randomness for so many ids, which is used up then. It is not safe for
// concurrent use.
func ids(n int64) io.Reader { return io.LimitReader(rand.Reader, 16*n) }

// Where there are no more ids, what has been sent stands, and nothing more is sent.
func TestRange_runsOutOfIDs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		// ids are those of signals, beside the range's own.
		ids  int64
		have string
		// blind is that afterwards nothing can be read.
		blind bool
	}{
		"before the first":           {0, "", false},
		"in the first batch":         {24, "", false},
		"and cannot look":            {24, "", true},
		"in the second":              {30, "2026-07-01/2026-07-25", false},
		"for the last one of it":     {49, "2026-07-01/2026-07-25", false},
		"after two, and cannot look": {74, "2026-07-01/2026-08-19", true},
		"after four":                 {100, "2026-07-01/2026-10-08", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			if tt.blind {
				e.set(fault{"Query", 2, fail(errLost)})
			}
			r := days(110)
			state, why, err := dynamo.NewSeeder(e, e.table, clock, ids(1+tt.ids)).CreateRange(t.Context(), r)
			if failed := errors.Join(why, err); !errors.Is(failed, io.EOF) || errors.Is(failed, dynamo.ErrUnknown) {
				t.Errorf("create: %v, %v; want that there was no id", why, err)
			}
			there := e.partition(t)
			if got := dates(there, all); got != tt.have {
				t.Errorf("seeded %s, want %s", got, tt.have)
			}
			if (state.ID != "") != (tt.have != "") || (err == nil) != (tt.have != "") {
				t.Fatalf("state %+v, error %v", state, err)
			}
			if state.ID == "" {
				return
			}
			if diff := cmp.Diff(absent(there, r.Span), state.Missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			// A repeat does what is left.
			r.ID = state.ID
			if state, err := e.seeder().UpdateRange(t.Context(), r, r); err != nil || !state.Complete || len(e.partition(t)) != 110 {
				t.Errorf("update: %d missing, %v", len(state.Missing), err)
			}
		})
	}
}

// What is sent again after it was throttled is what was sent at first, and all of a
// range starts at one instant.
func TestRange_repeatsWhatItHasSent(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	var (
		mu    sync.Mutex
		ticks time.Duration
		sent  = map[string]types.BatchStatementRequest{}
		again int
	)
	throttledOnce := func(ctx context.Context, in *dynamodb.BatchExecuteStatementInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
		mu.Lock()
		defer mu.Unlock()
		fresh := 0
		for _, s := range in.Statements {
			before, repeated := sent[dateOf(s)]
			if sent[dateOf(s)] = s; !repeated {
				fresh++
				continue
			}
			again++
			if diff := cmp.Diff(before, s, cmpopts.IgnoreUnexported(types.BatchStatementRequest{}, types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberM{})); diff != "" {
				t.Errorf("%s is sent again as another (-first +second):\n%s", dateOf(s), diff)
			}
		}
		if fresh > 0 {
			answers := make([]types.BatchStatementResponse, len(in.Statements))
			for i := range answers {
				answers[i].Error = failure(types.BatchStatementErrorCodeEnumThrottlingError)
			}
			return &dynamodb.BatchExecuteStatementOutput{Responses: answers}, nil
		}
		return e.BatchExecuteStatement(ctx, in, opts...)
	}
	ticking := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		ticks += time.Second
		return now.Add(ticks)
	}
	r := days(60)
	r.Start = dynamo.Start{Dirty: true}
	state, why, err := dynamo.NewSeeder(batching{e, throttledOnce}, e.table, ticking, rand.Reader).Hasty().CreateRange(t.Context(), r)
	if err != nil || why != nil || len(state.Missing) > 0 {
		t.Fatalf("create: %+v, %v, %v", state, why, err)
	}
	since := map[string]int{}
	for _, item := range e.partition(t) {
		since[item.Text(signal.AttrDirtySince)]++
	}
	if again != 60 || len(since) != 1 {
		t.Errorf("%d were sent again; they are dirty since %v, want one instant", again, since)
	}
}

// The writes of a deletion are rendered as they are sent, and each is of its own
// signal.
func TestRange_deletesEachByItsOwnIdentity(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(130))
	// Seeded anew once it has been looked at, the first and last of a batch among them.
	e.set(fault{"Query", 1, func(send func() error) error {
		err := send()
		for _, i := range []int{0, 24, 25, 129} {
			e.put(t, protocol.Seed(seeding(july.AddDays(i)), now).Item)
		}
		return err
	}})
	err := e.seeder().DeleteRange(t.Context(), camp, r.ID)
	if left, ok := errors.AsType[*dynamo.LeftError](err); !ok || len(left.Holders) != 4 {
		t.Errorf("delete: %v", err)
	}
	if got := dates(e.partition(t), all); got != "2026-07-01/2026-07-01 2026-07-25/2026-07-26 2026-11-07/2026-11-07" {
		t.Errorf("left are %s", got)
	}
}
