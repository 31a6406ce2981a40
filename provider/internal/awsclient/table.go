package awsclient

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

// ValidName is whether a table or an index of DynamoDB can have that name: 3 to 255
// letters, digits, dots, hyphens and underscores.
func ValidName(name string) bool {
	// Not a regular expression: one that counts so far takes long to compile, which
	// every start of the provider would have to.
	const others = ".-_"
	strange := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	}
	return len(name) >= 3 && len(name) <= 255 && !strings.ContainsFunc(name, strange)
}

// CheckTableName says what is wrong with the name of a table.
func CheckTableName(name string) error {
	if ValidName(name) {
		return nil
	}
	return fmt.Errorf("table name %q: expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores", name)
}

// Table is the table that is configured, else the provider's: null if there is
// neither, unknown while it is.
func (d *Data) Table(configured types.String) types.String {
	if configured.IsNull() && d != nil {
		return d.TableName
	}
	return configured
}

// NoTable is that nothing says which table.
func NoTable(verb, thing string) diag.Diagnostic {
	return diagnose.Failure{
		Verb: verb, Thing: thing, Path: path.Root("table_name"),
		What: "There is no table: neither table_name, nor the provider's, nor AVAILABILITY_TABLE_NAME is set.",
		Do:   "Set table_name here or in the provider's configuration.",
	}.Error()
}
