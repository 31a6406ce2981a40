package signal_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	provider "github.com/availability-signal/terraform-provider-availability/provider/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// An import id is read as a URL's path is, part by part, and written in one way.
func FuzzImportID(f *testing.F) {
	for _, id := range []string{
		"", "reservations/mockPark1/backcountryCamp/1/1/2026-07-01", "reservations/a%2Fb/c%20d/%C3%A9/1/2026-07-01",
		"reservations/a/b/c/d/2026-02-30", "reservations/a/b/c/d/", "re/a/b/c/d/2026-07-01", "reservations/a%3A%3Ab/c/d/e/2026-07-01",
		"reservations/%/b/c/d/2026-07-01", "reservations/a/b/c/d/e/2026-07-01", "reservations/%00/b/c/d/c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b",
	} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		table, p, last, err := provider.SplitID(id)
		if err != nil {
			if _, err := provider.ImportID(id); err == nil {
				t.Errorf("%q is a signal's and cannot be split", id)
			}
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q names what can have no signal: %v", id, err)
		}
		read := []string{table, p.CollectionID, p.ActivityType, p.ActivityID, p.ProductID, last}
		var parts []string
		for part := range strings.SplitSeq(id, "/") {
			text, err := url.PathUnescape(part)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, text)
		}
		if diff := cmp.Diff(parts, read); diff != "" {
			t.Errorf("the parts of %q (-as of a URL +got):\n%s", id, diff)
		}
		written := provider.JoinID(table, p, last)
		table2, p2, last2, err := provider.SplitID(written)
		if err != nil || table2 != table || p2 != p || last2 != last {
			t.Errorf("%q is written as %q, which reads as %q, %v, %q, %v", id, written, table2, p2, last2, err)
		}
		if again, err := provider.ImportID(id); err == nil {
			if d, err := signal.ParseDate(last); err != nil || again != provider.JoinID(table, p, d.String()) {
				t.Errorf("%q is written as %q, %v", id, again, err)
			}
		}
	})
}
