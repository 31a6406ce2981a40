package dynamo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// lostOn carries a call out and loses its answer, just when its caller gives up.
func lostOn(giveUp func()) effect {
	return func(send func() error) error {
		if err := send(); err != nil {
			return err
		}
		giveUp()
		return errLost
	}
}

// silent is a DynamoDB that says nothing any more of signals.
type silent struct{ dynamo.SeederAPI }

func (s silent) PutItem(ctx context.Context, _ *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s silent) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if dynamo.DecodeItem(in.Key).Text(signal.AttrPK) != camp.PK() {
		return s.SeederAPI.GetItem(ctx, in, opts...)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s silent) DeleteItem(ctx context.Context, _ *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Whoever gives up waits for no answer for ever: five seconds for the write that is
// under way, and then twenty to look for it, and twenty and five to take it back.
func TestSeeder_givesUpInTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newSimulated()
		e.register(t, "5min")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := dynamo.NewSeeder(silent{e}, e.table, clock, zeros{}).Create(ctx, campOn(july), terms(july), dynamo.Start{})
		if _, left := errors.AsType[*dynamo.LeftoverError](err); !left || time.Since(began) != 51*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

// slowly is a DynamoDB that takes four seconds for a put, and makes none that is broken
// off.
type slowly struct{ dynamo.SeederAPI }

func (s slowly) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	select {
	case <-time.After(4 * time.Second):
		return s.SeederAPI.PutItem(ctx, in, opts...)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// What is under way when its caller gives up has five seconds to end.
func TestSeeder_breaksNothingOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newSimulated()
		e.register(t, "5min")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := dynamo.NewSeeder(slowly{e}, e.table, clock, zeros{}).Create(ctx, campOn(july), terms(july), dynamo.Start{}); err != nil {
			t.Errorf("create: %v", err)
		}
	})
}

// What was written when its caller gave up does not stay unknown, and what is under
// way ends by itself.
func TestSeeder_findsOutForOneWhoHasGivenUp(t *testing.T) {
	t.Parallel()
	later := terms(july)
	later.Expiry = later.Expiry.AddDate(0, 0, 1)
	tests := map[string]struct {
		op string
		do func(ctx context.Context, e *engine, is dynamo.Seeded) error
	}{
		"seeding": {"PutItem", func(ctx context.Context, e *engine, _ dynamo.Seeded) error {
			_, err := e.seeder().Create(ctx, campOn(july.AddDays(1)), terms(july.AddDays(1)), dynamo.Start{})
			return err
		}},
		"changing": {"UpdateItem", func(ctx context.Context, e *engine, is dynamo.Seeded) error {
			_, err := e.seeder().Update(ctx, campOn(july), is.GlobalID, later)
			return err
		}},
		"deleting": {"DeleteItem", func(ctx context.Context, e *engine, is dynamo.Seeded) error {
			return e.seeder().Delete(ctx, campOn(july), is.GlobalID)
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			is := create(t, e, july)
			ctx, cancel := context.WithCancel(t.Context())
			e.set(fault{tt.op, 1, lostOn(cancel)})
			if err := tt.do(ctx, e, is); err != nil {
				t.Errorf("it is done, and yet: %v", err)
			}
		})
	}
}

func TestSeeder_takesBackForOneWhoHasGivenUp(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	ctx, cancel := context.WithCancel(t.Context())
	e.set(fault{"PutItem", 1, lostOn(cancel)}, fault{"GetItem", 2, fail(errLost)})
	_, err := e.seeder().Create(ctx, campOn(july), terms(july), dynamo.Start{})
	if _, left := errors.AsType[*dynamo.LeftoverError](err); err == nil || left {
		t.Errorf("create: %v", err)
	}
	if item := e.item(t, campOn(july).Key()); item != nil {
		t.Errorf("it is still there: %v", item)
	}
}

func TestRange_findsOutForOneWhoHasGivenUp(t *testing.T) {
	t.Parallel()
	for name, effects := range map[string]func(giveUp func()) effect{"under way": before, "answer lost": lostOn} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			ctx, cancel := context.WithCancel(t.Context())
			e.set(fault{"BatchExecuteStatement", 1, effects(cancel)})
			r := days(10)
			state, why, err := e.seeder().CreateRange(ctx, r)
			if err != nil || why != nil || len(state.Missing) > 0 {
				t.Fatalf("create: missing %s, %v, %v", spans(state.Missing), why, err)
			}
			r.ID = state.ID

			longer := r
			longer.Last = longer.Last.AddDays(5)
			ctx, cancel = context.WithCancel(t.Context())
			e.set(fault{"BatchExecuteStatement", 1, effects(cancel)})
			state, err = e.seeder().UpdateRange(ctx, r, longer)
			if len(state.Missing) > 0 || state.Span != longer.Span {
				t.Errorf("extend: %s, missing %s, %v", state.Span, spans(state.Missing), err)
			}
			if got := dates(e.partition(t), all); got != longer.Span.String() {
				t.Errorf("there is %s", got)
			}
		})
	}
}

// Whoever gives up does not wait until what is throttled has been sent often enough.
func TestRange_givenUpBetweenRepeats(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	errorsIn(e.faulty, func(string) *types.BatchStatementError {
		return failure(types.BatchStatementErrorCodeEnumThrottlingError)
	})
	ctx, cancel := context.WithCancel(t.Context())
	pauses := 0
	seeder := e.seeder().WithSleep(func(ctx context.Context, _ time.Duration) error {
		pauses++
		cancel()
		return ctx.Err()
	})
	_, why, err := seeder.CreateRange(ctx, days(3))
	if failed := errors.Join(why, err); !errors.Is(failed, context.Canceled) || !errors.Is(failed, dynamo.ErrThrottled) || pauses != 1 {
		t.Errorf("after %d pauses: %v", pauses, failed)
	}
}

// Nothing is deleted as long as the range is not what it should be otherwise.
func TestRange_deletesLast(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "1h")
	r := createRange(t, e, days(10))
	e.set(fault{"UpdateItem", 0, fail(code("AccessDeniedException", "no"))})
	next := days(5)
	next.ID, next.Bucket = r.ID, "1h"
	if _, err := e.seeder().UpdateRange(t.Context(), r, next); !errors.Is(err, dynamo.ErrAccessDenied) {
		t.Errorf("update: %v", err)
	}
	if got := dates(e.partition(t), all); got != r.Span.String() {
		t.Errorf("there is %s, want %s", got, r.Span)
	}
}

// What may have been written, and cannot be looked for, keeps the range in the state:
// else nobody would ever delete it.
func TestRange_keepsWhatMayBeThere(t *testing.T) {
	t.Parallel()
	const none, rejected = types.BatchStatementErrorCodeEnumInternalServerError, types.BatchStatementErrorCodeEnumValidationError
	for name, answers := range map[string][2]types.BatchStatementErrorCodeEnum{
		"no answer for good":             {none, ""},
		"none, and another was rejected": {rejected, ""},
		"none, and then rejected":        {none, rejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, then := answers[0], answers[1]
			e := newEngine(t)
			e.register(t, "5min")
			sent := 0
			errorsIn(e.faulty, func(date string) *types.BatchStatementError {
				if date == july.String() {
					return failure(first)
				}
				if sent++; sent > 1 && then != "" {
					return failure(then)
				}
				return failure(types.BatchStatementErrorCodeEnumInternalServerError)
			})
			e.set(fault{"Query", 2, fail(errLost)})
			state, why, err := e.hasty().CreateRange(t.Context(), days(2))
			if err != nil || why == nil || state.ID == "" || len(state.Missing) != 2 {
				t.Errorf("create: %+v, %v, %v", state, why, err)
			}
		})
	}
}

// So does what may have been written by any of its sendings, whatever was said of the
// others.
func TestRange_keepsWhatMayHaveBeenThereBefore(t *testing.T) {
	t.Parallel()
	const (
		none      = types.BatchStatementErrorCodeEnumInternalServerError
		throttled = types.BatchStatementErrorCodeEnumThrottlingError
		rejected  = types.BatchStatementErrorCodeEnumValidationError
	)
	for name, answers := range map[string][]types.BatchStatementErrorCodeEnum{
		"none, then throttled": {none, throttled, rejected},
		"throttled, then none": {throttled, none, rejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			errorsIn(e.faulty, func(date string) *types.BatchStatementError {
				if date == july.String() {
					return failure(types.BatchStatementErrorCodeEnumDuplicateItem)
				}
				answer := answers[0]
				answers = answers[1:]
				return failure(answer)
			})
			e.set(fault{"Query", 2, fail(errLost)})
			state, why, err := e.hasty().CreateRange(t.Context(), days(2))
			if err != nil || why == nil || state.ID == "" || len(state.Missing) != 2 {
				t.Fatalf("create: %+v, %v, %v", state, why, err)
			}
			if !strings.Contains(why.Error(), july.AddDays(1).String()) {
				t.Errorf("want the date named that failed: %v", why)
			}
		})
	}
}

// For one who has given up before a write, none is begun.
func TestSeeder_writesNothingForOneWhoHasGivenUp(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	ctx, cancel := context.WithCancel(t.Context())
	e.set(fault{"GetItem", 1, func(send func() error) error {
		defer cancel()
		return send()
	}})
	_, err := e.seeder().Create(ctx, campOn(july), terms(july), dynamo.Start{})
	if !errors.Is(err, context.Canceled) || e.called("PutItem") != 0 {
		t.Errorf("create: %v after %d writes", err, e.called("PutItem"))
	}
}
