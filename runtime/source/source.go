package source

import (
	"context"
	"errors"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Source computes how much of a product is left on a date.
//
// The read must begin after Estimate is called and see everything committed
// before: the protocol's safety rests on it. Estimate is called concurrently, and
// must return soon after its context is done. A panic counts against the signal, as
// an *ItemError does.
type Source interface {
	// Estimate returns what there is behind a signal. An *ItemError means that
	// this signal cannot be estimated and counts against it; every other error
	// means that the source failed, be it ErrBusy, ErrShared or neither.
	Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error)
}

// ErrBusy is a source that turned a read away for the moment (throttling, a
// conflict with a transaction), which never says anything about the signal.
var ErrBusy = errors.New("source is busy")

// ErrShared is a source's failure that says nothing about this signal, because it
// was not asked for alone.
var ErrShared = errors.New("not asked for alone")

// ItemError is data behind a signal that no estimate can be made of. It repeats
// until somebody corrects the data.
type ItemError struct {
	// Item is what is wrong, e.g. an inventory pool's sort key.
	Item string
	// Reason says what is wrong with it, without its value.
	Reason string
}

func (e *ItemError) Error() string { return e.Item + " " + e.Reason }
