package source

import (
	"context"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Part is a piece of inventory that an estimate is made of: a pool, or a unit.
type Part struct {
	// Name is its sort key.
	Name string
	// Available and Capacity are what it adds to the estimate.
	Available, Capacity int64
	// Status is a unit's; "" for a pool.
	Status string
	// Fault is why nothing can be made of it, or "".
	Fault string
}

// Detailed is a Source that can show what its estimate of a date is made of.
type Detailed interface {
	Source
	// Parts reads every part, those at fault included.
	Parts(ctx context.Context, d signal.ProductDate) ([]Part, error)
}

// Parts reads every pool of the date.
func (p *Pool) Parts(ctx context.Context, d signal.ProductDate) ([]Part, error) {
	var parts []Part
	for pool, err := range p.layout.items(ctx, p.table, d, "inventory pools", p.layout.AvailableAttr, p.layout.CapacityAttr) {
		if err != nil {
			return nil, err
		}
		part := Part{Name: pool.Text(p.layout.RangeAttr)}
		var alone signal.Estimate
		if err := p.add(&alone, pool); err != nil {
			part.Fault = err.Error()
		} else {
			part.Available, part.Capacity = alone.Available, alone.Capacity
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// Parts reads every unit of the date.
func (u *Units) Parts(ctx context.Context, d signal.ProductDate) ([]Part, error) {
	var parts []Part
	for unit, err := range u.layout.items(ctx, u.table, d, "inventory units", u.layout.StatusAttr) {
		if err != nil {
			return nil, err
		}
		part := Part{Name: unit.Text(u.layout.RangeAttr), Status: unit.Text(u.layout.StatusAttr)}
		var alone signal.Estimate
		if err := u.count(&alone, unit); err != nil {
			part.Fault = err.Error()
		}
		part.Available, part.Capacity = alone.Available, alone.Capacity
		parts = append(parts, part)
	}
	return parts, nil
}
