package iampolicy

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// used is whether a role has anything to do with an attribute.
func used(attribute, role string) bool {
	of := map[string][]string{
		"cadence_index_name":   {roleRuntime, roleReader, rolePlanner, roleSeeder},
		"global_id_index_name": {roleReader, rolePlanner, roleSeeder},
		"rule_names":           {rolePlanner, roleSeeder},
	}
	for _, name := range runtimeOnly() {
		of[name] = []string{roleRuntime}
	}
	who, some := of[attribute]
	return !some || slices.Contains(who, role)
}

func runtimeOnly() []string {
	return []string{
		"inventory_table_arn", "source_type", "source_function_arn", "inventory_key_prefix", "inventory_attributes",
		"stream_arn", "tasks", "log_group_arn", "failure_destination_arn",
	}
}

type named[V any] struct {
	name  string
	value V
}

func (m model) texts() []named[types.String] {
	return []named[types.String]{
		{"role", m.Role},
		{"table_arn", m.TableARN},
		{"cadence_index_name", m.CadenceIndexName},
		{"global_id_index_name", m.GlobalIDIndexName},
		{"inventory_table_arn", m.InventoryTableARN},
		{"source_type", m.SourceType},
		{"source_function_arn", m.SourceFunctionARN},
		{"inventory_key_prefix", m.InventoryKeyPrefix},
		{"stream_arn", m.StreamARN},
		{"log_group_arn", m.LogGroupARN},
		{"failure_destination_arn", m.FailureDestinationARN},
	}
}

func (m model) sets() []named[types.Set] {
	return []named[types.Set]{{"kms_key_arns", m.KMSKeyARNs}, {"rule_names", m.RuleNames}, {"inventory_attributes", m.InventoryAttributes}, {"tasks", m.Tasks}}
}

// validate is what can be said of a configuration whose unknown values are left
// aside.
func (m model) validate() (diags diag.Diagnostics) {
	wrong := func(name string, err error) {
		diags.AddAttributeError(path.Root(name), invalid, fmt.Sprintf("%s %s.", name, err))
	}
	role := m.Role.ValueString()
	foreign := func(name string) {
		if slices.Contains(roles(), role) && !used(name, role) {
			wrong(name, fmt.Errorf("is set, but the role %s has nothing to do with it", role))
		}
	}
	for _, a := range m.texts() {
		if a.value.IsNull() {
			continue
		}
		foreign(a.name)
		if !a.value.IsUnknown() {
			if err := check(a.name, a.value.ValueString()); err != nil {
				wrong(a.name, err)
			}
		}
	}
	for _, a := range m.sets() {
		if a.value.IsNull() {
			continue
		}
		foreign(a.name)
		if !a.value.IsUnknown() && len(a.value.Elements()) == 0 && a.name != "kms_key_arns" && a.name != "tasks" {
			wrong(a.name, errEmptySet)
		}
		for _, element := range a.value.Elements() {
			text, ok := element.(types.String)
			if !ok || text.IsUnknown() {
				continue
			}
			if err := check(a.name, text.ValueString()); err != nil {
				wrong(a.name, err)
			}
		}
	}
	if !diags.HasError() && role == roleRuntime {
		diags.Append(m.validateSource()...)
	}
	return diags
}

// validateSource is what can be said of the settings of the source together.
func (m model) validateSource() (diags diag.Diagnostics) {
	if m.SourceType.IsUnknown() {
		return nil
	}
	source := m.sourceType()
	switch {
	case source == sourceLambda && m.SourceFunctionARN.IsNull():
		diags.AddAttributeError(path.Root("source_function_arn"), invalid, "source_function_arn is not set: the source lambda needs it.")
	case source != sourceLambda && !m.SourceFunctionARN.IsNull():
		diags.AddAttributeError(path.Root("source_function_arn"), invalid, "source_function_arn is set, but it is for the source lambda, and source_type is "+source+".")
	}
	if len(inventoryOf(source).attributes) == 0 {
		if !m.InventoryKeyPrefix.IsNull() {
			diags.AddAttributeError(path.Root("inventory_key_prefix"), invalid, "inventory_key_prefix is set, but the source "+source+" does not read the inventory's table.")
		}
		if !m.InventoryAttributes.IsNull() {
			diags.AddAttributeError(path.Root("inventory_attributes"), invalid, "inventory_attributes is set, but the source "+source+" does not read the inventory's table.")
		}
	}
	return diags
}

func (m model) sourceType() string {
	if m.SourceType.IsNull() {
		return sourcePool
	}
	return m.SourceType.ValueString()
}
