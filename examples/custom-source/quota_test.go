package main

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

var july1 = signal.ProductDate{
	Product: signal.Product{CollectionID: "mockPark1", ActivityType: "dayUse", ActivityID: "1", ProductID: "2"},
	Date:    signal.Date{Year: 2026, Month: 7, Day: 1},
}

// store is a table of one item.
type store struct {
	item  signal.Item
	err   error
	asked signal.Key
}

func (s *store) Get(_ context.Context, key signal.Key, _ ...string) (signal.Item, error) {
	s.asked = key
	return s.item, s.err
}

func (s *store) estimate(t *testing.T) (signal.Estimate, error) {
	t.Helper()
	q, err := NewQuota(s)
	if err != nil {
		t.Fatal(err)
	}
	return q.Estimate(t.Context(), july1)
}

func TestQuota_isWhatWasNotIssued(t *testing.T) {
	s := &store{item: signal.Item{"limit": signal.N(40), "issued": signal.N(38)}}
	got, err := s.estimate(t)
	if err != nil || got != (signal.Estimate{Available: 2, Capacity: 40}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff(signal.Key{PK: "quota::mockPark1::dayUse::1::2::2026-07-01", SK: "quota"}, s.asked); diff != "" {
		t.Error(diff)
	}
	if got, err := (&store{}).estimate(t); err != nil || !got.NoInventory {
		t.Errorf("without a quota: %+v, %v", got, err)
	}
}

func TestQuota_whoIsBlamed(t *testing.T) {
	_, err := (&store{item: signal.Item{"limit": signal.N(40), "issued": signal.S("38")}}).estimate(t)
	if item, ok := errors.AsType[*source.ItemError](err); !ok || item.Item != `the quota of "mockPark1/dayUse/1/2 2026-07-01"` {
		t.Errorf("a quota that cannot be counted: %v", err)
	}
	for class, busy := range map[error]bool{dynamo.ErrThrottled: true, dynamo.ErrUnknown: false} {
		_, err := (&store{err: class}).estimate(t)
		if _, ok := errors.AsType[*source.ItemError](err); ok || !errors.Is(err, class) || errors.Is(err, source.ErrBusy) != busy {
			t.Errorf("%v: %v", class, err)
		}
	}
}
