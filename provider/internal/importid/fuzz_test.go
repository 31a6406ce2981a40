package importid_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/importid"
)

// An import id is read as a URL's path is, part by part, and written in one way.
func FuzzSplit(f *testing.F) {
	for _, id := range []string{"", "reservations/5min", "res%2Fervations/5min", "reservations/", "/5min", "a/b/c", "%/5min", "a/%00", "%25/%2F"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		parts, err := importid.Split(id, 2)
		if err != nil {
			if len(parts) > 0 {
				t.Errorf("%q reads as %q, %v", id, parts, err)
			}
			return
		}
		first, second, _ := strings.Cut(id, "/")
		want := []string{first, second}
		for i := range want {
			if want[i], err = url.PathUnescape(want[i]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, parts); diff != "" {
			t.Errorf("the parts of %q (-as of a URL +got):\n%s", id, diff)
		}
		written := importid.Join(parts...)
		if again, err := importid.Split(written, 2); err != nil || !cmp.Equal(parts, again) {
			t.Errorf("%q is written as %q, which reads as %q, %v", id, written, again, err)
		}
	})
}
