package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

// Operator does tasks. All of its fields but Most and Skew must be set.
type Operator struct {
	// Runner is as for runs: its store, source and settings are the tasks' too.
	Runner check.Runner
	// Signals is the signals' table.
	Signals *dynamo.Store
	// Sync is what makes signals what products and dates call for.
	Sync stream.Sync
	// Most is how much an answer names at most, 0 for all: what is left out is
	// counted.
	Most int
	// Skew, where the clock may be wrong, is by how much the service's is ahead of it,
	// as *dynamo.Store has it. Nil for a function: its clock is the service's.
	Skew Skew
}

// Answer is what came of a task: a struct that is JSON, and a Printer.
type Answer interface {
	// Findings is whether there is something that somebody has to see to.
	Findings() bool
}

// Printer is an Answer for people. It is apart, so that a function which answers
// JSON alone does not carry all those words.
type Printer interface {
	Print(w io.Writer) error
}

// Do does a task. The error is ErrTask, ErrClock, or that of a table or bucket that
// cannot be read, and then nothing was done. What could not be done about one signal
// is in the answer, and so is an error that came when a part had been done.
func (o *Operator) Do(ctx context.Context, t Task) (Answer, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if err := MindClock(ctx, o.Skew); err != nil {
		return nil, err
	}
	switch t.Task {
	case TaskExplain:
		return answer(o.explain(ctx, t))
	case TaskCheck:
		return answer(o.check(ctx, t))
	case TaskAudit:
		return answer(o.audit(ctx, t))
	case TaskSweep:
		return answer(o.sweep(ctx, t))
	}
	return answer(o.sync(ctx, t))
}

// answer keeps an answer's type out of an error's nil.
func answer[A Answer](a A, err error) (Answer, error) {
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Decode reads the JSON of a task's answer, as a function gave it.
func Decode(task string, text []byte) (Answer, error) {
	decode := func(a Answer) (Answer, error) {
		if err := json.Unmarshal(text, a); err != nil {
			return nil, fmt.Errorf("read the answer of %s: %w", task, err)
		}
		return a, nil
	}
	switch task {
	case TaskExplain:
		return decode(&Explanation{})
	case TaskCheck:
		return decode(&Checks{})
	case TaskAudit:
		return decode(&Audits{})
	case TaskSweep:
		return decode(&Sweep{})
	case TaskSync:
		return decode(&Sync{})
	}
	return nil, fmt.Errorf("%w: %q", ErrTask, task)
}

// members are some signals' keys by the name of the bucket that they are in; "" is
// no bucket.
type members map[string][]signal.Key

// product is the keys of a product's signals that have not expired, by bucket, and
// how many have.
func (o *Operator) product(ctx context.Context, p signal.Product) (found members, expired int, err error) {
	found = members{}
	now := o.now()
	for item, err := range o.entries(ctx, p) {
		if err != nil {
			return nil, 0, err
		}
		if item.Text(signal.AttrSchema) != signal.SchemaSignal {
			continue
		}
		if isOver(item, now) {
			expired++
			continue
		}
		name, _, _ := signal.ParseShardKey(item.Text(signal.AttrGSIPK))
		found[name] = append(found[name], item.Key())
	}
	return found, expired, nil
}

// subject is the signals that a task about a signal or a product is about.
func (o *Operator) subject(ctx context.Context, t Task) (found members, expired int, err error) {
	if t.Product != "" {
		p, err := ParseProduct(t.Product)
		if err != nil {
			return nil, 0, err
		}
		return o.product(ctx, p)
	}
	d, err := ParseSignal(t.Signal)
	if err != nil {
		return nil, 0, err
	}
	item, err := o.Signals.Get(ctx, d.Key(), signal.AttrGSIPK)
	if err != nil {
		return nil, 0, err
	}
	name, _, _ := signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	return members{name: {d.Key()}}, 0, nil
}

// nothingOf is what there is to say of a product that has no signals, whose name may
// be misspelt; known is whether the platform has it.
func (o *Operator) nothingOf(ctx context.Context, product string) (says string, known bool) {
	p, err := ParseProduct(product)
	if err == nil {
		known, err = o.known(ctx, p)
	}
	switch {
	case err != nil:
		return fmt.Sprintf("there are no signals of it, and whether there is such a product cannot be told (%v): see whether the name is right", err), true
	case known:
		return "there are no signals of it: seed them with Terraform, or with sync if the stream keeps this product's", true
	}
	return nothingKnown, false
}

// known is whether there is anything of a product, and is told in time for the answer.
func (o *Operator) known(ctx context.Context, p signal.Product) (bool, error) {
	ctx, stop := stream.InTime(ctx, o.now())
	defer stop()
	return o.Sync.Keeper.Known(ctx, p)
}

const nothingKnown = "nothing is known under this name, no product, no date and no signal: see whether it is right, and whether this is the table"

func (o *Operator) now() time.Time { return o.Runner.Now().UTC().Truncate(time.Millisecond) }

// unusable is whether an error is a bucket's, which says nothing of the others.
func unusable(err error) bool {
	return errors.Is(err, dynamo.ErrNotRegistered) || errors.Is(err, signal.ErrRegistry) || errors.Is(err, signal.ErrFormat)
}
