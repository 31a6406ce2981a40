package read

import (
	"context"
	"strconv"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Reading is a signal as an application sees it.
type Reading struct {
	signal.ProductDate
	GlobalID string
	// Bucket is the name of the bucket that checks it; "" if its gsipk is none's.
	Bucket string
	// Value is the cached availability; "" if it is Unknown or Expired.
	Value string
	// AsOf is when the read of the inventory behind Value began; zero if it is not
	// known, as for an initial value.
	AsOf time.Time
	// DirtySince is when the change was made that makes it Pending; zero if it is
	// not, or that is not known.
	DirtySince time.Time
	// Expiry is when it expires; zero for never.
	Expiry time.Time

	// Pending, Stale, Unknown and Expired are as the package says.
	Pending, Stale, Unknown, Expired bool
	// Missing says that there is no such signal; it is Unknown too.
	Missing bool
}

// Fresh is whether nothing is to be said against the value.
func (r Reading) Fresh() bool { return !r.Pending && !r.Stale && !r.Unknown && !r.Expired }

// attrs are what of an item a reading is made from.
func attrs() []string {
	return []string{
		signal.AttrSchema, signal.AttrGlobalID, signal.AttrGSIPK, signal.AttrGSISK, signal.AttrValue,
		signal.AttrLastUpdatedAt, signal.AttrDirtySince, signal.AttrExpiry, signal.AttrTTL,
	}
}

// Attrs are the attributes of an item, beside its key, that Parse reads.
func Attrs() []string { return attrs() }

// Parse is a signal's reading, of an item that was read otherwise; bucket says how
// the bucket of that name goes. ok is false if the item is no signal.
func Parse(item signal.Item, bucket func(name string) Bucket, now time.Time) (r Reading, ok bool) {
	if r, ok = parse(item); ok {
		r.judge(bucket(r.Bucket), now)
	}
	return r, ok
}

// parse reads an item; ok is false if it is no signal. Whether it has expired or
// is stale is still to be judged, for which Expiry has the earlier of its two
// ends.
func parse(item signal.Item) (Reading, bool) {
	d, err := signal.ParseKey(item.Key())
	if err != nil || item.Text(signal.AttrSchema) != signal.SchemaSignal {
		return Reading{}, false
	}
	r := Reading{
		ProductDate: d,
		GlobalID:    item.Text(signal.AttrGlobalID),
		Value:       item.Text(signal.AttrValue),
		Pending:     item.Text(signal.AttrGSISK) == signal.Dirty,
	}
	r.Bucket, _, _ = signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	r.Unknown = r.Value == ""
	r.AsOf = instant(item, signal.AttrLastUpdatedAt)
	if r.Pending {
		r.DirtySince = instant(item, signal.AttrDirtySince)
	}
	r.Expiry = instant(item, signal.AttrExpiry)
	if ttl := epoch(item[signal.AttrTTL]); !ttl.IsZero() && (r.Expiry.IsZero() || ttl.Before(r.Expiry)) {
		r.Expiry = ttl
	}
	return r, true
}

// lastSecond is that of the last year that there is a text for.
const lastSecond = 253402300799

// epoch is the instant of a ttl, of which others may have written a part of a second
// as well; zero if it is none, or so late that it is never.
func epoch(ttl signal.Value) time.Time {
	text, _ := ttl.Number()
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds > lastSecond {
		return time.Time{}
	}
	return time.UnixMilli(int64(1000 * max(seconds, 0))).UTC()
}

func instant(item signal.Item, name string) time.Time {
	at, err := signal.ParseInstant(item.Text(name))
	if err != nil {
		return time.Time{}
	}
	return at
}

// judge says of readings what their bucket and the time make of them.
func (r *Reader) judge(ctx context.Context, readings []Reading) error {
	var names []string
	for _, reading := range readings {
		if reading.Bucket != "" {
			names = append(names, reading.Bucket)
		}
	}
	buckets, err := r.recall(ctx, names)
	if err != nil {
		return err
	}
	now := r.now()
	for i := range readings {
		readings[i].judge(buckets[readings[i].Bucket], now)
	}
	return nil
}

func (r *Reading) judge(b Bucket, now time.Time) {
	if r.Missing {
		return
	}
	r.Expired = !r.Expiry.IsZero() && !r.Expiry.After(now)
	if r.Expired {
		r.Value = ""
	}
	r.Stale = b.Stale(now) || !r.DirtySince.IsZero() && b.late(r.DirtySince, now)
}
