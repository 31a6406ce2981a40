package dynamo_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
)

// querying is a DynamoDB whose queries somebody else answers.
type querying struct {
	dynamo.SeederAPI
	query func(context.Context, *dynamodb.QueryInput) (*dynamodb.QueryOutput, error)
}

func (q querying) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return q.query(ctx, in)
}

func (q querying) seeder() *dynamo.Seeder { return dynamo.NewSeeder(q, "park", clock, rand.Reader) }

// asksFor is the dates that a query asks for.
func asksFor(in *dynamodb.QueryInput) string {
	first, _ := in.ExpressionAttributeValues[":v1"].(*types.AttributeValueMemberS)
	last, another := in.ExpressionAttributeValues[":v2"].(*types.AttributeValueMemberS)
	if !another {
		last = first
	}
	return first.Value + "/" + last.Value
}

// A long range is read in parts, which are its dates, each once; a short one whole.
func TestRange_readsInParts(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][]string{
		1:      {"2026-07-01/2026-07-01"},
		1999:   {"2026-07-01/2031-12-20"},
		2000:   {"2026-07-01/2029-03-26", "2029-03-27/2031-12-21"},
		3001:   {"2026-07-01/2029-03-26", "2029-03-27/2031-12-21", "2031-12-22/2034-09-17"},
		10_000: {"2026-07-01/2033-05-04", "2033-05-05/2040-03-08", "2040-03-09/2047-01-11", "2047-01-12/2053-11-15"},
	} {
		var mu sync.Mutex
		var asked []string
		api := querying{query: func(_ context.Context, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, asksFor(in))
			return &dynamodb.QueryOutput{}, nil
		}}
		state, err := api.seeder().ReadRange(t.Context(), days(n))
		slices.Sort(asked)
		if diff := cmp.Diff(want, asked); diff != "" || err != nil || len(state.Missing) != n {
			t.Errorf("%d dates: %d missing, %v; asked for (-want +got):\n%s", n, len(state.Missing), err, diff)
		}
	}
}

// What stands on the dates of a long range is found wherever they are read.
func TestRange_findsWhatIsInEveryPart(t *testing.T) {
	t.Parallel()
	const long = 2600
	e := newEngine(t)
	e.register(t, "5min")
	r := days(long)
	r.ID = "mine"
	for _, i := range []int{0, 1299, 1300, long - 1} {
		own := seeding(july.AddDays(i))
		own.SeededBy = dynamo.Owner(r.ID)
		e.put(t, protocol.Seed(own, now).Item)
		e.put(t, protocol.Seed(seeding(july.AddDays((i+700)%long)), now).Item)
	}
	state, err := e.seeder().ReadRange(t.Context(), r)
	if err != nil || len(state.Missing) != long-4 {
		t.Errorf("read: %d missing, %v", len(state.Missing), err)
	}
	for _, i := range []int{0, 1299, 1300, long - 1} {
		if slices.Contains(state.Missing, july.AddDays(i)) {
			t.Errorf("%s is missing", july.AddDays(i))
		}
	}
	_, _, err = e.seeder().CreateRange(t.Context(), r)
	if held, ok := errors.AsType[*dynamo.HeldError](err); !ok || len(held.Holders) != 8 {
		t.Errorf("create: %v, want all eight that are in its way", err)
	}
}

// A long range adopts what is nobody's, wherever it is read.
func TestRange_adoptsFromEveryPart(t *testing.T) {
	t.Parallel()
	const long = 2600
	e := newSimulated()
	e.register(t, "5min")
	free := []int{0, 1299, 1300, long - 1}
	for _, i := range free {
		item := protocol.Seed(seeding(july.AddDays(i)), now).Item
		delete(item, "seededBy")
		e.put(t, item)
	}
	r := days(long)
	r.Adopt = true
	state, why, err := e.seeder().CreateRange(t.Context(), r)
	if err != nil || why != nil || len(state.Missing) > 0 {
		t.Fatalf("create: %d missing, %v, %v", len(state.Missing), why, err)
	}
	for _, i := range free {
		if is := e.item(t, campOn(july.AddDays(i)).Key()); is.Text("seededBy") != dynamo.Owner(state.ID) || is.Text("globalId") != "id-"+july.AddDays(i).String() {
			t.Errorf("%s is %v", july.AddDays(i), is)
		}
	}
}

// The first part that fails ends the others, and is what is said.
func TestRange_partThatFails(t *testing.T) {
	t.Parallel()
	var waiting sync.WaitGroup
	waiting.Add(3)
	api := querying{query: func(ctx context.Context, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		if asksFor(in) == "2033-05-05/2040-03-08" {
			waiting.Wait()
			return nil, code("AccessDeniedException", "not allowed")
		}
		waiting.Done()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	if _, err := api.seeder().ReadRange(t.Context(), days(10_000)); !errors.Is(err, dynamo.ErrAccessDenied) || errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
}

func TestRange_readerWhoGivesUp(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Add(4)
	api := querying{query: func(ctx context.Context, _ *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
		waiting.Done()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	go func() {
		waiting.Wait()
		giveUp()
	}()
	if _, err := api.seeder().ReadRange(ctx, days(10_000)); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `in table "park"`) {
		t.Errorf("read: %v", err)
	}
	// Not even begun, it says what was not read all the same.
	if _, err := api.seeder().ReadRange(ctx, days(10_000)); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `in table "park"`) {
		t.Errorf("read, by one who has given up: %v", err)
	}
}
