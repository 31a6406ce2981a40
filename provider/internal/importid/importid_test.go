package importid_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/importid"
)

// Whatever is in the parts, they come back as they were.
func TestSplit_joined(t *testing.T) {
	t.Parallel()
	for _, parts := range [][]string{{"reservations", "5min"}, {"a/b", "%2F", "ä b", "", "::"}, {""}} {
		got, err := importid.Split(importid.Join(parts...), len(parts))
		if diff := cmp.Diff(parts, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func TestSplit_errors(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"":      "the id has 1 part, not 2; a slash inside a part is written %2F",
		"a/b/c": "the id has 3 parts, not 2; a slash inside a part is written %2F",
		"a/%zz": `part 2 of the id is not percent-escaped: invalid URL escape "%zz"`,
	} {
		if _, err := importid.Split(id, 2); err == nil || err.Error() != want {
			t.Errorf("Split(%q): %v, want %s", id, err, want)
		}
	}
}
