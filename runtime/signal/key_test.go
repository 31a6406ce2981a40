package signal_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func product(collection, activityType, activity, id string) signal.Product {
	return signal.Product{CollectionID: collection, ActivityType: activityType, ActivityID: activity, ProductID: id}
}

func TestProductDate_keys(t *testing.T) {
	t.Parallel()
	day := signal.ProductDate{Product: product("mockPark1", "backcountryCamp", "1", "2"), Date: signal.Date{Year: 2026, Month: 7, Day: 1}}
	wantKey := signal.Key{PK: "availabilitySignal::mockPark1::backcountryCamp::1::2", SK: "2026-07-01"}
	if got := day.Key(); got != wantKey {
		t.Errorf("Key() = %v, want %v", got, wantKey)
	}
	for got, want := range map[string]string{
		day.PK():             wantKey.PK,
		day.PoolPK():         "inventoryPool::mockPark1::backcountryCamp::1::2::2026-07-01",
		day.String():         "mockPark1/backcountryCamp/1/2 2026-07-01",
		day.Product.String(): "mockPark1/backcountryCamp/1/2",
		day.Key().String():   "availabilitySignal::mockPark1::backcountryCamp::1::2 2026-07-01",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestParsePK(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pk   string
		want signal.Product
	}{
		{"availabilitySignal::mockPark1::backcountryCamp::1::1", product("mockPark1", "backcountryCamp", "1", "1")},
		// The slip of real data: one colon between the last two parts.
		{"availabilitySignal::mockPark1::backcountryCamp::1:1", product("mockPark1", "backcountryCamp", "1", "1")},
		{"availabilitySignal::bcparks_250::dayuse::12:north-loop", product("bcparks_250", "dayuse", "12", "north-loop")},
		// A single colon within one of four parts is the part's own.
		{"availabilitySignal::a:b::c::d:e::f", product("a:b", "c", "d:e", "f")},
		{"availabilitySignal::Parc Côtier::camping::été::日", product("Parc Côtier", "camping", "été", "日")},
	}
	for _, tt := range tests {
		t.Run(tt.pk, func(t *testing.T) {
			t.Parallel()
			got, err := signal.ParsePK(tt.pk)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("product (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParsePK_invalid(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, pk, want string }{
		{"empty", "", `invalid signal key "": expected it to begin with "availabilitySignal::"`},
		{"another schema", "product::a::b::c", `invalid signal key "product::a::b::c": expected it to begin with "availabilitySignal::"`},
		{"one colon after the prefix", "availabilitySignal:a::b::c::d", `invalid signal key "availabilitySignal:a::b::c::d": expected it to begin with "availabilitySignal::"`},
		{"three parts", "availabilitySignal::a::b::c", `invalid signal key "availabilitySignal::a::b::c": expected four parts after "availabilitySignal::", found 3`},
		{"three parts, two single colons", "availabilitySignal::a::b::c:d:e", `invalid signal key "availabilitySignal::a::b::c:d:e": expected four parts after "availabilitySignal::", found 3`},
		{"a slip elsewhere", "availabilitySignal::a:b::c::d", `invalid signal key "availabilitySignal::a:b::c::d": expected four parts after "availabilitySignal::", found 3`},
		{"five parts", "availabilitySignal::a::b::c::d::e", `invalid signal key "availabilitySignal::a::b::c::d::e": expected four parts after "availabilitySignal::", found 5`},
		{"an empty part", "availabilitySignal::a::::c::d", `key "availabilitySignal::a::::c::d": activity_type "" must not be empty`},
		{"a slip with an empty part", "availabilitySignal::a::b::c:", `key "availabilitySignal::a::b::c:": product_id "" must not be empty`},
		{"three colons", "availabilitySignal::a::b:::c::d", `key "availabilitySignal::a::b:::c::d": activity_id ":c" must not begin or end with ":", which would run into the separator "::"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := signal.ParsePK(tt.pk)
			if !errors.Is(err, signal.ErrKey) {
				t.Fatalf("ParsePK() = %v, %v, want ErrKey", got, err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProduct_validate(t *testing.T) {
	t.Parallel()
	const (
		empty     = "must not be empty"
		separated = `must not contain "::", which separates the parts of a key`
		runsInto  = `must not begin or end with ":", which would run into the separator "::"`
		control   = "must not contain control characters"
	)
	tests := []struct {
		name    string
		product signal.Product
		want    *signal.PartError
	}{
		{"good", product("mockPark1", "dayuse", "1", "1"), nil},
		{"spaces, slashes and single colons are good", product("mock Park", "day/use", "a:b", "100%"), nil},
		{"empty", product("", "b", "c", "d"), &signal.PartError{Part: "collection_id", Reason: empty}},
		{"separator", product("a", "b::b", "c", "d"), &signal.PartError{Part: "activity_type", Value: "b::b", Reason: separated}},
		{"leading colon", product("a", "b", ":c", "d"), &signal.PartError{Part: "activity_id", Value: ":c", Reason: runsInto}},
		{"trailing colon", product("a", "b", "c", "d:"), &signal.PartError{Part: "product_id", Value: "d:", Reason: runsInto}},
		{"a colon alone", product("a", "b", "c", ":"), &signal.PartError{Part: "product_id", Value: ":", Reason: runsInto}},
		{"line feed", product("a\nb", "b", "c", "d"), &signal.PartError{Part: "collection_id", Value: "a\nb", Reason: control}},
		{"NUL", product("a", "b", "c", "d\x00"), &signal.PartError{Part: "product_id", Value: "d\x00", Reason: control}},
		{"delete", product("a", "b", "c", "d\x7f"), &signal.PartError{Part: "product_id", Value: "d\x7f", Reason: control}},
		{"next line", product("a", "b", "c", "d\u0085"), &signal.PartError{Part: "product_id", Value: "d\u0085", Reason: control}},
		{"bad UTF-8", product("a", "b", "c", "d\xff"), &signal.PartError{Part: "product_id", Value: "d\xff", Reason: "must be valid UTF-8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.product.Validate()
			if tt.want == nil {
				if err != nil {
					t.Errorf("Validate() = %v", err)
				}
				return
			}
			var got *signal.PartError
			if !errors.As(err, &got) || !errors.Is(err, signal.ErrKey) {
				t.Fatalf("Validate() = %v, want a PartError that is ErrKey", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// DynamoDB takes 2,048 bytes of partition key, of which availabilitySignal and the
// separators take 26, and inventoryPool, the separators and the date 33.
func TestProduct_validateLength(t *testing.T) {
	t.Parallel()
	longest := product("a", "b", "c", strings.Repeat("d", 2048-33-3))
	if err := longest.Validate(); err != nil {
		t.Errorf("Validate() of the longest = %v", err)
	}
	day := signal.ProductDate{Product: longest, Date: signal.Date{Year: 2026, Month: 7, Day: 1}}
	if n := len(day.PoolPK()); n != 2048 {
		t.Errorf("the longest pool key has %d bytes, want 2048", n)
	}
	longest.ProductID += "d"
	if err := longest.Validate(); !errors.Is(err, signal.ErrKey) {
		t.Errorf("Validate() of one byte more = %v, want ErrKey", err)
	}
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	want := signal.ProductDate{Product: product("a", "b", "1", "2"), Date: signal.Date{Year: 2026, Month: 7, Day: 1}}
	got, err := signal.ParseKey(signal.Key{PK: "availabilitySignal::a::b::1:2", SK: "2026-07-01"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("key (-want +got):\n%s", diff)
	}
	if _, err := signal.ParseKey(signal.Key{PK: "availabilitySignal::a::b", SK: "2026-07-01"}); !errors.Is(err, signal.ErrKey) {
		t.Errorf("a bad pk: %v, want ErrKey", err)
	}
	if _, err := signal.ParseKey(signal.Key{PK: want.PK(), SK: "cadenceBucket"}); !errors.Is(err, signal.ErrDate) {
		t.Errorf("a bad sk: %v, want ErrDate", err)
	}
}

func FuzzParsePK(f *testing.F) {
	for _, pk := range []string{
		"", "availabilitySignal::", "availabilitySignal::a::b::c::d", "availabilitySignal::a::b::c:d",
		"availabilitySignal::a:::b::c::d", "availabilitySignal::a::b::c::d\x00", "availabilitySignal::::::::", "availabilitySignal::a::b::\xff::d",
	} {
		f.Add(pk)
	}
	f.Fuzz(func(t *testing.T, pk string) {
		p, err := signal.ParsePK(pk)
		if err != nil {
			if !errors.Is(err, signal.ErrKey) {
				t.Errorf("ParsePK(%q) = %v, want ErrKey", pk, err)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("ParsePK(%q) is invalid: %v", pk, err)
		}
		// Only the slip's single colon may have been written differently.
		if slip := "availabilitySignal::" + strings.Join([]string{p.CollectionID, p.ActivityType, p.ActivityID + ":" + p.ProductID}, "::"); p.PK() != pk && slip != pk {
			t.Errorf("ParsePK(%q).PK() = %q", pk, p.PK())
		}
		again, err := signal.ParsePK(p.PK())
		if err != nil || again != p {
			t.Errorf("ParsePK(%q) = %v, %v, want %v", p.PK(), again, err, p)
		}
	})
}
