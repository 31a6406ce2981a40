package signal

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

// SplitID and JoinID are how import ids are read and written.
func SplitID(id string) (table string, p signal.Product, last string, err error) { return splitID(id) }

func JoinID(table string, p signal.Product, last string) string { return joinID(table, p, last) }

// ImportID reads a signal's import id and writes it again.
func ImportID(id string) (string, error) {
	r, err := parseImportID(id)
	return r.importID(), err
}
