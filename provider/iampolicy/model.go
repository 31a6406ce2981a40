package iampolicy

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
)

type model struct {
	Role                  types.String `tfsdk:"role"`
	TableARN              types.String `tfsdk:"table_arn"`
	CadenceIndexName      types.String `tfsdk:"cadence_index_name"`
	GlobalIDIndexName     types.String `tfsdk:"global_id_index_name"`
	KMSKeyARNs            types.Set    `tfsdk:"kms_key_arns"`
	RuleNames             types.Set    `tfsdk:"rule_names"`
	InventoryTableARN     types.String `tfsdk:"inventory_table_arn"`
	SourceType            types.String `tfsdk:"source_type"`
	SourceFunctionARN     types.String `tfsdk:"source_function_arn"`
	InventoryKeyPrefix    types.String `tfsdk:"inventory_key_prefix"`
	InventoryAttributes   types.Set    `tfsdk:"inventory_attributes"`
	StreamARN             types.String `tfsdk:"stream_arn"`
	Tasks                 types.Set    `tfsdk:"tasks"`
	LogGroupARN           types.String `tfsdk:"log_group_arn"`
	FailureDestinationARN types.String `tfsdk:"failure_destination_arn"`
	JSON                  types.String `tfsdk:"json"`
}

// scope is what a whole configuration says that a role works on.
func (m model) scope(ctx context.Context) (s scope, diags diag.Diagnostics) {
	table, err := parseTable(m.TableARN.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("table_arn"), invalid, fmt.Sprintf("table_arn %s.", err))
		return s, diags
	}
	s = scope{
		table: table, inventory: table,
		cadenceIndex: m.CadenceIndexName.ValueString(), globalIDIndex: m.GlobalIDIndexName.ValueString(),
		rules:    []string{trigger.NamesOf(table.name) + "*"},
		source:   inventoryOf(m.sourceType()),
		function: m.SourceFunctionARN.ValueString(), stream: m.StreamARN.ValueString(),
		logGroup: m.LogGroupARN.ValueString(), failureDestination: m.FailureDestinationARN.ValueString(),
	}
	if !m.InventoryTableARN.IsNull() {
		if s.inventory, err = parseTable(m.InventoryTableARN.ValueString()); err != nil {
			diags.AddAttributeError(path.Root("inventory_table_arn"), invalid, fmt.Sprintf("inventory_table_arn %s.", err))
		}
	}
	if !m.InventoryKeyPrefix.IsNull() {
		s.source.prefix = m.InventoryKeyPrefix.ValueString()
	}
	if !m.InventoryAttributes.IsNull() {
		diags.Append(m.InventoryAttributes.ElementsAs(ctx, &s.source.attributes, false)...)
	}
	if !m.Tasks.IsNull() {
		diags.Append(m.Tasks.ElementsAs(ctx, &s.tasks, false)...)
	}
	if !m.RuleNames.IsNull() {
		diags.Append(m.RuleNames.ElementsAs(ctx, &s.rules, false)...)
	}
	if !m.KMSKeyARNs.IsNull() {
		diags.Append(m.KMSKeyARNs.ElementsAs(ctx, &s.keys, false)...)
	}
	return s, diags
}
