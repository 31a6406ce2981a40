package source_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

func TestTemplate_key(t *testing.T) {
	for template, want := range map[string]string{
		source.DefaultPoolKey:                      july1.PoolPK(),
		source.DefaultUnitKey:                      "inventory::mockPark1::backcountryCamp::1::2::2026-07-01",
		"{date}#{productId}":                       "2026-07-01#2",
		"stock/{productId}/{collectionId}/{date}/": "stock/2/mockPark1/2026-07-01/",
	} {
		parsed, err := source.ParseTemplate(template)
		if err != nil {
			t.Errorf("%s: %v", template, err)
			continue
		}
		if got := parsed.Key(july1); got != want {
			t.Errorf("%s: got %s, want %s", template, got, want)
		}
	}
}

func TestTemplate_differentDatesHaveDifferentKeys(t *testing.T) {
	parsed, err := source.ParseTemplate(source.DefaultUnitKey)
	if err != nil {
		t.Fatal(err)
	}
	other := july1
	other.ActivityID, other.ProductID = "12", ""
	keys := map[string]signal.ProductDate{}
	for _, d := range []signal.ProductDate{july1, day(1), other} {
		if was, ok := keys[parsed.Key(d)]; ok {
			t.Errorf("%v and %v have the same key", was, d)
		}
		keys[parsed.Key(d)] = d
	}
}

func TestTemplate_unusable(t *testing.T) {
	for template, want := range map[string]string{
		"":                             "it has no {productId}, so that several signals would have one key",
		"pool":                         "it has no {productId}, so that several signals would have one key",
		"pool::{productId}":            "it has no {date}, so that several signals would have one key",
		"pool::{date}":                 "it has no {productId}, so that several signals would have one key",
		"pool::{product}::{date}":      "{product} is no field: expected {collectionId}, {activityType}, {activityId}, {productId} or {date}",
		"pool::{}::{date}":             "{} is no field: expected {collectionId}, {activityType}, {activityId}, {productId} or {date}",
		"pool::{ProductId}::{date}":    "{ProductId} is no field: expected {collectionId}, {activityType}, {activityId}, {productId} or {date}",
		"{date}::{productId}::{date}":  "{date} is there twice",
		"pool::{activityId}{date}":     "{date} follows another field at once, so that two products may have one key",
		"pool::{productId::{date}":     "{productId::{date} is no field: expected {collectionId}, {activityType}, {activityId}, {productId} or {date}",
		"pool::{productId}::{date":     `a "{" has no "}" after it`,
		"pool::productId}::{date}":     `a "}" has no "{" before it`,
		"pool::{productId}::{date}\n":  "it has control characters",
		strings.Repeat("pool::", 100):  "it has 600 bytes, of 512 at most",
		"pool::{productId}::{date}}::": `a "}" has no "{" before it`,
	} {
		_, err := source.ParseTemplate(template)
		if !errors.Is(err, source.ErrTemplate) || err.Error() != "unusable key template: "+want {
			t.Errorf("%q:\n got %v\nwant %s", template, err, want)
		}
	}
}

// A template that is accepted keeps two dates of different products apart, and is
// what a plain replacement of its fields makes of it.
func FuzzParseTemplate(f *testing.F) {
	for _, template := range []string{
		source.DefaultPoolKey, source.DefaultUnitKey, "{date}#{productId}", "stock/{productId}/{collectionId}/{date}/", "{}", "{{productId}}{date}", "a}b{",
	} {
		f.Add(template, "mockPark1", "1", "2")
	}
	f.Fuzz(func(t *testing.T, text, collection, product, other string) {
		parsed, err := source.ParseTemplate(text)
		if err != nil {
			if !errors.Is(err, source.ErrTemplate) || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%q: %q", text, err)
			}
			return
		}
		d := july1
		d.CollectionID, d.ProductID = collection, product
		if d.Validate() != nil {
			return
		}
		want := strings.NewReplacer(
			"{collectionId}", d.CollectionID, "{activityType}", d.ActivityType, "{activityId}", d.ActivityID,
			"{productId}", d.ProductID, "{date}", d.Date.String(),
		).Replace(text)
		if got := parsed.Key(d); got != want {
			t.Errorf("%q makes %q, want %q", text, got, want)
		}
		next, sibling := d, d
		next.Date = d.Date.AddDays(1)
		sibling.ProductID = other
		if parsed.Key(next) == parsed.Key(d) || sibling != d && parsed.Key(sibling) == parsed.Key(d) {
			t.Errorf("%q makes %q of two", text, parsed.Key(d))
		}
	})
}
