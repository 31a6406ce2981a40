package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/availability-signal/terraform-provider-availability/examples/demo/season"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// readSignals reads every signal of the season, strongly consistent.
func readSignals(ctx context.Context, store *dynamo.Store, s *season.Season) (map[season.Day]signal.Item, error) {
	found := map[season.Day]signal.Item{}
	for i, p := range s.Products {
		query := dynamo.Query{
			Hash: signal.AttrPK, Partition: p.PK(),
			Range: signal.AttrSK, From: p.Start.String(), To: p.End.String(),
			Attrs: []string{signal.AttrSK, signal.AttrGSISK, signal.AttrValue},
		}
		for item, err := range store.Query(ctx, query) {
			if err != nil {
				return nil, fmt.Errorf("read the signals of %s: %w", p.Product, err)
			}
			date, err := signal.ParseDate(item.Text(signal.AttrSK))
			if err != nil {
				return nil, fmt.Errorf("read the signals of %s: %w", p.Product, err)
			}
			found[season.Day{Product: i, Date: p.Start.DaysUntil(date)}] = item
		}
	}
	return found, nil
}

// readPools reads what every pool has left, strongly consistent.
func readPools(ctx context.Context, store *dynamo.Store, s *season.Season) (map[season.Slot]int64, error) {
	var mu sync.Mutex
	left := map[season.Slot]int64{}
	return left, each(ctx, s.Days(), func(ctx context.Context, d season.Day) error {
		date := s.ProductDate(d)
		query := dynamo.Query{Hash: signal.AttrPK, Partition: date.PoolPK(), Attrs: []string{signal.AttrSK, attrAvailability}}
		for item, err := range store.Query(ctx, query) {
			if err != nil {
				return fmt.Errorf("read the pools of %q: %w", date, err)
			}
			asset := item.Text(signal.AttrSK)
			pool := slices.IndexFunc(s.Products[d.Product].Pools, func(p season.Pool) bool { return p.Asset == asset })
			if pool < 0 {
				return fmt.Errorf("read the pools of %q: %q is none of the season's", date, asset)
			}
			mu.Lock()
			left[season.Slot{Day: d, Pool: pool}] = item.Int(attrAvailability)
			mu.Unlock()
		}
		return nil
	})
}

// values are the values that signals show; "" for one that is dirty or has none.
func values(signals map[season.Day]signal.Item) map[season.Day]string {
	shown := map[season.Day]string{}
	for d, item := range signals {
		if item.Text(signal.AttrGSISK) == signal.Clean {
			shown[d] = item.Text(signal.AttrValue)
		}
	}
	return shown
}

// wrongDays says of every day that does not show what its pools, and after.json,
// say it must.
func wrongDays(s *season.Season, signals map[season.Day]signal.Item, left map[season.Slot]int64) []string {
	recount := s.Values(left)
	var wrong []string
	for _, d := range s.Days() {
		var faults []string
		item, there := signals[d]
		value := item.Text(signal.AttrValue)
		switch {
		case !there:
			faults = append(faults, "has no signal")
		case item.Text(signal.AttrGSISK) != signal.Clean:
			faults = append(faults, fmt.Sprintf("is %s", cmp.Or(item.Text(signal.AttrGSISK), "without a dirty bit")))
		}
		if there && value != recount[d] {
			faults = append(faults, fmt.Sprintf("shows %q, its pools say %q", value, recount[d]))
		}
		if want, ok := s.After[d]; ok && there && value != want {
			faults = append(faults, fmt.Sprintf("shows %q, %s says %q", value, season.AfterFile, want))
		}
		if len(faults) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s %s", s.ProductDate(d), strings.Join(faults, ", ")))
		}
	}
	return wrong
}

// wrongPools says of every pool that has not what the bookings must have left.
func wrongPools(s *season.Season, left map[season.Slot]int64) []string {
	want := s.Closing()
	var wrong []string
	for _, d := range s.Days() {
		for i, pool := range s.Products[d.Product].Pools {
			slot := season.Slot{Day: d, Pool: i}
			if n, ok := left[slot]; !ok {
				wrong = append(wrong, fmt.Sprintf("%s %s is gone", s.ProductDate(d), pool.Asset))
			} else if n != want[slot] {
				wrong = append(wrong, fmt.Sprintf("%s %s has %d left, the bookings leave %d", s.ProductDate(d), pool.Asset, n, want[slot]))
			}
		}
	}
	return wrong
}
