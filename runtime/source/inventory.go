package source

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Inventory is the table that has the inventory.
type Inventory interface {
	Query(context.Context, dynamo.Query) iter.Seq2[signal.Item, error]
}

// Keys says how a table's inventory of a date is found.
type Keys struct {
	// Partition is the partition key of a date.
	Partition Template
	// HashAttr and RangeAttr are the names of the table's key attributes.
	HashAttr, RangeAttr string
}

// items yields a date's inventory, strongly consistent, with these attributes
// beside the sort key. what names it in an error.
func (k Keys) items(ctx context.Context, table Inventory, d signal.ProductDate, what string, attrs ...string) iter.Seq2[signal.Item, error] {
	query := dynamo.Query{
		Hash:      k.HashAttr,
		Partition: k.Partition.Key(d),
		Attrs:     append(attrs, k.RangeAttr),
	}
	return func(yield func(signal.Item, error) bool) {
		for item, err := range table.Query(ctx, query) {
			if err != nil {
				err = fmt.Errorf("read the %s of %q: %w", what, d, busy(err))
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

func busy(err error) error {
	if errors.Is(err, dynamo.ErrThrottled) || errors.Is(err, dynamo.ErrConflict) {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}
