package flip_test

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// table is a table in memory that can be told to wait and to fail.
type table struct {
	mu     sync.Mutex
	items  map[signal.Key]signal.Item
	reads  int
	writes int

	// before and after are called around the n-th read or write, counted from 1;
	// an error is the call's answer, and after's comes from a call that worked.
	before, after func(call string, n int) error
}

func newTable(items ...signal.Item) *table {
	t := &table{items: map[signal.Key]signal.Item{}}
	for _, i := range items {
		t.items[signal.Key{PK: i.Text(signal.AttrPK), SK: i.Text(signal.AttrSK)}] = i
	}
	return t
}

func (t *table) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	t.mu.Lock()
	t.reads++
	n := t.reads
	t.mu.Unlock()
	if err := call(t.before, "read", n); err != nil {
		return nil, err
	}
	item := t.item(keyOf(in.Key))
	asked := slices.Collect(maps.Values(in.ExpressionAttributeNames))
	maps.DeleteFunc(item, func(attr string, _ signal.Value) bool { return len(asked) > 0 && !slices.Contains(asked, attr) })
	out := &dynamodb.GetItemOutput{Item: encode(item)}
	return out, call(t.after, "read", n)
}

// UpdateItem takes every update for a flip; what a flip's expressions do is shown
// on a real engine.
func (t *table) UpdateItem(_ context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	t.mu.Lock()
	t.writes++
	n := t.writes
	t.mu.Unlock()
	if err := call(t.before, "write", n); err != nil {
		return nil, err
	}
	if !t.apply(protocol.Flip(keyOf(in.Key), time.Now())) {
		return nil, &types.ConditionalCheckFailedException{}
	}
	return &dynamodb.UpdateItemOutput{}, call(t.after, "write", n)
}

func call(hook func(string, int) error, name string, n int) error {
	if hook == nil {
		return nil
	}
	return hook(name, n)
}

func (t *table) apply(w protocol.Write) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, applied := w.Apply(t.items[w.Key])
	if applied {
		t.items[w.Key] = next
	}
	return applied
}

func (t *table) item(key signal.Key) signal.Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.items[key].Clone()
}

func (t *table) calls() (reads, writes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reads, t.writes
}

func keyOf(av map[string]types.AttributeValue) signal.Key {
	text := func(name string) string { return av[name].(*types.AttributeValueMemberS).Value }
	return signal.Key{PK: text(signal.AttrPK), SK: text(signal.AttrSK)}
}

func encode(item signal.Item) map[string]types.AttributeValue {
	if item == nil {
		return nil
	}
	av := map[string]types.AttributeValue{}
	for name, v := range item {
		if s, ok := v.Text(); ok {
			av[name] = &types.AttributeValueMemberS{Value: s}
		}
		if n, ok := v.Int(); ok {
			av[name] = &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
		}
	}
	return av
}

// key is the n-th of the tests' signals.
func key(n int) signal.Key {
	return signal.Key{PK: "availabilitySignal::park::dayuse::1::" + strconv.Itoa(n), SK: "2027-07-01"}
}

// clean is a signal in the state that a clean finish leaves.
func clean(k signal.Key) signal.Item {
	return signal.Item{
		signal.AttrPK: signal.S(k.PK), signal.AttrSK: signal.S(k.SK),
		signal.AttrSchema: signal.S(signal.SchemaSignal), signal.AttrGSISK: signal.S(signal.Clean),
		signal.AttrRev: signal.N(7), signal.AttrClaimedRev: signal.N(7),
	}
}

// dirty is a signal that has been flipped since anybody claimed it.
func dirty(k signal.Key) signal.Item {
	i := clean(k)
	i[signal.AttrGSISK] = signal.S(signal.Dirty)
	i[signal.AttrRev] = signal.N(8)
	return i
}

// claimed is a dirty signal that is being checked.
func claimed(k signal.Key) signal.Item {
	i := dirty(k)
	i[signal.AttrClaimedRev] = i[signal.AttrRev]
	return i
}
