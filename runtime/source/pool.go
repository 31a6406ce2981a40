package source

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Attribute names of an inventory pool's item.
const (
	attrAvailability = "availability"
	attrCapacity     = "capacity"
)

// PoolStore is the table that has the inventory pools.
type PoolStore interface {
	Query(context.Context, dynamo.Query) iter.Seq2[signal.Item, error]
}

// Pool is the source "inventory-pool": the sums of availability and of capacity
// over all inventory pools of a product on a date.
type Pool struct{ store PoolStore }

// NewPool returns the source over a table, which may be the signals' own.
func NewPool(store PoolStore) *Pool { return &Pool{store: store} }

// Estimate reads every pool of the date, strongly consistent. A pool without two
// whole numbers is an *ItemError that names it.
func (p *Pool) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	query := dynamo.Query{
		Hash:      signal.AttrPK,
		Partition: d.PoolPK(),
		Attrs:     []string{signal.AttrSK, attrAvailability, attrCapacity},
	}
	sum := signal.Estimate{NoInventory: true}
	for pool, err := range p.store.Query(ctx, query) {
		if err != nil {
			return signal.Estimate{}, fmt.Errorf("read the inventory pools of %q: %w", d, busy(err))
		}
		if err := add(&sum, pool); err != nil {
			return signal.Estimate{}, err
		}
	}
	return sum, nil
}

func add(sum *signal.Estimate, pool signal.Item) error {
	sum.NoInventory = false
	for _, part := range []struct {
		attr  string
		total *int64
	}{{attrAvailability, &sum.Available}, {attrCapacity, &sum.Capacity}} {
		n, fault := amount(pool[part.attr])
		if fault == "" && overflows(*part.total, n) {
			fault = "makes a sum that is too large"
		}
		if fault != "" {
			return &ItemError{
				Item:   fmt.Sprintf("inventory pool %q", pool.Text(signal.AttrSK)),
				Reason: fmt.Sprintf("cannot be counted: its %s %s", part.attr, fault),
			}
		}
		*part.total += n
	}
	return nil
}

// amount is a whole number, or what is wrong with it. A string of digits is no
// amount: whoever wrote it may as well have written something else.
func amount(v signal.Value) (n int64, fault string) {
	switch v.Kind() {
	case signal.KindAbsent:
		return 0, "is missing"
	case signal.KindNumber:
		if n, ok := v.Int(); ok {
			return n, ""
		}
		return 0, "is not a whole number that fits 64 bits"
	}
	return 0, "is not of type Number"
}

func overflows(a, b int64) bool {
	return b > 0 && a > math.MaxInt64-b || b < 0 && a < math.MinInt64-b
}

func busy(err error) error {
	if errors.Is(err, dynamo.ErrThrottled) || errors.Is(err, dynamo.ErrConflict) {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}
