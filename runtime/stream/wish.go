package stream

import (
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// wish is what the platform's items call for at a date.
type wish struct {
	// present is whether there is to be a signal.
	present bool
	// unmet is why there can be none, nevertheless.
	unmet error
	terms dynamo.Terms
}

// expired is whether the date it is about is over.
func (w wish) expired(now time.Time) bool {
	return !w.terms.Expiry.IsZero() && !w.terms.Expiry.After(now)
}

// product is a product as it was read.
type product struct {
	signal.Product
	item signal.Item
	// zone is UTC where the product has none, and nil where it cannot be told.
	zone *time.Location
	// zoned is whether the product says in which zone it is.
	zoned bool
	fault error
}

func newProduct(p signal.Product, item signal.Item) product {
	out := product{Product: p, item: item}
	v := item[signal.AttrTimezone]
	name, isText := v.Text()
	switch {
	case !v.Exists(), v.IsNull(), isText && name == "":
		out.zone = time.UTC
	case !isText:
		out.fault = fmt.Errorf("the product's %s is no text", signal.AttrTimezone)
	default:
		out.zoned = true
		if out.zone, out.fault = signal.LoadZone(name); out.fault != nil {
			// Without the value, which is nobody's business but the table's.
			out.fault = fmt.Errorf("the product's %s: %w (zone data %s)", signal.AttrTimezone, signal.ErrUnknownZone, signal.ZoneVersion())
		}
	}
	return out
}

// today is the date now where the product is; where that cannot be told, the
// earliest that it is anywhere.
func (p product) today(now time.Time) signal.Date {
	if p.zone == nil || p.item == nil {
		return signal.DateOf(now.UTC().Add(-12 * time.Hour))
	}
	return signal.DateOf(now.In(p.zone))
}

// wish is what a date's item, nil if there is none, calls for.
func (p product) wish(date signal.Date, item signal.Item, d Defaults) wish {
	if signal.Deleted(p.item) || signal.Deleted(item) {
		return wish{}
	}
	w := wish{present: true, unmet: p.fault}
	if w.unmet != nil {
		return w
	}
	w.terms.Expiry = signal.Expiry(date, p.zone)
	w.terms.Pattern, w.terms.Bucket, w.unmet = d.choose(item[signal.AttrPattern], p.item[signal.AttrPattern])
	return w
}

// choose is the pattern and the bucket of the date, else of the product, else the
// default ones, each by itself.
func (d Defaults) choose(ofDate, ofProduct signal.Value) (p signal.Pattern, bucket string, err error) {
	chosen := false
	for _, from := range []struct {
		whose string
		v     signal.Value
	}{{"date", ofDate}, {"product", ofProduct}} {
		if !from.v.Exists() || from.v.IsNull() {
			continue
		}
		if !chosen {
			if p, err = signal.ParsePattern(from.v); err != nil {
				return p, "", fmt.Errorf("the %s's %s: %w", from.whose, signal.AttrPattern, err)
			}
			chosen = true
		}
		if bucket == "" {
			if bucket, err = bucketOf(from.v); err != nil {
				return p, "", fmt.Errorf("the %s's %s: %w", from.whose, signal.AttrPattern, err)
			}
		}
	}
	switch {
	case !chosen && d.Pattern == nil:
		return p, "", fmt.Errorf("neither the date nor its product has an %s, and there is no default one", signal.AttrPattern)
	case bucket == "" && d.Bucket == "":
		return p, "", fmt.Errorf("neither the date nor its product has a cadence, and there is no default bucket")
	case !chosen:
		p = *d.Pattern
	}
	if bucket == "" {
		bucket = d.Bucket
	}
	return p, bucket, nil
}
