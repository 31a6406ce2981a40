package cadencebucket_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/cadencebucket"
)

// An import id is read as a URL's path is, part by part, and written in one way.
func FuzzImportID(f *testing.F) {
	for _, id := range []string{"", "reservations/5min", "res%2Fervations/5min", "reservations/", "/5min", "a/b/c", "%/5min", "a/%00", "%25/%2F"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		table, name, err := cadencebucket.SplitID(id)
		if err != nil {
			return
		}
		escapedTable, escapedName, _ := strings.Cut(id, "/")
		wantTable, err := url.PathUnescape(escapedTable)
		wantName, err2 := url.PathUnescape(escapedName)
		if err != nil || err2 != nil || table != wantTable || name != wantName || table == "" || name == "" {
			t.Errorf("%q reads as %q and %q", id, table, name)
		}
		written := cadencebucket.JoinID(table, name)
		if table2, name2, err := cadencebucket.SplitID(written); err != nil || table2 != table || name2 != name {
			t.Errorf("%q is written as %q, which reads as %q and %q, %v", id, written, table2, name2, err)
		}
	})
}
