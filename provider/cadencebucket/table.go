package cadencebucket

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// indexNames are what a table's indexes are called.
type indexNames struct{ cadence, globalID string }

// inspectTable holds that a bucket's table can have signals: errors for what would
// keep them from working, warnings for what costs more than it need.
func (b buckets) inspectTable(ctx context.Context, r ref) (diags diag.Diagnostics) {
	layout, err := dynamo.ReadLayout(ctx, b.tables, r.table)
	switch {
	case notAllowed(err):
		tflog.Info(ctx, "did not look at the table, which needs dynamodb:DescribeTable", r.fields())
	case err != nil:
		diags.Append(createFailure(r, err))
		return diags
	default:
		diags.Append(checkLayout(r, layout, b.indexes)...)
	}
	attr, err := dynamo.ReadTTL(ctx, b.tables, r.table)
	switch {
	case notAllowed(err):
		tflog.Info(ctx, "did not look at the table's TTL, which needs dynamodb:DescribeTimeToLive", r.fields())
	case err != nil:
		diags.Append(createFailure(r, err))
	default:
		diags.Append(checkTTL(r, attr)...)
	}
	return diags
}

// notAllowed is whether what is only good to know may not be asked.
func notAllowed(err error) bool {
	return errors.Is(err, dynamo.ErrAccessDenied) || errors.Is(err, dynamo.ErrRejected)
}

func checkLayout(r ref, l dynamo.Layout, names indexNames) (diags diag.Diagnostics) {
	keys := dynamo.Keys{Partition: dynamo.Text(signal.AttrPK), Sort: dynamo.Text(signal.AttrSK)}
	if l.Keys != keys {
		diags.Append(unfit(r,
			fmt.Sprintf("Table %q has the key %s, not %s.", r.table, l.Keys, keys),
			"A table's key cannot be changed: make another table, and correct table_name."))
	}
	cadence := dynamo.Keys{Partition: dynamo.Text(signal.AttrGSIPK), Sort: dynamo.Text(signal.AttrGSISK)}
	index, ok := l.Indexes[names.cadence]
	switch {
	case !ok:
		diags.Append(unfit(r, noIndex(r, l, names.cadence, "by which a run finds what it has to check"),
			fmt.Sprintf("Add it to the table, with the key %s and the projection INCLUDE of %s. Or, if there is one already, set the provider's cadence_index_name to what it is called.", cadence, projected())))
	case index.Keys != cadence:
		diags.Append(unfit(r, otherKey(r, index, names.cadence, cadence.String()),
			fmt.Sprintf("Add an index with the key %s and the projection INCLUDE of %s, and set the provider's cadence_index_name to its name.", cadence, projected())))
	default:
		diags.Append(checkProjection(r, index, names.cadence)...)
	}
	globalID := dynamo.Text(signal.AttrGlobalID)
	index, ok = l.Indexes[names.globalID]
	switch {
	case !ok:
		diags.Append(unfit(r, noIndex(r, l, names.globalID, "by which a signal is found by its globalId"),
			fmt.Sprintf("Add it to the table, with the key %s and the projection KEYS_ONLY. Or, if there is one already, set the provider's global_id_index_name to what it is called.", globalID)))
	case index.Keys.Partition != globalID:
		diags.Append(unfit(r, otherKey(r, index, names.globalID, globalID.String()),
			fmt.Sprintf("Add an index with the key %s and the projection KEYS_ONLY, and set the provider's global_id_index_name to its name.", globalID)))
	case index.All:
		diags.Append(costs(r, names.globalID, "Every write of a signal then costs one write unit more, to keep it up to date.", "KEYS_ONLY"))
	}
	return diags
}

// unfit is an error of a table in which signals cannot be.
func unfit(r ref, what, do string) diag.Diagnostic {
	return diagnose.Failure{
		Verb: "create", Thing: thing(r.name), Path: path.Root("table_name"), What: what,
		State: "Nothing was written, and the bucket is not in the state.", Do: do,
	}.Error()
}

func noIndex(r ref, l dynamo.Layout, name, what string) string {
	others := "it has none"
	if len(l.Indexes) > 0 {
		others = "it has " + strings.Join(slices.Sorted(maps.Keys(l.Indexes)), ", ")
	}
	return fmt.Sprintf("Table %q has no index %q, %s: %s.", r.table, name, what, others)
}

func otherKey(r ref, index dynamo.Index, name, want string) string {
	return fmt.Sprintf("Index %q of table %q has the key %s, not %s.", name, r.table, index.Keys, want)
}

func projected() string {
	names := signal.Projected()
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func checkProjection(r ref, index dynamo.Index, name string) (diags diag.Diagnostics) {
	if index.All {
		diags.Append(costs(r, name,
			"A clean check then costs 5 write units instead of 4, and a flip that is written to a signal already dirty 2 instead of 1. checks.write_budget does not know of it: halve it.",
			"INCLUDE of "+projected()))
		return diags
	}
	var missing []string
	for _, attr := range signal.Projected() {
		if !slices.Contains(index.Attrs, attr) {
			missing = append(missing, attr)
		}
	}
	if len(missing) > 0 {
		diags.Append(unfit(r,
			fmt.Sprintf("Index %q of table %q does not project %s, which every run reads of it: DynamoDB would refuse that.", name, r.table, strings.Join(missing, ", ")),
			fmt.Sprintf("A projection cannot be changed: add another index with the projection INCLUDE of %s, and set the provider's cadence_index_name to its name.", projected())))
	}
	return diags
}

// costs is a warning of an index that has everything.
func costs(r ref, name, what, instead string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("table_name"), fmt.Sprintf("Index %q of table %q projects all attributes", name, r.table),
		what+"\n\n"+fmt.Sprintf("Everything works. To save that, add an index of its own for signals, with the projection %s, or keep signals in a table of their own.", instead))
}

func checkTTL(r ref, attr string) (diags diag.Diagnostics) {
	what := ""
	switch attr {
	case signal.AttrTTL:
		return nil
	case "":
		what = fmt.Sprintf("TTL of table %q is off", r.table)
	default:
		what = fmt.Sprintf("TTL of table %q is on the attribute %s", r.table, attr)
	}
	diags.AddAttributeWarning(path.Root("table_name"), what,
		fmt.Sprintf("DynamoDB then does not delete expired signals. They are neither checked nor served as fresh, and runs remove them bit by bit, which costs writes.\n\nTurn TTL on for the attribute %s, by which DynamoDB deletes them for nothing. A table has one such attribute: where another one is needed, keep signals in a table of their own.", signal.AttrTTL))
	return diags
}
