package history_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// recorder takes down when each operation began and ended, and its answer.
type recorder struct {
	store *dynamo.Store
	began time.Time

	mu      sync.Mutex
	history []porcupine.Operation
}

// do records an operation. One without an answer has no end.
func (r *recorder) do(in input, operate func() output) output {
	call := time.Since(r.began).Nanoseconds()
	out := operate()
	end := time.Since(r.began).Nanoseconds()
	if out.unknown {
		end = math.MaxInt64
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history = append(r.history, porcupine.Operation{Input: in, Call: call, Output: out, Return: end})
	return out
}

// get reads a signal.
func (r *recorder) get(ctx context.Context, key signal.Key) (item signal.Item, err error) {
	r.do(input{key: key, op: read}, func() output {
		if item, err = r.store.Get(ctx, key); err != nil {
			return output{unknown: true}
		}
		return output{saw: objectOf(item)}
	})
	return item, err
}

// write sends a write of a check.
func (r *recorder) write(ctx context.Context, w protocol.Write, now time.Time) (item signal.Item, err error) {
	in := input{key: w.Key, op: w.Op, now: now.UnixMilli()}
	for _, c := range w.If {
		switch c.Attr {
		case signal.AttrClaimedBy:
			in.id, _ = c.Value.Text()
		case signal.AttrRev:
			in.rev, _ = c.Value.Int()
		}
	}
	for _, a := range w.Set {
		switch a.Attr {
		case signal.AttrClaimedBy:
			in.id, _ = a.Value.Text()
		case signal.AttrLeaseUntil, signal.AttrNotBefore:
			in.until, _ = a.Value.Int()
		case signal.AttrValue:
			in.value, _ = a.Value.Text()
		case signal.AttrLastUpdatedAt:
			in.asOf, _ = a.Value.Text()
		}
	}
	r.do(in, func() output {
		item, err = r.store.WriteOnce(ctx, w)
		refused, isRefusal := errors.AsType[*dynamo.RefusedError](err)
		switch {
		case isRefusal:
			return output{saw: objectOf(refused.Old)}
		case err != nil:
			return output{unknown: true}
		}
		return output{applied: true, saw: objectOf(item)}
	})
	return item, err
}

// flip lets a client flip, which may send more than one write: those that had no
// answer may take place at any later time.
func (r *recorder) flip(op protocol.Op, key signal.Key, by func() error) error {
	var err error
	r.do(input{key: key, op: op}, func() output {
		err = by()
		return output{applied: err == nil, unknown: err != nil}
	})
	return err
}

// unanswered is an API that records what a client's writes leave open.
type unanswered struct {
	flip.API
	recorder *recorder
	key      signal.Key
}

func (u unanswered) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	call := time.Since(u.recorder.began).Nanoseconds()
	out, err := u.API.UpdateItem(ctx, in, opts...)
	if err != nil && !errors.Is(dynamo.Classify(err), dynamo.ErrRefused) {
		u.recorder.mu.Lock()
		defer u.recorder.mu.Unlock()
		u.recorder.history = append(u.recorder.history, porcupine.Operation{
			Input: input{key: u.key, op: protocol.OpFlip}, Call: call, Output: output{unknown: true}, Return: math.MaxInt64,
		})
	}
	return out, err
}
