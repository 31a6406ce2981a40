package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// UnitLayout says how the units of inventory are stored.
type UnitLayout struct {
	Keys
	// StatusAttr is the name of a unit's status.
	StatusAttr string
	// Available are the statuses of a unit that can be had, Retired those of one
	// that is no part of the capacity any more. A unit of any other status is
	// taken.
	Available, Retired []string
}

// DefaultUnitLayout is the contract's.
func DefaultUnitLayout() UnitLayout {
	return UnitLayout{
		Keys:       Keys{Partition: mustTemplate(DefaultUnitKey), HashAttr: signal.AttrPK, RangeAttr: signal.AttrSK},
		StatusAttr: "allocationStatus",
		Available:  []string{"available"},
		Retired:    []string{"retired"},
	}
}

// Units is the source "inventory-units": the number of units that are available,
// of all that are not retired.
type Units struct {
	table  Inventory
	layout UnitLayout
}

// NewUnits returns the source over a table, which may be the signals' own.
func NewUnits(table Inventory, layout UnitLayout) *Units {
	return &Units{table: table, layout: layout}
}

// Estimate reads every unit of the date, strongly consistent. A unit without a
// status is an *ItemError that names it. Where all units are retired the capacity
// is 0, which is not the same as having none.
func (u *Units) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	e := signal.Estimate{NoInventory: true}
	for unit, err := range u.layout.items(ctx, u.table, d, "inventory units", u.layout.StatusAttr) {
		if err != nil {
			return signal.Estimate{}, err
		}
		if err := u.count(&e, unit); err != nil {
			return signal.Estimate{}, err
		}
	}
	return e, nil
}

// count adds a unit to an estimate.
func (u *Units) count(e *signal.Estimate, unit signal.Item) error {
	e.NoInventory = false
	status := unit[u.layout.StatusAttr]
	text, _ := status.Text()
	switch {
	case text == "":
		return &ItemError{
			Item:   fmt.Sprintf("inventory unit %q", unit.Text(u.layout.RangeAttr)),
			Reason: fmt.Sprintf("cannot be counted: its %s %s", u.layout.StatusAttr, noStatus(status)),
		}
	case slices.Contains(u.layout.Retired, text):
		return nil
	case slices.Contains(u.layout.Available, text):
		e.Available++
	}
	e.Capacity++
	return nil
}

func noStatus(v signal.Value) string {
	switch v.Kind() {
	case signal.KindAbsent:
		return "is missing"
	case signal.KindString:
		return "is empty"
	}
	return "is not of type String"
}
