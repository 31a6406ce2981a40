package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var (
	camp   = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	july   = signal.Date{Year: 2026, Month: time.July, Day: 1}
	exact  = signal.Pattern{Mode: signal.Exact}
	tiered = signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}
)

func campOn(d signal.Date) signal.ProductDate { return signal.ProductDate{Product: camp, Date: d} }

// seeding is a signal of nobody's in particular.
func seeding(d signal.Date) protocol.Seeding {
	return protocol.Seeding{
		ProductDate: campOn(d), GSIPK: signal.BucketID("5min"), GlobalID: "id-" + d.String(),
		Pattern: exact, Expiry: signal.Expiry(d, time.UTC), SeededBy: "test",
	}
}

func TestStore_whatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	key := signal.Key{PK: "anything", SK: "at all"}
	item := signal.Item{
		signal.AttrPK: signal.S(key.PK), signal.AttrSK: signal.S(key.SK),
		// Reserved words of DynamoDB's among the names.
		"value": signal.S(""), "ttl": signal.N(1783000000), "schema": signal.S("x"), "name": signal.Bool(false),
		"capacity": signal.Null(), "cadence": signal.M(map[string]signal.Value{"minutes": signal.N(5)}),
		"tiers": signal.L(signal.Decimal("0.25"), signal.S("high")),
	}
	e.put(t, item)
	if diff := cmp.Diff(item, e.item(t, key)); diff != "" {
		t.Errorf("the item (-written +read):\n%s", diff)
	}
	some, err := e.store.Get(t.Context(), key, "value", "ttl", "absent")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(signal.Item{"value": signal.S(""), "ttl": signal.N(1783000000)}, some); diff != "" {
		t.Errorf("some attributes (-want +got):\n%s", diff)
	}
	none, err := e.store.Get(t.Context(), signal.Key{PK: "anything", SK: "else"})
	if none != nil || err != nil {
		t.Errorf("an item that is not there reads as %v, %v", none, err)
	}
}

func TestStore_refusalSaysWhatIsThere(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.write(t, protocol.Seed(seeding(july), now))
	for name, w := range map[string]protocol.Write{
		"put":    protocol.Seed(seeding(july), now),
		"update": protocol.UpdateBySeeder(campOn(july).Key(), protocol.Identity{GlobalID: "another"}, protocol.Change{GSIPK: "x"}, now),
		"delete": protocol.DeleteBySeeder(campOn(july).Key(), protocol.Identity{GlobalID: "another"}),
	} {
		_, err := e.store.Write(t.Context(), w)
		refused, ok := errors.AsType[*dynamo.RefusedError](err)
		if !ok || !errors.Is(err, dynamo.ErrRefused) || refused.Old.Text(signal.AttrGlobalID) != "id-2026-07-01" {
			t.Errorf("%s: %v, want a refusal with the item that is there", name, err)
		}
	}
	_, err := e.store.Write(t.Context(), protocol.Flip(campOn(july.AddDays(1)).Key(), now))
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); !ok || refused.Old != nil {
		t.Errorf("flip of nothing: %v, want a refusal without an item", err)
	}
}

func TestStore_conflictIsRepeated(t *testing.T) {
	t.Parallel()
	calls := 0
	conflicts := client(3, answering(func() (int, string) {
		calls++
		return 400, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException","message":"Transaction is ongoing for the item"}`
	}))
	_, err := dynamo.NewStore(conflicts, "park").Write(t.Context(), protocol.Flip(campOn(july).Key(), now))
	if !errors.Is(err, dynamo.ErrConflict) || calls != 3 {
		t.Errorf("after %d calls: %v, want a conflict after 3", calls, err)
	}
	calls = 0
	_, err = dynamo.NewStore(conflicts, "park").WriteOnce(t.Context(), protocol.Flip(campOn(july).Key(), now))
	if !errors.Is(err, dynamo.ErrConflict) || calls != 1 {
		t.Errorf("once: after %d calls: %v, want a conflict after 1", calls, err)
	}
}

// What another sending would be answered alike is sent once: each costs a write unit.
func TestStore_refusalIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{
		"ConditionalCheckFailedException": dynamo.ErrRefused, "AccessDeniedException": dynamo.ErrAccessDenied, "ValidationException": dynamo.ErrRejected,
	} {
		calls := 0
		api := client(3, answering(func() (int, string) {
			calls++
			return 400, `{"__type":"com.amazonaws.dynamodb.v20120810#` + name + `"}`
		}))
		_, err := dynamo.NewStore(api, "park").Write(t.Context(), protocol.Flip(campOn(july).Key(), now))
		if !errors.Is(err, want) || calls != 1 {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
	}
}

func TestStore_queryReadsEveryPage(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	var want []string
	for i := range 7 {
		d := july.AddDays(i)
		e.write(t, protocol.Seed(seeding(d), now))
		want = append(want, d.String())
	}
	e.query = func(in *dynamodb.QueryInput) { in.Limit = aws.Int32(2) }
	store := dynamo.NewStore(e, e.table)
	read := func(q dynamo.Query) []string {
		t.Helper()
		var got []string
		for item, err := range store.Query(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, item.Text(signal.AttrSK))
		}
		return got
	}
	whole := dynamo.Query{Hash: signal.AttrPK, Partition: camp.PK(), Attrs: []string{signal.AttrSK}}
	if diff := cmp.Diff(want, read(whole)); diff != "" {
		t.Errorf("the partition (-want +got):\n%s", diff)
	}
	if n := e.called("Query"); n < 4 {
		t.Errorf("%d pages, want at least 4", n)
	}
	between := whole
	between.Range, between.From, between.To = signal.AttrSK, "2026-07-02", "2026-07-04"
	if diff := cmp.Diff(want[1:4], read(between)); diff != "" {
		t.Errorf("between two dates (-want +got):\n%s", diff)
	}
	index := dynamo.Query{Index: cadenceIndex, Hash: signal.AttrGSIPK, Partition: signal.BucketID("5min"), Range: signal.AttrGSISK, Equals: signal.Clean}
	if got := read(index); len(got) != len(want) {
		t.Errorf("the index lists %d clean signals, want %d", len(got), len(want))
	}
	index.Equals = signal.Dirty
	if got := read(index); len(got) != 0 {
		t.Errorf("the index lists dirty signals: %v", got)
	}
}

func TestStore_queryEndsAtItsError(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i := range 4 {
		e.write(t, protocol.Seed(seeding(july.AddDays(i)), now))
	}
	e.query = func(in *dynamodb.QueryInput) { in.Limit = aws.Int32(2) }
	e.set(fault{"Query", 2, fail(errLost)})
	items, errs := 0, 0
	for item, err := range dynamo.NewStore(e, e.table).Query(t.Context(), dynamo.Query{Hash: signal.AttrPK, Partition: camp.PK()}) {
		switch {
		case err != nil:
			errs++
			if !errors.Is(err, dynamo.ErrUnknown) {
				t.Error(err)
			}
		case item != nil:
			items++
		}
	}
	if items != 2 || errs != 1 || e.called("Query") != 2 {
		t.Errorf("%d items, %d errors, %d calls; want 2, 1 and 2", items, errs, e.called("Query"))
	}
	e.set(fault{"Query", 2, fail(errLost)})
	if n, err := dynamo.NewStore(e, e.table).Count(t.Context(), dynamo.Query{Hash: signal.AttrPK, Partition: camp.PK()}); !errors.Is(err, dynamo.ErrUnknown) {
		t.Errorf("%d counted: %v", n, err)
	}
}

func TestStore_missingTableAndIndex(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	_, err := dynamo.NewStore(e, "availability-no-such-table").Get(t.Context(), campOn(july).Key())
	if !errors.Is(err, dynamo.ErrTableNotFound) {
		t.Errorf("read in no table: %v", err)
	}
	for _, err := range e.store.Query(t.Context(), dynamo.Query{Index: "no-such-index", Hash: signal.AttrGSIPK, Partition: "x"}) {
		if !errors.Is(err, dynamo.ErrIndexNotFound) {
			t.Errorf("query of no index: %v", err)
		}
	}
}

func TestTransactItem_commitsWithOthers(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.write(t, protocol.Seed(seeding(july), now))
	transact := func(d signal.Date) error {
		_, err := e.client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			dynamo.TransactItem(e.table, protocol.Flip(campOn(d).Key(), now)),
		}})
		return err
	}
	if err := transact(july); err != nil {
		t.Fatal(err)
	}
	if item := e.item(t, campOn(july).Key()); item.Text(signal.AttrGSISK) != signal.Dirty || item.Int(signal.AttrRev) != 1 {
		t.Errorf("after the flip: %v", item)
	}
	err := transact(july.AddDays(1))
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); !ok || aws.ToString(cancelled.CancellationReasons[0].Code) != "ConditionalCheckFailed" {
		t.Errorf("flip of nothing: %v, want the transaction cancelled", err)
	}
	if item := e.item(t, campOn(july.AddDays(1)).Key()); item != nil {
		t.Errorf("the flip made an item: %s", fmt.Sprint(item))
	}
}

// What decides anything is read strongly; the engines would not notice another read.
func TestStore_readsStrongly(t *testing.T) {
	t.Parallel()
	seen := &reads{}
	store := dynamo.NewStore(seen, "park")
	_, _ = store.Get(t.Context(), campOn(july).Key())
	for _, q := range []dynamo.Query{{Hash: "pk", Partition: "x"}, {Index: "cadence-index", Hash: "gsipk", Partition: "x"}} {
		for _, err := range store.Query(t.Context(), q) {
			t.Errorf("query: %v", err)
		}
	}
	if diff := cmp.Diff([]bool{true, true, false}, seen.strong); diff != "" {
		t.Errorf("strong reads of an item, the table and an index (-want +got):\n%s", diff)
	}
}

// reads takes note of how it is read.
type reads struct {
	dynamo.StoreAPI
	strong []bool
}

func (r *reads) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	r.strong = append(r.strong, aws.ToBool(in.ConsistentRead))
	return &dynamodb.GetItemOutput{}, nil
}

func (r *reads) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	r.strong = append(r.strong, aws.ToBool(in.ConsistentRead))
	return &dynamodb.QueryOutput{}, nil
}
