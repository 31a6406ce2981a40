package dynamo_test

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
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// asked records the requests that a store makes, and answers them with nothing.
type asked struct {
	get    []*dynamodb.GetItemInput
	query  []*dynamodb.QueryInput
	update []*dynamodb.UpdateItemInput
	batch  []*dynamodb.BatchGetItemInput
	scan   []*dynamodb.ScanInput
}

func (a *asked) Scan(_ context.Context, in *dynamodb.ScanInput, _ ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	a.scan = append(a.scan, in)
	return &dynamodb.ScanOutput{}, nil
}

func (a *asked) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	a.get = append(a.get, in)
	return &dynamodb.GetItemOutput{}, nil
}

func (a *asked) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	a.query = append(a.query, in)
	return &dynamodb.QueryOutput{}, nil
}

func (a *asked) UpdateItem(_ context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	a.update = append(a.update, in)
	return &dynamodb.UpdateItemOutput{}, nil
}

func (*asked) PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return &dynamodb.PutItemOutput{}, nil
}

func (*asked) DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return &dynamodb.DeleteItemOutput{}, nil
}

func (a *asked) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	a.batch = append(a.batch, in)
	return &dynamodb.BatchGetItemOutput{}, nil
}

// Reads that decide anything are strongly consistent; those of an index cannot be.
func TestStore_readsConsistently(t *testing.T) {
	t.Parallel()
	api := &asked{}
	store := dynamo.NewStore(api, "park")
	if _, err := store.Get(t.Context(), campOn(july).Key()); err != nil {
		t.Fatal(err)
	}
	if !*api.get[0].ConsistentRead {
		t.Error("an item is read eventually consistent")
	}
	for name, tt := range map[string]struct {
		query dynamo.Query
		want  bool
	}{
		"the table":             {dynamo.Query{Hash: "pk", Partition: "x"}, true},
		"the table, eventually": {dynamo.Query{Hash: "pk", Partition: "x", Eventual: true}, false},
		"an index":              {dynamo.Query{Index: cadenceIndex, Hash: "gsipk", Partition: "x"}, false},
	} {
		api.query = nil
		for _, err := range store.Query(t.Context(), tt.query) {
			t.Fatal(err)
		}
		if _, err := store.Count(t.Context(), tt.query); err != nil {
			t.Fatal(err)
		}
		for _, in := range api.query {
			if *in.ConsistentRead != tt.want {
				t.Errorf("%s: consistent %t", name, *in.ConsistentRead)
			}
		}
	}
	api.query = nil
	if err := dynamo.NewRegistry(store).Delete(t.Context(), signal.Bucket{Name: "5min"}); err != nil || !*api.query[0].ConsistentRead {
		t.Errorf("what a bucket's runs keep is read eventually consistent, %v", err)
	}
	for _, err := range dynamo.NewFinder(api, "park").Keys(t.Context(), "x") {
		t.Fatal(err)
	}
	if !*api.scan[0].ConsistentRead {
		t.Error("a table is scanned eventually consistent")
	}
	for _, eventual := range []bool{false, true} {
		api.batch = nil
		get := dynamo.BatchGet{Table: "park", Keys: []signal.Key{campOn(july).Key()}, Eventual: eventual}
		if _, err := get.Read(t.Context(), api); err != nil {
			t.Fatal(err)
		}
		if *api.batch[0].RequestItems["park"].ConsistentRead == eventual {
			t.Errorf("a batch is read consistently: %t", eventual)
		}
	}
}

// inPages is a DynamoDB that answers in pages of so many items.
type inPages struct {
	dynamo.StoreAPI
	pages []int
}

// page is the items of the page that a start key names, and the start key of the next.
func (p inPages) page(start map[string]types.AttributeValue) (items []map[string]types.AttributeValue, next map[string]types.AttributeValue) {
	n := int(dynamo.DecodeItem(start).Int("page"))
	for range p.pages[n] {
		items = append(items, dynamo.EncodeItem(signal.Item{"pk": signal.S("x"), "sk": signal.N(int64(n))}))
	}
	if n+1 < len(p.pages) {
		next = dynamo.EncodeItem(signal.Item{"page": signal.N(int64(n + 1))})
	}
	return items, next
}

func (p inPages) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	items, next := p.page(in.ExclusiveStartKey)
	return &dynamodb.QueryOutput{Items: items, Count: int32(len(items)), LastEvaluatedKey: next}, nil
}

func (p inPages) Scan(_ context.Context, in *dynamodb.ScanInput, _ ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	items, next := p.page(in.ExclusiveStartKey)
	return &dynamodb.ScanOutput{Items: items, LastEvaluatedKey: next}, nil
}

// A page without an item, as a scan's filter leaves many, is not the last for that.
func TestStore_readsOnAfterAnEmptyPage(t *testing.T) {
	t.Parallel()
	api := inPages{pages: []int{0, 2, 0, 1, 0}}
	store, query := dynamo.NewStore(api, "park"), dynamo.Query{Hash: "pk", Partition: "x"}
	queried, scanned := 0, 0
	for _, err := range store.Query(t.Context(), query) {
		if err != nil {
			t.Fatal(err)
		}
		queried++
	}
	for _, err := range dynamo.NewFinder(api, "park").Keys(t.Context(), "x") {
		if err != nil {
			t.Fatal(err)
		}
		scanned++
	}
	counted, err := store.Count(t.Context(), query)
	if err != nil || queried != 3 || scanned != 3 || counted != 3 {
		t.Errorf("%d queried, %d scanned, %d counted, %v; want 3 of each", queried, scanned, counted, err)
	}
}

// Every write that may be refused asks for the item that refuses it; the item after
// it is asked for only where something depends on it.
func TestStore_asksForWhatItNeeds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		write protocol.Write
		want  types.ReturnValue
	}{
		{protocol.Flip(campOn(july).Key(), now), types.ReturnValueNone},
		{protocol.Claim(campOn(july).Key(), "id", now, 0), types.ReturnValueAllNew},
		{protocol.TakeRun("5min", "id", now), types.ReturnValueAllNew},
		{protocol.RenewRun("5min", "id", now), types.ReturnValueNone},
		{protocol.Write{Op: protocol.OpAuditFlip}, types.ReturnValueAllNew},
	} {
		api := &asked{}
		if _, err := dynamo.NewStore(api, "park").Write(t.Context(), tt.write); err != nil {
			t.Fatal(err)
		}
		in := api.update[0]
		if in.ReturnValues != tt.want || in.ReturnValuesOnConditionCheckFailure != types.ReturnValuesOnConditionCheckFailureAllOld {
			t.Errorf("%s: returns %s, and %s of a refusal", tt.write.Op, in.ReturnValues, in.ReturnValuesOnConditionCheckFailure)
		}
	}
	entry := dynamo.TransactItem("park", protocol.Flip(campOn(july).Key(), now)).Update
	if entry.ReturnValuesOnConditionCheckFailure != types.ReturnValuesOnConditionCheckFailureAllOld {
		t.Errorf("in a transaction: returns %s of a refusal", entry.ReturnValuesOnConditionCheckFailure)
	}
}

// A claim must not be sent twice, whatever the SDK would repeat.
func TestStore_onceIsOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		code   string
	}{{500, "InternalServerError"}, {400, "ThrottlingException"}, {400, "TransactionConflictException"}} {
		calls := 0
		api := client(3, answering(func() (int, string) {
			calls++
			return tt.status, `{"__type":"com.amazonaws.dynamodb.v20120810#` + tt.code + `"}`
		}))
		_, err := dynamo.NewStore(api, "park").WriteOnce(t.Context(), protocol.Claim(campOn(july).Key(), "id", now, 0))
		if err == nil || calls != 1 {
			t.Errorf("%s: sent %d times: %v", tt.code, calls, err)
		}
	}
}

// leaving is a DynamoDB that answers some of the keys of a batch at a time.
type leaving struct {
	// answers is how many keys each call answers; the last goes on.
	answers []int
	calls   int
}

func (l *leaving) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	n := l.answers[min(l.calls, len(l.answers)-1)]
	l.calls++
	asked := in.RequestItems["park"]
	once := map[signal.Key]bool{}
	for _, key := range asked.Keys {
		once[dynamo.DecodeItem(key).Key()] = true
	}
	if len(once) < len(asked.Keys) {
		return nil, code("ValidationException", "Provided list of item keys contains duplicates")
	}
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{}}
	n = min(n, len(asked.Keys))
	out.Responses["park"] = asked.Keys[:n]
	if rest := asked.Keys[n:]; len(rest) > 0 {
		asked.Keys = rest
		out.UnprocessedKeys = map[string]types.KeysAndAttributes{"park": asked}
	}
	return out, nil
}

// What is left unprocessed is asked for again, for as long as something comes of it.
func TestBatchGet_unprocessed(t *testing.T) {
	t.Parallel()
	var keys []signal.Key
	for i := range 120 {
		keys = append(keys, campOn(july.AddDays(i)).Key())
	}
	for name, tt := range map[string]struct {
		answers []int
		items   int
		calls   int
		// took is 25 ms, doubled with every time in a row to 2 s at most.
		took time.Duration
	}{
		"all at once":                {[]int{100}, 120, 2, 0},
		"half each":                  {[]int{50}, 120, 3, 50 * time.Millisecond},
		"none eight times, then all": {[]int{0, 0, 0, 0, 0, 0, 0, 0, 100}, 120, 10, 5175 * time.Millisecond},
		"none nine times":            {[]int{0}, 0, 9, 5175 * time.Millisecond},
		"none eight times, for each hundred": {[]int{
			0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0, 100,
		}, 120, 18, 10_350 * time.Millisecond},
		"none now and then, never for long": {[]int{
			0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 100,
		}, 120, 25, 13_525 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			api := &leaving{answers: tt.answers}
			// A key that repeats is asked for once.
			items, err := dynamo.BatchGet{Table: "park", Keys: append(keys[:1:1], keys...)}.Read(t.Context(), api)
			if len(items) != tt.items || api.calls != tt.calls || (tt.items == 0) != errors.Is(err, dynamo.ErrThrottled) {
				t.Errorf("%s: %d items after %d calls, %v", name, len(items), api.calls, err)
			}
			if took := time.Since(began); took != tt.took {
				t.Errorf("%s: it took %s, want %s", name, took, tt.took)
			}
		})
	}
}

// An error of AWS's is one of the classes, here too.
func TestBatchGet_errorClass(t *testing.T) {
	t.Parallel()
	api := client(1, answering(func() (int, string) {
		return 400, `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException"}`
	}))
	if _, err := (dynamo.BatchGet{Table: "park", Keys: []signal.Key{campOn(july).Key()}}).Read(t.Context(), api); !errors.Is(err, dynamo.ErrAccessDenied) {
		t.Errorf("error: %v", err)
	}
}

// Whoever gives up is not kept waiting, nor asks again.
func TestBatchGet_givenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		api := &leaving{answers: []int{0}}
		_, err := dynamo.BatchGet{Table: "park", Keys: []signal.Key{campOn(july).Key()}}.Read(ctx, api)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, dynamo.ErrUnknown) || api.calls != 1 {
			t.Errorf("after %d calls: %v", api.calls, err)
		}
	})
}

func TestBatchGet_attributes(t *testing.T) {
	t.Parallel()
	api := &asked{}
	get := dynamo.BatchGet{Table: "park", Keys: []signal.Key{campOn(july).Key()}, Attrs: []string{"value", "ttl"}}
	if _, err := get.Read(t.Context(), api); err != nil {
		t.Fatal(err)
	}
	in := api.batch[0].RequestItems["park"]
	if in.ProjectionExpression == nil || *in.ProjectionExpression != "#pk, #sk, #value, #ttl" {
		t.Errorf("projection %v", in.ProjectionExpression)
	}
	if diff := cmp.Diff(map[string]string{"#pk": "pk", "#sk": "sk", "#value": "value", "#ttl": "ttl"}, in.ExpressionAttributeNames); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// Of a claimed item, a check has all that it decides by, as it is now, and none of
// what is the application's.
func TestStore_whatAClaimReturns(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	item := protocol.Seed(seeding(july), now).Item
	for name, v := range map[string]signal.Value{
		"gsisk": signal.S("dirty"), "value": signal.S("7"), "lastUpdatedAt": signal.S("2026-05-31T12:00:00.000Z"), "dirtySince": signal.S("2026-05-31T13:00:00.000Z"),
		"rev": signal.N(3), "attempts": signal.N(2), "notBefore": signal.N(1), "settleRev": signal.N(3), "settleFrom": signal.S("2026-05-31T12:00:00.000Z"),
		"note": signal.S("the application's"),
	} {
		item[name] = v
	}
	e.put(t, item)
	claimed, err := e.store.WriteOnce(t.Context(), protocol.Claim(campOn(july).Key(), "mine", now, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	is := e.item(t, campOn(july).Key())
	for _, name := range []string{
		"globalId", "gsipk", "availabilityEstimationPattern", "value", "lastUpdatedAt", "dirtySince", "claimedBy", "claimedRev", "attempts", "notBefore", "settleRev", "settleFrom",
	} {
		if !is[name].Exists() || !claimed[name].Equal(is[name]) {
			t.Errorf("%s is %v, want %v", name, claimed[name], is[name])
		}
	}
	if claimed["note"].Exists() {
		t.Errorf("it has what is the application's: %v", claimed)
	}
}
