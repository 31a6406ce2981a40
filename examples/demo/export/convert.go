package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// lasts is how many seconds the bookings are spread over.
const lasts = 20 * 60

// exported is what the demo's folder is made of.
type exported struct {
	products []map[string]any
	// taken are the places that are not available, by product, day and pool.
	taken []booking
}

// booking is a pool of a date, and how much of it is taken.
type booking struct {
	product, day, pool int
	places             int64
}

// pool is an item of inventory.
type pool struct {
	date                signal.Date
	asset               string
	capacity, available int64
}

// convert makes products of items, with the pools that their dates have, and says what
// it has left out. A pool is as large on each date as on its largest: what a date has
// less is taken.
func convert(products, pools []map[string]any) (exported, []string) {
	var out exported
	var skipped []string
	of := map[signal.Product][]pool{}
	for _, item := range pools {
		product, p, err := readPool(item)
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("left out pool %v %v: %v", item["pk"], item["sk"], err))
			continue
		}
		of[product] = append(of[product], p)
	}
	for _, item := range products {
		name := fmt.Sprintf("product %v %v", item["pk"], item["sk"])
		pk, _ := item["pk"].(string)
		sk, _ := item["sk"].(string)
		product, err := signal.ParsePK(signal.SchemaSignal + strings.TrimPrefix(pk, "product") + "::" + sk)
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("left out %s: %v", name, err))
			continue
		}
		start, errStart := date(item["rangeStart"])
		end, errEnd := date(item["rangeEnd"])
		if err := errors.Join(errStart, errEnd); err != nil {
			skipped = append(skipped, fmt.Sprintf("left out %s: rangeStart and rangeEnd: %v", name, err))
			continue
		}
		out.add(product, item, of[product], start, end)
	}
	return out, skipped
}

// add adds a product and what is taken of it.
func (e *exported) add(product signal.Product, item map[string]any, pools []pool, start, end signal.Date) {
	largest := map[string]int64{}
	for _, p := range pools {
		largest[p.asset] = max(largest[p.asset], p.capacity, p.available)
	}
	assets, list := []string{}, []map[string]any{}
	for asset := range largest {
		assets = append(assets, asset)
	}
	slices.Sort(assets)
	for _, asset := range assets {
		list = append(list, map[string]any{"asset": asset, "capacity": largest[asset]})
	}
	for _, p := range pools {
		places := largest[p.asset] - max(0, p.available)
		if p.date.Compare(start) < 0 || p.date.Compare(end) > 0 || places == 0 {
			continue
		}
		e.taken = append(e.taken, booking{len(e.products), start.DaysUntil(p.date), slices.Index(assets, p.asset), places})
	}
	made := map[string]any{
		"collectionId": product.CollectionID, "activityType": product.ActivityType, "activityId": product.ActivityID, "productId": product.ProductID,
		"rangeStart": start.String(), "rangeEnd": end.String(), "pools": list,
	}
	for _, name := range []string{"displayName", "timezone", "availabilityEstimationPattern"} {
		if v := item[name]; v != nil {
			made[name] = v
		}
	}
	e.products = append(e.products, made)
}

// morning books what is taken, evenly over its time and from the first date to the
// last: a table does not say in which order it was booked.
func (e *exported) morning() []byte {
	slices.SortFunc(e.taken, func(a, b booking) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.product, b.product), cmp.Compare(a.pool, b.pool))
	})
	var b bytes.Buffer
	fmt.Fprintln(&b, "second,product,day,pool,change")
	for i, t := range e.taken {
		fmt.Fprintf(&b, "%d,%d,%d,%d,%d\n", i*lasts/len(e.taken), t.product, t.day, t.pool, -t.places)
	}
	return b.Bytes()
}

func readPool(item map[string]any) (signal.Product, pool, error) {
	pk, _ := item["pk"].(string)
	asset, _ := item["sk"].(string)
	parts, on, _ := cutLast(strings.TrimPrefix(pk, "inventoryPool"), "::")
	product, err := signal.ParsePK(signal.SchemaSignal + parts)
	if err != nil {
		return product, pool{}, err
	}
	p := pool{asset: asset}
	if p.date, err = signal.ParseDate(on); err != nil {
		return product, p, err
	}
	capacity, errCapacity := whole(item["capacity"])
	available, errAvailable := whole(item["availability"])
	p.capacity, p.available = capacity, available
	return product, p, errors.Join(errCapacity, errAvailable)
}

func cutLast(s, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

func whole(v any) (int64, error) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, fmt.Errorf("expected a number, found %v", v)
	}
	return n.Int64()
}

func date(v any) (signal.Date, error) {
	s, ok := v.(string)
	if !ok {
		return signal.Date{}, fmt.Errorf("expected a date, found %v", v)
	}
	return signal.ParseDate(s)
}
