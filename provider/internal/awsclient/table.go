package awsclient

import (
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

var resourceName = regexp.MustCompile(`^[.\-_A-Za-z0-9]{3,255}$`)

// ValidName is whether a table or an index of DynamoDB can have that name.
func ValidName(name string) bool { return resourceName.MatchString(name) }

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
