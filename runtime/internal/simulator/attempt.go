package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
)

// request is a call with how it is executed: a step at a time, under the DB's
// lock, from one scheduling point to the next.
type request[Out any] struct {
	Call
	// execute does the request. pause is a scheduling point within it, at which
	// the DB is unlocked; it does nothing where nobody could tell.
	execute func(x *execution) (*Out, error)
}

// execution is one execution of a request.
type execution struct {
	db     *DB
	client int
	fault  Fault
	// conflicting makes the execution meet a transaction that is not there.
	conflicting bool
	// pause lets others go on; nil where they cannot.
	pause func(operation string)
	// alone is set if the client does not see the end of it: what has been decided
	// goes on without it.
	alone bool
	// table and indexes are what it has cost.
	table, indexes Units
}

// rest is a wait within an execution.
func (x *execution) rest(d time.Duration) {
	if d <= 0 || x.pause == nil {
		return
	}
	x.db.mu.Unlock()
	// Nothing ends a context that nobody has.
	_ = x.db.clock.Sleep(context.Background(), d)
	x.db.mu.Lock()
	x.db.running = x
}

// yield is a scheduling point within an execution.
func (x *execution) yield(operation string) {
	if x.pause != nil {
		x.pause(operation)
	}
}

// leaves is whether an entry of a batch is left out.
func (x *execution) leaves() bool { return x.fault.Leave > 0 && x.db.random.Float64() < x.fault.Leave }

// do makes a call as the SDK does: it repeats it by the options' retryer.
func do[Out any](ctx context.Context, c *Client, options []func(*dynamodb.Options), r *request[Out]) (*Out, error) {
	r.Client, r.Process = c.name, c.process
	out, err := attempt(ctx, c, r)
	if err == nil {
		c.succeeded()
		return out, nil
	}
	again := c.retrying(options)
	for {
		wait, last := again.next(ctx, r.Attempt, err)
		if last != nil {
			err = last
			break
		}
		if sleep := c.db.clock.Sleep(ctx, wait); sleep != nil {
			err = &aws.RequestCanceledError{Err: sleep}
			break
		}
		out, err = attempt(ctx, c, r)
		again.ended(err)
		if err == nil {
			return out, nil
		}
	}
	return nil, &smithy.OperationError{ServiceID: dynamodb.ServiceID, OperationName: r.Operation, Err: err}
}

// attempt sends a request once.
func attempt[Out any](ctx context.Context, c *Client, r *request[Out]) (*Out, error) {
	r.Attempt++
	if err := c.alive(ctx); err != nil {
		return nil, err
	}
	db := c.db
	db.point(&r.Call)
	if gone := ctx.Err(); gone != nil && db.coin() {
		// Given up on before it was sent; on tails, after.
		return nil, &aws.RequestCanceledError{Err: gone}
	}
	r.Number = int(c.calls.Add(1))
	fault := db.fault(&r.Call)
	if fault.Delay > 0 {
		if err := db.clock.Sleep(ctx, fault.Delay); err != nil && !fault.CrashBefore {
			// Given up on, which does not call it back.
			fault.Late = max(fault.Late, 1)
		}
		db.point(&r.Call)
	}
	if fault.CrashBefore {
		c.Crash()
	}
	if c.Crashed() {
		return nil, ErrCrashed
	}
	out, x, err := perform(c, r, fault)
	if fault.CrashAfter {
		c.Crash()
	}
	if fault.HoldAnswer {
		db.point(&r.Call)
	}
	if fault.AnswerDelay > 0 {
		// An answer that nobody waits for any more is lost below.
		_ = db.clock.Sleep(ctx, fault.AnswerDelay)
		db.point(&r.Call)
	}
	if gone := c.alive(ctx); gone != nil {
		out, err = nil, gone
	}
	db.ended(Outcome{Call: &r.Call, Fault: fault, Err: err, Table: x.table, Indexes: x.indexes})
	return out, err
}

// alive is why there is nobody to send a request or to take an answer, if so.
func (c *Client) alive(ctx context.Context) error {
	if c.Crashed() {
		return ErrCrashed
	}
	if err := ctx.Err(); err != nil {
		return &aws.RequestCanceledError{Err: err}
	}
	return nil
}

// perform executes a request as its fault has it, and is what the client gets if
// it waits long enough.
func perform[Out any](c *Client, r *request[Out], fault Fault) (*Out, *execution, error) {
	db := c.db
	db.mu.Lock()
	defer db.mu.Unlock()
	db.enter()
	db.requests++
	number := db.requests
	x := &execution{db: db, client: c.number, fault: fault}
	db.running = x
	switch fault.Reject {
	case Throttling:
		return nil, x, answered(tooBusy(), number)
	case ServerError:
		return nil, x, answered(serverError(), number)
	case NeverSent:
		return nil, x, unanswered()
	case Conflicting:
		x.conflicting = r.writes
	}
	if fault.Late > 0 {
		later(c, r, fault.Late)
		return nil, x, unanswered()
	}
	if db.world != nil {
		// The request may be repeated before all of this sending is done.
		sent := r.Call
		x.pause = func(operation string) {
			call := sent
			call.Operation = operation
			db.mu.Unlock()
			db.point(&call)
			db.mu.Lock()
			db.enter()
			db.running = x
		}
		x.alone = fault.LoseAnswer || fault.CrashAfter
	}
	if fault.Again > 0 {
		later(c, r, fault.Again)
	}
	out, err := r.execute(x)
	if fault.LoseAnswer {
		return nil, x, unanswered()
	}
	if err != nil {
		return nil, x, answered(err, number)
	}
	return out, x, nil
}

// later executes a request once more, when its client has forgotten it.
func later[Out any](c *Client, r *request[Out], after time.Duration) {
	db, call := c.db, r.Call
	db.agenda.add(db.now+int64(after), false, func() {
		x := &execution{db: db, client: c.number}
		db.running = x
		_, err := r.execute(x)
		db.tell(Outcome{Call: &call, Err: err, Late: true, Table: x.table, Indexes: x.indexes})
	})
}

// fault draws a request's fault.
func (db *DB) fault(c *Call) Fault {
	if db.config.Faults == nil {
		return Fault{}
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.config.Faults(db.random, c)
}

func (db *DB) coin() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.random.IntN(2) == 0
}

func (db *DB) ended(o Outcome) {
	if db.config.OnCall == nil {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.now = db.clock.Now().UnixNano()
	call := *o.Call
	o.Call = &call
	db.tell(o)
}

func (db *DB) tell(o Outcome) {
	if db.config.OnCall == nil {
		return
	}
	o.At = time.Unix(0, db.now).UTC()
	db.config.OnCall(o)
}

func apiMessage(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorMessage()
	}
	return err.Error()
}

// content is a request's input as text, alike for alike inputs.
func content(input any) string {
	b, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return string(b)
}
