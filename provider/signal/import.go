package signal

import (
	"github.com/availability-signal/terraform-provider-availability/provider/internal/importid"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	signalIDForm    = "<table_name>/<collection_id>/<activity_type>/<activity_id>/<product_id>/<date>"
	signalIDExample = "reservations/mockPark1/backcountryCamp/1/1/2026-07-01"
	rangeIDForm     = "<table_name>/<collection_id>/<activity_type>/<activity_id>/<product_id>/<range_id>"
	rangeIDExample  = "reservations/mockPark1/backcountryCamp/1/1/c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"
)

// joinID is the import id of a product's signal, or signals.
func joinID(table string, p signal.Product, last string) string {
	return importid.Join(table, p.CollectionID, p.ActivityType, p.ActivityID, p.ProductID, last)
}

// splitID is the inverse of joinID.
func splitID(id string) (table string, p signal.Product, last string, err error) {
	parts, err := importid.Split(id, 6)
	if err != nil {
		return "", p, "", err
	}
	if err := tableText.Check(parts[0]); err != nil {
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
