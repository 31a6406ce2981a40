package signal_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// vectors are what every implementation in every language must agree on. Nothing
// in the file was made by this package: the hashes follow from the definition of
// FNV-1a, the instants from the release of tzdata that zones come from, as Python's
// zoneinfo reads it, and the tiers from fractions.
type vectors struct {
	Keys []struct {
		Product signal.Product
		Date    string
		signal.Key
	}
	InvalidKeys []struct {
		Product   signal.Product
		Date, Why string
	}
	Shards []struct {
		signal.Key
		Bucket string
		Shards int
		GSIPK  string
	}
	Expiries []struct {
		Date, TimeZone, Expiry string
		TTL                    int64
	}
	Tiers []struct {
		Pattern struct {
			EstimationMode signal.Mode
			Tiers          []struct {
				ID            string
				MaxPercentage json.Number
			}
		}
		Available, Capacity int64
		Value               string
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Keys) == 0 || len(all.InvalidKeys) == 0 || len(all.Shards) == 0 || len(all.Expiries) == 0 || len(all.Tiers) == 0 {
		t.Fatalf("a kind of vector is missing: %+v", all)
	}
	for _, v := range all.Keys {
		date, err := signal.ParseDate(v.Date)
		day := signal.ProductDate{Product: v.Product, Date: date}
		if err != nil || v.Product.Validate() != nil || day.Key() != v.Key {
			t.Errorf("the key of %s is %q, want %q (%v, %v)", day, day.Key(), v.Key, err, v.Product.Validate())
		}
		if back, err := signal.ParseKey(v.Key); err != nil || back != day {
			t.Errorf("%q is read as %+v, %v", v.Key, back, err)
		}
	}
	for _, v := range all.InvalidKeys {
		if _, err := signal.ParseDate(v.Date); err == nil && v.Product.Validate() == nil {
			t.Errorf("%s is taken: %+v on %q", v.Why, v.Product, v.Date)
		}
	}
	for _, v := range all.Shards {
		if got := (signal.Bucket{Name: v.Bucket, Shards: v.Shards}).GSIPK(v.Key); got != v.GSIPK {
			t.Errorf("with %d shards %q belongs to %q, want %q", v.Shards, v.Key, got, v.GSIPK)
		}
	}
	for _, v := range all.Expiries {
		zone, err := signal.LoadZone(v.TimeZone)
		if err != nil {
			t.Fatal(err)
		}
		date, err := signal.ParseDate(v.Date)
		if err != nil {
			t.Fatal(err)
		}
		expiry := signal.Expiry(date, zone)
		if got := signal.FormatInstant(expiry); got != v.Expiry || protocol.TTL(expiry) != v.TTL {
			t.Errorf("%s in %s ends at %s (%d), want %s (%d)", v.Date, v.TimeZone, got, protocol.TTL(expiry), v.Expiry, v.TTL)
		}
	}
	for _, v := range all.Tiers {
		pattern := signal.Pattern{Mode: v.Pattern.EstimationMode}
		if pattern.Mode == signal.Tiered {
			pattern.Tiers = signal.DefaultTiers()
		}
		if given := v.Pattern.Tiers; given != nil {
			pattern.Tiers = nil
			for _, tier := range given {
				bound, err := signal.ParseFraction(tier.MaxPercentage.String())
				if err != nil {
					t.Fatal(err)
				}
				pattern.Tiers = append(pattern.Tiers, signal.Tier{ID: tier.ID, MaxPercentage: bound})
			}
		}
		if err := pattern.Validate(); err != nil {
			t.Fatal(err)
		}
		if got, _ := pattern.Cache(signal.Estimate{Available: v.Available, Capacity: v.Capacity}); got != v.Value {
			t.Errorf("%d of %d is %q under %+v, want %q", v.Available, v.Capacity, got, v.Pattern, v.Value)
		}
	}
}
