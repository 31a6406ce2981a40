package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// Where a date's quota is, and what it is made of.
const (
	quotaKey   = "quota::{collectionId}::{activityType}::{activityId}::{productId}::{date}"
	quotaSK    = "quota"
	attrLimit  = "limit"
	attrIssued = "issued"
)

// Store is what the source reads.
type Store interface {
	Get(ctx context.Context, key signal.Key, attrs ...string) (signal.Item, error)
}

// Quota is the source: one item per date, with a limit and what was issued of it.
type Quota struct {
	store Store
	key   source.Template
}

// NewQuota returns the source over a table.
func NewQuota(store Store) (*Quota, error) {
	key, err := source.ParseTemplate(quotaKey)
	return &Quota{store: store, key: key}, err
}

// Estimate reads the date's quota, strongly consistent: whatever was committed
// before the call is in the answer.
func (q *Quota) Estimate(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
	item, err := q.store.Get(ctx, signal.Key{PK: q.key.Key(d), SK: quotaSK}, attrLimit, attrIssued)
	switch {
	case errors.Is(err, dynamo.ErrThrottled):
		// No signal is ever blamed for that.
		return signal.Estimate{}, fmt.Errorf("read the quota of %q: %w: %w", d, source.ErrBusy, err)
	case err != nil:
		return signal.Estimate{}, fmt.Errorf("read the quota of %q: %w", d, err)
	case item == nil:
		// Nothing to sell is something else than sold out.
		return signal.Estimate{NoInventory: true}, nil
	}
	limit, ok := item[attrLimit].Int()
	issued, ok2 := item[attrIssued].Int()
	if !ok || !ok2 {
		// This signal alone is put off, and is named in the report.
		return signal.Estimate{}, &source.ItemError{
			Item:   fmt.Sprintf("the quota of %q", d),
			Reason: "cannot be counted: limit and issued are not both whole numbers",
		}
	}
	return signal.Estimate{Available: limit - issued, Capacity: limit}, nil
}
