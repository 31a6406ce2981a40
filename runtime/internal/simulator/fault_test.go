package simulator_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// nth makes the nth sending of an operation meet a fault, counted from 1.
func nth(operation string, n int, fault simulator.Fault) simulator.Faults {
	seen := map[int]int{}
	return func(_ *rand.Rand, c *simulator.Call) simulator.Fault {
		if c.Operation != operation {
			return simulator.Fault{}
		}
		// Worlds of other seeds begin anew: their clients count from 1.
		if c.Number == 1 {
			seen[c.Process] = 0
		}
		if seen[c.Process]++; seen[c.Process] != n {
			return simulator.Fault{}
		}
		return fault
	}
}

func add(ctx context.Context, c *simulator.Client, options ...func(*dynamodb.Options)) error {
	_, err := c.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: ptr(table), Key: at("a"), UpdateExpression: ptr("ADD n :n"), ExpressionAttributeValues: attributes{":n": number(1)},
	}, options...)
	return err
}

// What each fault of one call does, to a call that the SDK repeats and to one that
// it does not: how often it was executed by the end, and what the caller learned.
func TestFault_ofOneCall(t *testing.T) {
	is := func(target error) func(error) bool {
		return func(err error) bool { return errors.Is(err, target) }
	}
	code := func(code string) func(error) bool {
		return func(err error) bool {
			api, ok := errors.AsType[smithy.APIError](err)
			return ok && api.ErrorCode() == code
		}
	}
	fine := func(err error) bool { return err == nil }
	tests := []struct {
		name            string
		fault           simulator.Fault
		repeated, alone string
		repeatedError   func(error) bool
		aloneError      func(error) bool
	}{
		{"throttled", simulator.Fault{Reject: simulator.Throttling}, "1", "", fine, code("ProvisionedThroughputExceededException")},
		{"error of the service", simulator.Fault{Reject: simulator.ServerError}, "1", "", fine, code("InternalServerError")},
		{"never sent", simulator.Fault{Reject: simulator.NeverSent}, "1", "", fine, is(simulator.ErrNoAnswer)},
		{"conflict, which the SDK does not repeat by itself", simulator.Fault{Reject: simulator.Conflicting}, "", "", code("TransactionConflictException"), code("TransactionConflictException")},
		{"answer lost", simulator.Fault{LoseAnswer: true}, "2", "1", fine, is(simulator.ErrNoAnswer)},
		{"late", simulator.Fault{Late: time.Minute}, "2", "1", fine, is(simulator.ErrNoAnswer)},
		{"again", simulator.Fault{Again: time.Minute}, "2", "2", fine, fine},
		{"crash before", simulator.Fault{CrashBefore: true}, "", "", is(simulator.ErrCrashed), is(simulator.ErrCrashed)},
		{"crash after", simulator.Fault{CrashAfter: true}, "1", "1", is(simulator.ErrCrashed), is(simulator.ErrCrashed)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, alone := range []bool{false, true} {
				db, c := newDB(simulator.Config{Faults: nth("UpdateItem", 1, tt.fault)})
				want, good, options := tt.repeated, tt.repeatedError, []func(*dynamodb.Options){}
				if alone {
					want, good, options = tt.alone, tt.aloneError, append(options, once)
				}
				if err := add(t.Context(), c, options...); !good(err) {
					t.Errorf("sent once %v: %v", alone, err)
				}
				db.Settle()
				if got := textOf(get(t, db.Client("later"), at("a"))["n"]); got != want {
					t.Errorf("sent once %v: executed %q times, want %q", alone, got, want)
				}
			}
		})
	}
}

func TestFault_lateRequestIsExecutedInItsTime(t *testing.T) {
	clock := midnight()
	_, c := newDB(simulator.Config{Clock: clock, Faults: nth("UpdateItem", 1, simulator.Fault{Late: time.Minute})})
	if err := add(t.Context(), c, once); err == nil {
		t.Fatal("no error")
	}
	clock.Advance(time.Minute - 1)
	if got := textOf(get(t, c, at("a"))["n"]); got != "" {
		t.Errorf("executed before its time: %s", got)
	}
	clock.Advance(1)
	if got := textOf(get(t, c, at("a"))["n"]); got != "1" {
		t.Errorf("not executed: %q", got)
	}
}

// The adapter's two ways to write meet the SDK's repetitions as on AWS.
func TestFault_throughTheAdapter(t *testing.T) {
	seeded := func(fault simulator.Fault, n int) (*dynamo.Store, *simulator.DB) {
		db, c := newDB(simulator.Config{Faults: nth("UpdateItem", n, fault)})
		seed(t, c, 1)
		return dynamo.NewStore(c, table), db
	}
	now := midnight().Now()
	key := seeding(0).Key()

	t.Run("a conflict is repeated", func(t *testing.T) {
		store, _ := seeded(simulator.Fault{Reject: simulator.Conflicting}, 1)
		item, err := store.Write(t.Context(), protocol.Flip(key, now))
		if err != nil {
			t.Fatal(err, item)
		}
	})
	t.Run("but not of what is to be sent once", func(t *testing.T) {
		store, _ := seeded(simulator.Fault{Reject: simulator.Conflicting}, 1)
		if _, err := store.WriteOnce(t.Context(), protocol.Flip(key, now)); !errors.Is(err, dynamo.ErrConflict) {
			t.Error(err)
		}
	})
	t.Run("a seed whose answer was lost is refused and shows itself", func(t *testing.T) {
		_, c := newDB(simulator.Config{Faults: nth("PutItem", 1, simulator.Fault{LoseAnswer: true})})
		_, err := dynamo.NewStore(c, table).Write(t.Context(), protocol.Seed(seeding(0), now))
		old, ok := asRefused(err)
		if !ok || old.Text(signal.AttrGlobalID) != seeding(0).GlobalID {
			t.Errorf("%v: %v", err, old)
		}
	})
	t.Run("a claim whose answer was lost is made, and its outcome unknown", func(t *testing.T) {
		store, _ := seeded(simulator.Fault{LoseAnswer: true}, 2)
		if _, err := store.Write(t.Context(), protocol.Flip(key, now)); err != nil {
			t.Fatal(err)
		}
		_, err := store.WriteOnce(t.Context(), protocol.Claim(key, "me", now, time.Minute))
		if !errors.Is(err, dynamo.ErrUnknown) {
			t.Error(err)
		}
		item, err := store.Get(t.Context(), key)
		if err != nil || item.Text(signal.AttrClaimedBy) != "me" {
			t.Errorf("%v, %v", item, err)
		}
	})
}

// A call is sent four times, with pauses that grow, and then given up.
func TestRetry_asTheSDK(t *testing.T) {
	always := func(f simulator.Fault, sent *int) simulator.Faults {
		return func(*rand.Rand, *simulator.Call) simulator.Fault {
			*sent++
			return f
		}
	}
	tests := []struct {
		name    string
		fault   simulator.Fault
		options []func(*dynamodb.Options)
		client  []func(*dynamodb.Options)
		sent    int
		longest time.Duration
	}{
		{"errors", simulator.Fault{Reject: simulator.ServerError}, nil, nil, 4, (25 + 50 + 100) * time.Millisecond},
		{"throttling", simulator.Fault{Reject: simulator.Throttling}, nil, nil, 4, 7 * time.Second},
		{"turned off", simulator.Fault{Reject: simulator.Throttling}, []func(*dynamodb.Options){once}, nil, 1, 0},
		{"fewer for a call", simulator.Fault{Reject: simulator.NeverSent}, []func(*dynamodb.Options){func(o *dynamodb.Options) { o.RetryMaxAttempts = 2 }}, nil, 2, 25 * time.Millisecond},
		{"more for a client", simulator.Fault{Reject: simulator.NeverSent}, nil, []func(*dynamodb.Options){func(o *dynamodb.Options) { o.RetryMaxAttempts = 7 }}, 7, 2 * time.Second},
		{"conflicts where asked for", simulator.Fault{Reject: simulator.Conflicting}, []func(*dynamodb.Options){func(o *dynamodb.Options) {
			o.Retryer = retry.AddWithErrorCodes(o.Retryer, "TransactionConflictException")
		}}, nil, 4, (25 + 50 + 100) * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock, sent := midnight(), 0
			db, _ := newDB(simulator.Config{Clock: clock, Faults: always(tt.fault, &sent)})
			c := db.Client("retrying", simulator.WithOptions(tt.client...))
			began := clock.Now()
			if err := add(t.Context(), c, tt.options...); err == nil {
				t.Error("no error")
			}
			if took := clock.Now().Sub(began); sent != tt.sent || took > tt.longest || tt.longest > 0 && took == 0 {
				t.Errorf("sent %d times within %v, want %d within %v", sent, took, tt.sent, tt.longest)
			}
		})
	}
}

// Retries come out of a quota, so that an outage is not made worse; what succeeds
// fills it again.
func TestRetry_quota(t *testing.T) {
	broken, sent := true, 0
	_, c := newDB(simulator.Config{Faults: func(*rand.Rand, *simulator.Call) simulator.Fault {
		sent++
		if broken {
			return simulator.Fault{Reject: simulator.ServerError}
		}
		return simulator.Fault{}
	}})
	calls := 100
	for range calls {
		if err := add(t.Context(), c); err == nil {
			t.Fatal("no error")
		}
	}
	// 500 tokens, of which a retry takes 14.
	if retries := sent - calls; retries != 500/14 {
		t.Errorf("%d retries", retries)
	}
	broken = false
	for range 100 {
		if err := add(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	broken, sent = true, 0
	if err := add(t.Context(), c); err == nil || sent != 4 {
		t.Errorf("afterwards sent %d times: %v", sent, err)
	}
}

func TestClient_contextThatHasEnded(t *testing.T) {
	_, c := newDB(simulator.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := add(ctx, c)
	if _, ok := errors.AsType[*aws.RequestCanceledError](err); !ok || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if get(t, c, at("a")) != nil {
		t.Error("sent all the same")
	}
}

// A caller that gives up while its request is under way does not know what
// becomes of it.
func TestWorld_callerGivesUp(t *testing.T) {
	seen := map[string]bool{}
	inWorlds(t, 100, simulator.Config{Faults: simulator.Rates{Slow: 1, Slowest: 20 * time.Second}.Faults()}, func(w *simulator.World) {
		c := w.Client("impatient")
		ctx, cancel := c.WithTimeout(10 * time.Second)
		defer cancel()
		err := add(ctx, c, once)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			w.Error(err)
		}
		time.Sleep(time.Hour)
		outcome := "given up"
		if err == nil {
			outcome = "answered"
		}
		seen[outcome+" "+textOf(get(w, w.Client("later"), at("a"))["n"])] = true
	})
	if !seen["answered 1"] || !seen["given up 1"] || seen["answered "] {
		t.Errorf("seen: %v", seen)
	}
}

func TestFault_partsOfBatches(t *testing.T) {
	_, c := newDB(simulator.Config{Faults: func(_ *rand.Rand, call *simulator.Call) simulator.Fault {
		return simulator.Fault{Leave: 0.5}
	}})
	var requests []types.WriteRequest
	for _, sk := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: at(sk)}})
	}
	rounds := 0
	for left := requests; len(left) > 0; rounds++ {
		out, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: left}})
		if err != nil {
			if _, ok := errors.AsType[*types.ProvisionedThroughputExceededException](err); !ok {
				t.Fatal(err)
			}
			continue
		}
		left = out.UnprocessedItems[table]
	}
	if rounds < 2 {
		t.Error("everything was processed at once")
	}
	for _, r := range requests {
		if get(t, c, r.PutRequest.Item) == nil {
			t.Errorf("%v is missing", r.PutRequest.Item)
		}
	}
	failed := 0
	statement := `DELETE FROM "signals" WHERE "pk" = ? AND "sk" = ?`
	for range 20 {
		out, err := c.BatchExecuteStatement(t.Context(), &dynamodb.BatchExecuteStatementInput{Statements: []types.BatchStatementRequest{
			{Statement: &statement, Parameters: []types.AttributeValue{text("p"), text("a")}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if out.Responses[0].Error != nil {
			failed++
		}
	}
	if failed == 0 || failed == 20 {
		t.Errorf("%d of 20 statements failed", failed)
	}
}

func TestRates_happen(t *testing.T) {
	faults := simulator.Rates{
		Throttling: 0.1, ServerError: 0.1, NeverSent: 0.1, LoseAnswer: 0.1, Slow: 0.1, HoldAnswer: 0.1, Torn: 0.1, Leave: 0.1, CrashBefore: 0.1, CrashAfter: 0.1, Conflicting: 0.1, Late: 0.1, Again: 0.1,
	}.Faults()
	random := rand.New(rand.NewPCG(1, 2))
	n := map[string]int{}
	mark := func(name string, happened bool) {
		if happened {
			n[name]++
		}
	}
	for range 10_000 {
		f := faults(random, &simulator.Call{Operation: "GetItem"})
		mark("throttling", f.Reject == simulator.Throttling)
		mark("held", f.HoldAnswer)
		mark("slow", f.Delay > 0)
		mark("crash", f.CrashBefore)
		mark("only writes", f.Late > 0 || f.Again > 0 || f.Reject == simulator.Conflicting)
	}
	for _, name := range []string{"throttling", "held", "slow", "crash"} {
		if n[name] < 900 || n[name] > 1100 {
			t.Errorf("%s happened %d times of 10,000", name, n[name])
		}
	}
	if n["only writes"] > 0 {
		t.Errorf("reads were repeated, late or in conflict %d times", n["only writes"])
	}
}
