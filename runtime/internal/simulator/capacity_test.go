package simulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// cost is what one of the protocol's operations costs.
type cost struct{ read, table, index float64 }

// TestCapacity_protocol is the protocol's table of costs, for both projections of
// the cadence index.
func TestCapacity_protocol(t *testing.T) {
	now := time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)
	key := seeding(0).Key()
	buckets := signal.Bucket{Name: bucket, Shards: 1, Checks: signal.DefaultChecks()}
	flip := protocol.Flip(key, now)
	claim := protocol.Claim(key, "claim", now, time.Minute)
	// finish claims a dirty signal and finishes it as told; before is done in
	// between.
	finish := func(o protocol.Outcome, before ...protocol.Write) func(*testing.T, *dynamo.Store) {
		return func(t *testing.T, store *dynamo.Store) {
			later := now.Add(time.Minute)
			o.AsOf = later
			c := protocol.NewCheck(key, buckets, "claim", later)
			c = c.Applied(write(t, store, c.Write())).Computed(o)
			for _, w := range before {
				write(t, store, w)
			}
			for c.Action() == protocol.Send {
				item, err := store.Write(t.Context(), c.Write())
				if refused, ok := asRefused(err); ok {
					c = c.Refused(refused)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				c = c.Applied(item)
			}
		}
	}
	writes := func(all ...protocol.Write) func(*testing.T, *dynamo.Store) {
		return func(t *testing.T, store *dynamo.Store) {
			for _, w := range all {
				write(t, store, w)
			}
		}
	}
	none := func(*testing.T, *dynamo.Store) {}
	tests := []struct {
		name          string
		before, do    func(*testing.T, *dynamo.Store)
		transact      bool
		include, full cost
	}{
		{name: "flip of a clean signal", before: none, do: writes(flip), include: cost{0, 1, 2}, full: cost{0, 1, 2}},
		{name: "blind flip of a dirty one, unclaimed", before: writes(flip), do: writes(flip), include: cost{0, 1, 0}, full: cost{0, 1, 1}},
		{name: "flip of a dirty one, claimed", before: writes(flip, claim), do: writes(flip), include: cost{0, 1, 0}, full: cost{0, 1, 1}},
		{
			name: "coalesced flip of a dirty one, unclaimed", before: writes(flip), include: cost{1, 0, 0}, full: cost{1, 0, 0},
			do: func(t *testing.T, store *dynamo.Store) {
				item, err := store.Get(t.Context(), key)
				if err != nil || protocol.NeedsFlip(item) {
					t.Fatalf("needs a flip: %v, %v", item, err)
				}
			},
		},
		{name: "flip in a transaction, clean", before: none, transact: true, include: cost{0, 2, 2}, full: cost{0, 2, 2}},
		{name: "flip in a transaction, dirty", before: writes(flip), transact: true, include: cost{0, 2, 0}, full: cost{0, 2, 1}},
		{
			name: "check, clean", before: writes(flip), do: finish(protocol.Outcome{Value: "7"}),
			include: cost{0, 2, 2}, full: cost{0, 2, 3},
		},
		{
			// The refused clean finish is one of the three; the flip in between is
			// the writer's own.
			name: "check, raced, with the flip", before: writes(flip), do: finish(protocol.Outcome{Value: "7"}, flip),
			include: cost{0, 3 + 1, 1}, full: cost{0, 3 + 1, 2 + 1},
		},
		{
			name: "check, failed", before: writes(flip), do: finish(protocol.Outcome{Kind: protocol.Fault, NotBefore: now.Add(time.Minute)}),
			include: cost{0, 2, 1}, full: cost{0, 2, 2},
		},
		{
			name: "refused claim", before: none, include: cost{0, 1, 0}, full: cost{0, 1, 0},
			do: func(t *testing.T, store *dynamo.Store) {
				if _, err := store.WriteOnce(t.Context(), claim); err == nil {
					t.Fatal("claimed a clean signal")
				}
			},
		},
		{
			name: "flip of a signal that is not there", include: cost{0, 1, 0}, full: cost{0, 1, 0}, before: writes(protocol.Write{Kind: protocol.Delete, Key: key}),
			do: func(t *testing.T, store *dynamo.Store) {
				if _, err := store.Write(t.Context(), flip); err == nil {
					t.Fatal("flipped nothing")
				}
			},
		},
	}
	for _, tt := range tests {
		for projection, want := range map[types.ProjectionType]cost{types.ProjectionTypeInclude: tt.include, types.ProjectionTypeAll: tt.full} {
			t.Run(tt.name+"/"+string(projection), func(t *testing.T) {
				db := simulator.New(simulator.Config{})
				db.CreateTable(simulator.SignalTable(table, projection))
				setup, c := db.Client("setup"), db.Client("measured")
				seed(t, setup, 1)
				tt.before(t, dynamo.NewStore(setup, table))
				if tt.transact {
					if _, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
						TransactItems: []types.TransactWriteItem{dynamo.TransactItem(table, flip)},
					}); err != nil {
						t.Fatal(err)
					}
				} else {
					tt.do(t, dynamo.NewStore(c, table))
				}
				own := db.Units(simulator.Scope{Client: "measured"})
				index := db.Units(simulator.Scope{Client: "measured", Index: simulator.CadenceIndex})
				if got := (cost{own.Read, own.Write, index.Write}); got != want {
					t.Errorf("cost %+v, want %+v", got, want)
				}
				if u := db.Units(simulator.Scope{Client: "measured", Index: simulator.GlobalIDIndex}); u != (simulator.Units{}) {
					t.Errorf("the index on globalId cost %+v", u)
				}
			})
		}
	}
}

func write(t *testing.T, store *dynamo.Store, w protocol.Write) signal.Item {
	t.Helper()
	item, err := store.Write(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return item
}

// Requests that fail do not say what they cost; what the answers of the others say
// is among the conformance cases.
func TestCapacity_failures(t *testing.T) {
	kib := func(n int) string { return strings.Repeat("x", n<<10) }
	condition := func(c string) *string { return &c }
	tests := []struct {
		name string
		do   func(t *testing.T, c *simulator.Client) error
		want simulator.Units
	}{
		{
			name: "put refused, the larger of both items", want: simulator.Units{Write: 6},
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{
					TableName: ptr(table), Item: with(at("large"), "n", kib(5)), ConditionExpression: condition("attribute_not_exists(pk)"),
				})
				return err
			},
		},
		{
			name: "update refused, the item as it is", want: simulator.Units{Write: 4},
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
					TableName: ptr(table), Key: at("large"), UpdateExpression: ptr("REMOVE n"), ConditionExpression: condition("attribute_not_exists(pk)"),
				})
				return err
			},
		},
		{
			name: "update refused, no item", want: simulator.Units{Write: 1},
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
					TableName: ptr(table), Key: at("none"), UpdateExpression: ptr("REMOVE n"), ConditionExpression: condition("attribute_exists(pk)"),
				})
				return err
			},
		},
		{
			name: "delete refused, with the old item shown for nothing", want: simulator.Units{Write: 4},
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
					TableName: ptr(table), Key: at("large"), ConditionExpression: condition("attribute_not_exists(pk)"),
					ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
				})
				return err
			},
		},
		{
			name: "transaction cancelled, twice every item's", want: simulator.Units{Write: 2 * (4 + 1)},
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
					{Delete: &types.Delete{TableName: ptr(table), Key: at("large")}},
					{Delete: &types.Delete{TableName: ptr(table), Key: at("small"), ConditionExpression: condition("attribute_not_exists(pk)")}},
				}})
				return err
			},
		},
		{
			name: "refused unseen", want: simulator.Units{},
			do: func(t *testing.T, c *simulator.Client) error {
				_, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: ptr(table), Key: at("large"), ConditionExpression: condition("value = value")})
				return err
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			db, setup := newDB(simulator.Config{})
			put(t, setup, with(at("large"), "n", kib(3), "gsipk", "b", "gsisk", "clean"))
			put(t, setup, with(at("small")))
			c := db.Client("measured")
			if err := tt.do(t, c); err == nil {
				t.Fatal("no error")
			}
			if got := db.Units(simulator.Scope{Client: "measured", Index: simulator.Everything}); got != tt.want {
				t.Errorf("cost %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestCapacity_repeatedTokenReads(t *testing.T) {
	db, setup := newDB(simulator.Config{})
	put(t, setup, at("a"))
	c := db.Client("measured")
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: ptr("token"), TransactItems: []types.TransactWriteItem{
		{Update: &types.Update{TableName: ptr(table), Key: at("a"), UpdateExpression: ptr("SET n = :n"), ExpressionAttributeValues: attributes{":n": number(1)}}},
	}}
	for _, want := range []simulator.Units{{Write: 2}, {Write: 2, Read: 2}} {
		if _, err := c.TransactWriteItems(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if got := db.Units(simulator.Scope{Client: "measured"}); got != want {
			t.Errorf("cost %+v, want %+v", got, want)
		}
	}
}

func TestUsage_byClientAndPartition(t *testing.T) {
	db, a := newDB(simulator.Config{})
	b := db.Client("other")
	put(t, a, with(at("a"), "gsipk", "b", "gsisk", "clean"))
	put(t, b, attributes{"pk": text("q"), "sk": text("a")})
	put(t, b, attributes{"pk": text("q"), "sk": text("b")})
	get(t, b, at("a"))
	want := []simulator.Usage{
		{Client: "other", Table: table, Partition: "p", Units: simulator.Units{Read: 1}},
		{Client: "other", Table: table, Partition: "q", Units: simulator.Units{Write: 2}},
		{Client: "test", Table: table, Partition: "p", Units: simulator.Units{Write: 1}},
		{Client: "test", Table: table, Index: simulator.CadenceIndex, Partition: "b", Units: simulator.Units{Write: 1}},
	}
	if diff := cmp.Diff(want, db.Usage()); diff != "" {
		t.Error(diff)
	}
	for scope, want := range map[simulator.Scope]simulator.Units{
		{}:                            {Read: 1, Write: 3},
		{Index: simulator.Everything}: {Read: 1, Write: 4},
		{Client: "other"}:             {Read: 1, Write: 2},
		{Partition: "q"}:              {Write: 2},
		{Index: simulator.CadenceIndex, Partition: "b"}: {Write: 1},
		{Table: "none"}: {},
	} {
		if got := db.Units(scope); got != want {
			t.Errorf("%+v: %+v, want %+v", scope, got, want)
		}
	}
	db.ResetUsage()
	if got := db.Usage(); len(got) > 0 {
		t.Errorf("after a reset: %+v", got)
	}
}

func TestPeak_isOfOneSecond(t *testing.T) {
	clock := simulator.NewClock(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC))
	db, c := newDB(simulator.Config{Clock: clock})
	for _, n := range []int{2, 5, 3} {
		for range n {
			put(t, c, at("a"))
		}
		clock.Advance(time.Second)
	}
	if got, want := db.Peak(table, "", "p"), (simulator.Units{Write: 5}); got != want {
		t.Errorf("peak %+v, want %+v", got, want)
	}
}

// A query's page and a scan's are rounded once; a batch's items each.
func TestCapacity_lists(t *testing.T) {
	db, setup := newDB(simulator.Config{})
	for _, sk := range []string{"a", "b", "c", "d", "e"} {
		put(t, setup, with(at(sk), "n", strings.Repeat("x", 1<<10)))
	}
	c := db.Client("measured")
	keys := []attributes{at("a"), at("b"), at("none")}
	if _, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{table: {Keys: keys}}}); err != nil {
		t.Fatal(err)
	}
	if got := db.Units(simulator.Scope{Client: "measured"}).Read; got != 1.5 {
		t.Errorf("three eventually consistent reads cost %v", got)
	}
	db.ResetUsage()
	if _, err := c.Scan(t.Context(), &dynamodb.ScanInput{TableName: ptr(table), ConsistentRead: ptr(true)}); err != nil {
		t.Fatal(err)
	}
	if got := db.Units(simulator.Scope{Client: "measured"}).Read; got != 2 {
		t.Errorf("a scan of 5 KiB and some cost %v", got)
	}
}
