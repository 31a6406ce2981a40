package signal_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var loop = signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "2"}

func TestParseOrigin(t *testing.T) {
	t.Parallel()
	july := signal.ProductDate{Product: loop, Date: signal.Date{Year: 2026, Month: time.July, Day: 1}}
	for name, tt := range map[string]struct {
		pk, sk string
		want   signal.Origin
	}{
		"a pool":              {"inventoryPool::mockPark1::backcountryCamp::1::2::2026-07-01", "asset::7", signal.Origin{Kind: signal.OfInventory, ProductDate: july}},
		"a pool, slipped":     {"inventoryPool::mockPark1::backcountryCamp::1:2::2026-07-01", "asset::7", signal.Origin{Kind: signal.OfInventory, ProductDate: july}},
		"a unit":              {"inventory::mockPark1::backcountryCamp::1::2::2026-07-01", "site 9", signal.Origin{Kind: signal.OfInventory, ProductDate: july}},
		"a date":              {"productDate::mockPark1::backcountryCamp::1::2", "2026-07-01", signal.Origin{Kind: signal.OfProductDate, ProductDate: july}},
		"a date, slipped":     {"productDate::mockPark1::backcountryCamp::1:2", "2026-07-01", signal.Origin{Kind: signal.OfProductDate, ProductDate: july}},
		"a product":           {"product::mockPark1::backcountryCamp::1", "2", signal.Origin{Kind: signal.OfProduct, ProductDate: signal.ProductDate{Product: loop}}},
		"a signal":            {"availabilitySignal::mockPark1::backcountryCamp::1::2", "2026-07-01", signal.Origin{}},
		"a bucket":            {"cadenceBucket::5min", "cadenceBucket", signal.Origin{}},
		"something else":      {"booking::17", "x", signal.Origin{}},
		"a longer word":       {"productReview::mockPark1::backcountryCamp::1", "2", signal.Origin{}},
		"nothing":             {"", "", signal.Origin{}},
		"another inventory's": {"inventoryPoolTemplate::mockPark1", "2", signal.Origin{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := signal.ParseOrigin(signal.Key{PK: tt.pk, SK: tt.sk})
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParseOrigin_unusable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pk, sk string
		want   error
	}{
		"a pool without a date":       {"inventoryPool::mockPark1::backcountryCamp::1::2", "x", signal.ErrKey},
		"a pool of no date":           {"inventoryPool::mockPark1::backcountryCamp::1::2::2026-02-30", "x", signal.ErrDate},
		"a unit of five parts":        {"inventory::a::b::c::d::e::2026-07-01", "x", signal.ErrKey},
		"a unit with an empty part":   {"inventory::a::::c::d::2026-07-01", "x", signal.ErrKey},
		"a date that is none":         {"productDate::a::b::c::d", "tomorrow", signal.ErrDate},
		"a date of three parts":       {"productDate::a::b::c", "2026-07-01", signal.ErrKey},
		"a product of two parts":      {"product::a::b", "c::d", signal.ErrKey},
		"a product of slipped parts":  {"product::a::b", "c:d", signal.ErrKey},
		"a product without an id":     {"product::a::b::c", "", signal.ErrKey},
		"a product that is a prefix":  {"product", "2", signal.ErrKey},
		"a pool that is a prefix":     {"inventoryPool", "2", signal.ErrKey},
		"a product of too many parts": {"product::a::b::c::d", "2", signal.ErrKey},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := signal.ParseOrigin(signal.Key{PK: tt.pk, SK: tt.sk}); !errors.Is(err, tt.want) {
				t.Errorf("%+v, error %v, want %v", got, err, tt.want)
			}
		})
	}
}

// What a product's keys say is what is read back from them.
func TestProduct_platformKeys(t *testing.T) {
	t.Parallel()
	if got := loop.ItemKey(); got != (signal.Key{PK: "product::mockPark1::backcountryCamp::1", SK: "2"}) {
		t.Errorf("item key %q", got)
	}
	want := [2]string{"productDate::mockPark1::backcountryCamp::1::2", "productDate::mockPark1::backcountryCamp::1:2"}
	if got := loop.DatePKs(); got != want {
		t.Errorf("partitions of dates %q", got)
	}
}

func FuzzParseOrigin(f *testing.F) {
	f.Add("inventoryPool::mockPark1::backcountryCamp::1::2::2026-07-01", "x")
	f.Add("productDate::mockPark1::backcountryCamp::1:2", "2026-07-01")
	f.Add("product::mockPark1::backcountryCamp::1", "2")
	f.Fuzz(func(t *testing.T, pk, sk string) {
		o, err := signal.ParseOrigin(signal.Key{PK: pk, SK: sk})
		if err != nil || o.Kind == signal.NoOrigin {
			return
		}
		if err := o.Validate(); err != nil {
			t.Fatalf("%q %q has an unusable product: %v", pk, sk, err)
		}
		if o.Kind == signal.OfProduct {
			if got := o.ItemKey(); got != (signal.Key{PK: pk, SK: sk}) {
				t.Errorf("%q %q became %q", pk, sk, got)
			}
			return
		}
		if again, err := signal.ParseKey(o.Key()); err != nil || again != o.ProductDate {
			t.Errorf("%q %q has the signal %q, which reads as %v, %v", pk, sk, o.Key(), again, err)
		}
	})
}

func TestDeleted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		item signal.Item
		want bool
	}{
		"no item":        {nil, true},
		"says nothing":   {signal.Item{}, false},
		"null":           {signal.Item{"isDeleted": signal.Null()}, false},
		"true":           {signal.Item{"isDeleted": signal.Bool(true)}, true},
		"false":          {signal.Item{"isDeleted": signal.Bool(false)}, false},
		"true as text":   {signal.Item{"isDeleted": signal.S("True")}, true},
		"false as text":  {signal.Item{"isDeleted": signal.S("false")}, false},
		"empty text":     {signal.Item{"isDeleted": signal.S("")}, false},
		"1":              {signal.Item{"isDeleted": signal.N(1)}, true},
		"1 as text":      {signal.Item{"isDeleted": signal.S("1")}, true},
		"0":              {signal.Item{"isDeleted": signal.N(0)}, false},
		"something else": {signal.Item{"isDeleted": signal.M(nil)}, false},
	} {
		if got := signal.Deleted(tt.item); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestKey_own(t *testing.T) {
	for pk, want := range map[string]bool{
		"availabilitySignal::a::b::c::d": true, "cadenceBucket::5min": true, "cadenceBucket::5min::3": true,
		"inventoryPool::a::b::c::d::2026-07-01": false, "availabilitySignals": false, "": false,
	} {
		if got := (signal.Key{PK: pk, SK: "x"}).Own(); got != want {
			t.Errorf("%q: %v", pk, got)
		}
	}
}
