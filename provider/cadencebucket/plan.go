package cadencebucket

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/tags"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// sameCadence keeps the state's cadence where the configuration's ticks as often:
// 60 minutes are 1 hour.
type sameCadence struct{}

func (sameCadence) Description(context.Context) string {
	return "A cadence that ticks as often as before is no change."
}

func (m sameCadence) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (sameCadence) PlanModifyObject(ctx context.Context, req planmodifier.ObjectRequest, resp *planmodifier.ObjectResponse) {
	planned, known, diags := model{Cadence: req.PlanValue}.cadence(ctx)
	present, was, more := model{Cadence: req.StateValue}.cadence(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(more...)
	if known && was && planned.Equal(present) {
		resp.PlanValue = req.StateValue
	}
}

// sameCron keeps the state's cron where the configuration's fires at the same
// minutes.
type sameCron struct{}

func (sameCron) Description(context.Context) string {
	return "A cron expression that fires at the same minutes as before is no change."
}

func (m sameCron) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (sameCron) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.PlanValue.IsUnknown() || req.PlanValue.IsNull() || req.StateValue.IsNull() {
		return
	}
	planned, err := schedule.ParseCron(req.PlanValue.ValueString())
	present, was := schedule.ParseCron(req.StateValue.ValueString())
	if err == nil && was == nil && planned.Equal(present) {
		resp.PlanValue = req.StateValue
	}
}

// defaults are those that the provider's configuration has.
type defaults struct {
	table types.String
	tags  types.Map
	// region is "" while it is not known.
	region string
}

// complete sets all of a plan that follows from the rest of it, and unknown what
// follows from something unknown. state is nil for a bucket that is to be made.
// It returns the attributes that a bucket is replaced for.
func (plan *model) complete(ctx context.Context, config model, state *model, defaults defaults) (replace []path.Path, diags diag.Diagnostics) {
	plan.TableName = config.TableName
	if plan.TableName.IsNull() {
		plan.TableName = defaults.table
	}
	if plan.TableName.IsNull() {
		diags.Append(awsclient.NoTable("plan", thing(plan.Name.ValueString())))
		return nil, diags
	}
	moved := state == nil || !plan.Name.Equal(state.Name) || !plan.TableName.Equal(state.TableName)
	plan.RuleName = config.RuleName
	switch {
	case !plan.RuleName.IsNull():
	case !moved:
		plan.RuleName = state.RuleName
	case plan.Name.IsUnknown() || plan.TableName.IsUnknown():
		plan.RuleName = types.StringUnknown()
	default:
		plan.RuleName = types.StringValue(trigger.DefaultName(plan.TableName.ValueString(), plan.Name.ValueString()))
	}
	plan.BucketID = types.StringUnknown()
	if !plan.Name.IsUnknown() {
		plan.BucketID = types.StringValue(signal.BucketID(plan.Name.ValueString()))
	}
	plan.RuleARN = types.StringUnknown()
	if !moved && plan.RuleName.Equal(state.RuleName) && !state.RuleARN.IsNull() {
		plan.RuleARN = state.RuleARN
	}
	plan.ScheduleExpression = types.StringUnknown()
	if expression, known := plan.schedule(ctx); known {
		plan.ScheduleExpression = types.StringValue(expression)
	}
	plan.NeedsRepair = nothingToRepair()
	plan.TagsAll = tags.Merge(defaults.tags, plan.Tags)
	if n := len(plan.TagsAll.Elements()); n > tags.Most {
		diags.AddAttributeError(path.Root("tags"), invalidBucket, fmt.Sprintf("A rule takes 50 tags, of which 2 are the provider's own; with the provider's default_tags there are %d.", n))
	}
	diags.Append(plan.completeTarget(ctx, config)...)
	diags.Append(checkRegions(plan.Target, defaults.region)...)
	if state == nil {
		return nil, diags
	}
	if !plan.TableName.Equal(state.TableName) {
		replace = append(replace, path.Root("table_name"))
	}
	if !plan.RuleName.Equal(state.RuleName) {
		replace = append(replace, path.Root("rule_name"))
	}
	return replace, diags
}

func (plan *model) completeTarget(ctx context.Context, config model) diag.Diagnostics {
	if plan.Target.IsUnknown() || plan.Target.IsNull() || config.Target.IsNull() || config.Target.IsUnknown() {
		return nil
	}
	var configured targetModel
	diags := config.Target.As(ctx, &configured, basetypes.ObjectAsOptions{})
	if diags.HasError() || !configured.MaximumEventAgeSeconds.IsNull() {
		return diags
	}
	age := types.Int64Unknown()
	if seconds, known := plan.defaultEventAge(ctx); known {
		age = types.Int64Value(seconds)
	}
	attributes := map[string]attr.Value{}
	for name, value := range plan.Target.Attributes() {
		attributes[name] = value
	}
	attributes["maximum_event_age_seconds"] = age
	target, more := types.ObjectValue(targetTypes(), attributes)
	diags.Append(more...)
	plan.Target = target
	return diags
}
