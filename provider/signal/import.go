package signal

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	signalIDForm    = "<table_name>/<collection_id>/<activity_type>/<activity_id>/<product_id>/<date>"
	signalIDExample = "reservations/mockPark1/backcountryCamp/1/1/2026-07-01"
	rangeIDForm     = "<table_name>/<collection_id>/<activity_type>/<activity_id>/<product_id>/<range_id>"
	rangeIDExample  = "reservations/mockPark1/backcountryCamp/1/1/c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"
)

// joinID is an import id: parts, percent-escaped, between slashes.
func joinID(table string, p signal.Product, last string) string {
	parts := []string{table, p.CollectionID, p.ActivityType, p.ActivityID, p.ProductID, last}
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

// splitID is the inverse of joinID.
func splitID(id string) (table string, p signal.Product, last string, err error) {
	parts := strings.Split(id, "/")
	if len(parts) != 6 {
		return "", p, "", fmt.Errorf("the id has %s, not 6; a slash inside a part is written %%2F", diagnose.Count(len(parts), "part"))
	}
	for i, part := range parts {
		if parts[i], err = url.PathUnescape(part); err != nil {
			return "", p, "", fmt.Errorf("part %d of the id is not percent-escaped: %w", i+1, err)
		}
	}
	if err := tableText.check(parts[0]); err != nil {
		return "", p, "", err
	}
	p = signal.Product{CollectionID: parts[1], ActivityType: parts[2], ActivityID: parts[3], ProductID: parts[4]}
	return parts[0], p, parts[5], p.Validate()
}

func (r ref) importID() string { return joinID(r.table, r.Product, r.Date.String()) }

func parseImportID(id string) (ref, error) {
	table, p, last, err := splitID(id)
	if err != nil {
		return ref{}, err
	}
	d, err := signal.ParseDate(last)
	return ref{table: table, ProductDate: signal.ProductDate{Product: p, Date: d}}, err
}
