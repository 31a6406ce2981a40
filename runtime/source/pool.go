package source

import (
	"context"
	"fmt"
	"math"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// PoolLayout says how inventory pools are stored.
type PoolLayout struct {
	Keys
	// AvailableAttr and CapacityAttr are the names of a pool's two numbers.
	AvailableAttr, CapacityAttr string
}

// DefaultPoolLayout is the contract's.
func DefaultPoolLayout() PoolLayout {
	return PoolLayout{
		Keys:          Keys{Partition: mustTemplate(DefaultPoolKey), HashAttr: signal.AttrPK, RangeAttr: signal.AttrSK},
		AvailableAttr: "availability",
		CapacityAttr:  "capacity",
	}
}

// Pool is the source "inventory-pool": the sums of availability and of capacity
// over all inventory pools of a product on a date.
type Pool struct {
	table  Inventory
	layout PoolLayout
}

// NewPool returns the source over a table, which may be the signals' own, of the
// contract's layout.
func NewPool(table Inventory) *Pool { return NewPoolOf(table, DefaultPoolLayout()) }

// NewPoolOf returns the source over a table of another layout.
func NewPoolOf(table Inventory, layout PoolLayout) *Pool { return &Pool{table: table, layout: layout} }

// Estimate reads every pool of the date, strongly consistent. A pool without two
// whole numbers is an *ItemError that names it.
func (p *Pool) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	sum := signal.Estimate{NoInventory: true}
	for pool, err := range p.layout.items(ctx, p.table, d, "inventory pools", p.layout.AvailableAttr, p.layout.CapacityAttr) {
		if err != nil {
			return signal.Estimate{}, err
		}
		if err := p.add(&sum, pool); err != nil {
			return signal.Estimate{}, err
		}
	}
	return sum, nil
}

func (p *Pool) add(sum *signal.Estimate, pool signal.Item) error {
	sum.NoInventory = false
	for _, part := range []struct {
		attr  string
		total *int64
	}{{p.layout.AvailableAttr, &sum.Available}, {p.layout.CapacityAttr, &sum.Capacity}} {
		n, fault := amount(pool[part.attr])
		if fault == "" && overflows(*part.total, n) {
			fault = "makes a sum that is too large"
		}
		if fault != "" {
			return &ItemError{
				Item:   fmt.Sprintf("inventory pool %q", pool.Text(p.layout.RangeAttr)),
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
