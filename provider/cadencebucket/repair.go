package cadencebucket

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What needs_repair names: all that a bucket owns and that no attribute shows.
const (
	repairRule        = "rule"
	repairRuleTags    = "rule_tags"
	repairTarget      = "target"
	repairTargetInput = "target_input"
	repairRegistry    = "registry_item"
)

// registryRepairs are the names of the registry item's attributes that no
// attribute of the resource shows.
func registryRepairs() []struct{ attr, name string } {
	return []struct{ attr, name string }{
		{signal.AttrName, "registry_name"},
		{signal.AttrCadence, "registry_cadence"},
		{signal.AttrScheduleExpression, "registry_schedule_expression"},
		{signal.AttrRuleARN, "registry_rule_arn"},
		{signal.AttrEnabled, "registry_enabled"},
	}
}

// repairNames lists all of them for the documentation.
func repairNames() string {
	names := []string{repairRule, repairRuleTags, repairTarget, repairTargetInput, repairRegistry}
	for _, r := range registryRepairs() {
		names = append(names, r.name)
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

func nothingToRepair() types.List { return types.ListValueMust(types.StringType, []attr.Value{}) }

// repairs is what of a bucket is not as the state has it, or, where the state is
// still empty, as the rule has it.
func (m model) repairs(ctx context.Context, o observation) types.List {
	names := o.ruleRepairs()
	if o.unreadable != nil {
		names = append(names, repairRegistry)
	} else {
		names = append(names, m.registryRepairs(ctx, o)...)
	}
	elements := make([]attr.Value, len(names))
	for i, name := range names {
		elements[i] = types.StringValue(name)
	}
	return types.ListValueMust(types.StringType, elements)
}

func (o observation) ruleRepairs() []string {
	if o.rule == nil {
		return []string{repairRule}
	}
	var names []string
	if !o.rule.Marked {
		names = append(names, repairRuleTags)
	}
	switch {
	case o.rule.Target == nil:
		names = append(names, repairTarget)
	case !trigger.SameInput(o.rule.Target.Input, input(o.name)):
		names = append(names, repairTargetInput)
	}
	return names
}

func (m model) registryRepairs(ctx context.Context, o observation) []string {
	want := signal.Bucket{
		Name: o.name, Cadence: m.registryCadence(ctx), Enabled: m.Enabled.ValueBool(), RuleARN: m.RuleARN.ValueString(),
	}
	want.ScheduleExpression, _ = m.schedule(ctx)
	item := want.Item()
	var names []string
	for _, r := range registryRepairs() {
		if !sameRegistered(r.attr, o.item[r.attr], item[r.attr]) {
			names = append(names, r.name)
		}
	}
	return names
}

// sameRegistered is whether an attribute of a registry item says the same as it
// should, however it is written.
func sameRegistered(name string, is, want signal.Value) bool {
	switch name {
	case signal.AttrScheduleExpression:
		a, ok := is.Text()
		b, _ := want.Text()
		return ok && sameSchedule(a, b)
	case signal.AttrCadence:
		a, err := signal.ParseCadence(is)
		b, wanted := signal.ParseCadence(want)
		return err == nil && wanted == nil && a.ID == b.ID && a.Duration() == b.Duration()
	}
	return is.Equal(want)
}
