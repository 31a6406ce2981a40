// Package importid is the form that the import ids of all resources have.
package importid

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

// Join is the id of those parts: percent-escaped, between slashes.
func Join(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return strings.Join(escaped, "/")
}

// Split is the n parts of an id. The error says what is wrong with the id, without
// naming it.
func Split(id string, n int) ([]string, error) {
	parts := strings.Split(id, "/")
	if len(parts) != n {
		return nil, fmt.Errorf("the id has %s, not %d; a slash inside a part is written %%2F", diagnose.Count(len(parts), "part"), n)
	}
	for i, part := range parts {
		unescaped, err := url.PathUnescape(part)
		if err != nil {
			return nil, fmt.Errorf("part %d of the id is not percent-escaped: %w", i+1, err)
		}
		parts[i] = unescaped
	}
	return parts, nil
}
