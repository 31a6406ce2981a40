package source_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

func template(t testing.TB, text string) source.Template {
	t.Helper()
	parsed, err := source.ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestTemplate_dates(t *testing.T) {
	const whole = "stock/{productId}/{date}/{collectionId}/{activityType}/{activityId}"
	for name, tt := range map[string]struct {
		template, key string
		want          []string
	}{
		"the contract's pool":             {source.DefaultPoolKey, july1.PoolPK(), []string{"mockPark1/backcountryCamp/1/2 2026-07-01"}},
		"another order":                   {whole, "stock/2/2026-07-01/mockPark1/backcountryCamp/1", []string{"mockPark1/backcountryCamp/1/2 2026-07-01"}},
		"the date before a field":         {"{date}#{collectionId}#{activityType}#{activityId}#{productId}", "2026-07-01#a#b#c#d", []string{"a/b/c/d 2026-07-01"}},
		"text at the end":                 {"{collectionId}#{activityType}#{activityId}#{productId}#{date}#stock", "a#b#c#d#2026-07-01#stock", []string{"a/b/c/d 2026-07-01"}},
		"a separator within a part":       {whole, "stock/2/2026-07-01/a/b/c/d", []string{"a/b/c/d/2 2026-07-01", "a/b/c/d/2 2026-07-01", "a/b/c/d/2 2026-07-01"}},
		"another beginning":               {whole, "booking/2/2026-07-01/mockPark1/backcountryCamp/1", nil},
		"no beginning, and another shape": {"{collectionId}#{activityType}#{activityId}#{productId}#{date}", "settings", nil},
		"no beginning, and no date":       {"{collectionId}#{activityType}#{activityId}#{productId}#{date}", "a#b#c#d#today", nil},
	} {
		t.Run(name, func(t *testing.T) {
			dates, err := template(t, tt.template).Dates(tt.key)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range dates {
				got = append(got, d.String())
				if key := template(t, tt.template).Key(d); key != tt.key {
					t.Errorf("%s has the key %q", d, key)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTemplate_unreadableKeys(t *testing.T) {
	const dashes = "pool-{collectionId}-{activityType}-{activityId}-{productId}-{date}"
	for name, tt := range map[string]struct {
		template, key string
		kind          error
		says          string
	}{
		"no date":        {source.DefaultPoolKey, "inventoryPool::a::b::c::d::today", signal.ErrKey, "begins as the key template does, and cannot be read by it"},
		"an empty part":  {source.DefaultPoolKey, "inventoryPool::a::::c::d::2026-07-01", signal.ErrKey, "cannot be read by it"},
		"too many ways":  {dashes, "pool" + strings.Repeat("-a", 40) + "-2026-07-01", signal.ErrKey, "in more than 16 ways"},
		"a long search":  {dashes, "pool" + strings.Repeat("-a", 900) + "-today", signal.ErrKey, "in more than 16 ways"},
		"a field lacked": {"pool::{productId}::{date}", "pool::1::2026-07-01", source.ErrTemplate, "it has no {collectionId}, so that key \"pool::1::2026-07-01\" does not say which signal is to be flipped"},
	} {
		t.Run(name, func(t *testing.T) {
			dates, err := template(t, tt.template).Dates(tt.key)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) || len(dates) > 0 {
				t.Errorf("got %v, %v", dates, err)
			}
		})
	}
}

// Whatever the template, the date that a key was made of is among those that it is
// read as.
func FuzzTemplate_dates(f *testing.F) {
	f.Add(source.DefaultUnitKey, "mockPark1", "backcountryCamp", "1", "2")
	f.Add("{date}-{productId}-{activityId}-{collectionId}-{activityType}", "a-b", "c", "d", "e-")
	f.Fuzz(func(t *testing.T, text, collection, activity, id, product string) {
		parsed, err := source.ParseTemplate(text)
		d := signal.ProductDate{Product: signal.Product{CollectionID: collection, ActivityType: activity, ActivityID: id, ProductID: product}, Date: july1.Date}
		if err != nil || d.Validate() != nil {
			t.Skip()
		}
		dates, err := parsed.Dates(parsed.Key(d))
		if err != nil {
			t.Skip() // a field that the template lacks, or too many readings
		}
		for _, got := range dates {
			if got == d {
				return
			}
		}
		t.Errorf("%q is not among the dates of %q: %v", d, parsed.Key(d), dates)
	})
}
