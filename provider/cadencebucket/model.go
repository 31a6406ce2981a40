package cadencebucket

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// model is the resource's configuration, plan or state.
type model struct {
	Name               types.String `tfsdk:"name"`
	Cadence            types.Object `tfsdk:"cadence"`
	Cron               types.String `tfsdk:"cron"`
	Enabled            types.Bool   `tfsdk:"enabled"`
	Description        types.String `tfsdk:"description"`
	Tags               types.Map    `tfsdk:"tags"`
	TagsAll            types.Map    `tfsdk:"tags_all"`
	Target             types.Object `tfsdk:"target"`
	Shards             types.Int64  `tfsdk:"shards"`
	Checks             types.Object `tfsdk:"checks"`
	RuleName           types.String `tfsdk:"rule_name"`
	TableName          types.String `tfsdk:"table_name"`
	ForceDestroy       types.Bool   `tfsdk:"force_destroy"`
	BucketID           types.String `tfsdk:"bucket_id"`
	RuleARN            types.String `tfsdk:"rule_arn"`
	ScheduleExpression types.String `tfsdk:"schedule_expression"`
	NeedsRepair        types.List   `tfsdk:"needs_repair"`
}

// newModel is the state of a bucket of which nothing is known but its name, as
// after an import.
func newModel(r ref) model {
	return model{
		Name: types.StringValue(r.name), TableName: types.StringValue(r.table),
		Cadence: types.ObjectNull(cadenceTypes()), Target: types.ObjectNull(targetTypes()), Checks: types.ObjectNull(checksTypes()),
		Tags: types.MapNull(types.StringType), TagsAll: types.MapNull(types.StringType), NeedsRepair: types.ListNull(types.StringType),
	}
}

type cadenceModel struct {
	Minutes types.Int64 `tfsdk:"minutes"`
	Hours   types.Int64 `tfsdk:"hours"`
	Days    types.Int64 `tfsdk:"days"`
}

type targetModel struct {
	ARN                    types.String `tfsdk:"arn"`
	DeadLetterARN          types.String `tfsdk:"dead_letter_arn"`
	MaximumEventAgeSeconds types.Int64  `tfsdk:"maximum_event_age_seconds"`
	MaximumRetryAttempts   types.Int64  `tfsdk:"maximum_retry_attempts"`
}

type checksModel struct {
	Concurrency         types.Int64 `tfsdk:"concurrency"`
	LeaseSeconds        types.Int64 `tfsdk:"lease_seconds"`
	MaxAttempts         types.Int64 `tfsdk:"max_attempts"`
	WriteBudget         types.Int64 `tfsdk:"write_budget"`
	MaxStalenessMinutes types.Int64 `tfsdk:"max_staleness_minutes"`
}

// cadence is the cadence's units, 0 where one is not set; known is false while it
// or one of them is unknown, or where there is no cadence.
func (m model) cadence(ctx context.Context) (c schedule.Cadence, known bool, diags diag.Diagnostics) {
	units, known, diags := cadenceUnits(ctx, m.Cadence)
	if !known {
		return c, false, diags
	}
	return schedule.Cadence{Minutes: units.Minutes.ValueInt64(), Hours: units.Hours.ValueInt64(), Days: units.Days.ValueInt64()}, true, diags
}

// zeroUnit is the first unit that is set to 0.
func (m model) zeroUnit(ctx context.Context) (string, bool) {
	units, known, _ := cadenceUnits(ctx, m.Cadence)
	for _, u := range []struct {
		name  string
		value types.Int64
	}{{"minutes", units.Minutes}, {"hours", units.Hours}, {"days", units.Days}} {
		if known && !u.value.IsNull() && u.value.ValueInt64() == 0 {
			return u.name, true
		}
	}
	return "", false
}

func cadenceUnits(ctx context.Context, cadence types.Object) (units cadenceModel, known bool, diags diag.Diagnostics) {
	if cadence.IsNull() || cadence.IsUnknown() {
		return units, false, nil
	}
	diags = cadence.As(ctx, &units, basetypes.ObjectAsOptions{})
	known = !diags.HasError() && !units.Minutes.IsUnknown() && !units.Hours.IsUnknown() && !units.Days.IsUnknown()
	return units, known, diags
}

// schedule is the expression of the cadence or cron; known is false while either
// is unknown or not valid.
func (m model) schedule(ctx context.Context) (expression string, known bool) {
	if !m.Cron.IsNull() && !m.Cron.IsUnknown() {
		c, err := schedule.ParseCron(m.Cron.ValueString())
		return c.Expression(), err == nil
	}
	c, known, _ := m.cadence(ctx)
	if !known || m.Cron.IsUnknown() {
		return "", false
	}
	expression, err := c.Expression()
	return expression, err == nil
}

// defaultEventAge is the time between ticks, within what EventBridge takes.
func (m model) defaultEventAge(ctx context.Context) (seconds int64, known bool) {
	if _, known := m.schedule(ctx); !known {
		return 0, false
	}
	if !m.Cron.IsNull() {
		return cronEventAge, true
	}
	c, known, _ := m.cadence(ctx)
	return min(maxEventAge, max(minEventAge, int64(c.Duration()/time.Second))), known
}

// definition is the bucket that the plan wants, all of which is known.
func (m model) definition(ctx context.Context) (definition, diag.Diagnostics) {
	var (
		diags  diag.Diagnostics
		target targetModel
		checks checksModel
		tags   map[string]string
	)
	diags.Append(m.Target.As(ctx, &target, basetypes.ObjectAsOptions{})...)
	diags.Append(m.Checks.As(ctx, &checks, basetypes.ObjectAsOptions{})...)
	diags.Append(m.TagsAll.ElementsAs(ctx, &tags, false)...)
	diags.Append(validateSchedule(ctx, m)...)
	if diags.HasError() {
		return definition{}, diags
	}
	expression, _ := m.schedule(ctx)
	name := m.Name.ValueString()
	return definition{
		ref: m.ref(),
		bucket: signal.Bucket{
			Name:               name,
			Cadence:            m.registryCadence(ctx),
			ScheduleExpression: expression,
			Shards:             int(m.Shards.ValueInt64()),
			Enabled:            m.Enabled.ValueBool(),
			Checks:             checks.settings(),
		},
		description: m.Description.ValueString(),
		tags:        tags,
		target: trigger.Target{
			ARN:                  target.ARN.ValueString(),
			DeadLetterARN:        target.DeadLetterARN.ValueString(),
			MaximumEventAge:      target.MaximumEventAgeSeconds.ValueInt64(),
			MaximumRetryAttempts: target.MaximumRetryAttempts.ValueInt64(),
			Input:                input(name),
		},
	}, diags
}

func (m model) ref() ref {
	return ref{table: m.TableName.ValueString(), name: m.Name.ValueString(), rule: m.RuleName.ValueString()}
}

// registryCadence is what signals are told: a duration, or with cron the
// bucket's own name.
func (m model) registryCadence(ctx context.Context) signal.Cadence {
	c, known, _ := m.cadence(ctx)
	if !known {
		return signal.Cadence{ID: m.Name.ValueString()}
	}
	return signal.Cadence{Minutes: int(c.Minutes), Hours: int(c.Hours), Days: int(c.Days)}
}

func (c checksModel) settings() signal.Checks {
	return signal.Checks{
		Concurrency:  int(c.Concurrency.ValueInt64()),
		Lease:        time.Duration(c.LeaseSeconds.ValueInt64()) * time.Second,
		MaxAttempts:  int(c.MaxAttempts.ValueInt64()),
		WriteBudget:  int(c.WriteBudget.ValueInt64()),
		MaxStaleness: time.Duration(c.MaxStalenessMinutes.ValueInt64()) * time.Minute,
	}
}

func checksObject(c signal.Checks) types.Object {
	return types.ObjectValueMust(checksTypes(), map[string]attr.Value{
		"concurrency":           types.Int64Value(int64(c.Concurrency)),
		"lease_seconds":         types.Int64Value(int64(c.Lease / time.Second)),
		"max_attempts":          types.Int64Value(int64(c.MaxAttempts)),
		"write_budget":          types.Int64Value(int64(c.WriteBudget)),
		"max_staleness_minutes": types.Int64Value(int64(c.MaxStaleness / time.Minute)),
	})
}

func cadenceObject(c schedule.Cadence) types.Object {
	unit := func(n int64) types.Int64 {
		if n == 0 {
			return types.Int64Null()
		}
		return types.Int64Value(n)
	}
	return types.ObjectValueMust(cadenceTypes(), map[string]attr.Value{
		"minutes": unit(c.Minutes), "hours": unit(c.Hours), "days": unit(c.Days),
	})
}

func targetObject(t trigger.Target) types.Object {
	deadLetter := types.StringNull()
	if t.DeadLetterARN != "" {
		deadLetter = types.StringValue(t.DeadLetterARN)
	}
	return types.ObjectValueMust(targetTypes(), map[string]attr.Value{
		"arn":                       types.StringValue(t.ARN),
		"dead_letter_arn":           deadLetter,
		"maximum_event_age_seconds": types.Int64Value(t.MaximumEventAge),
		"maximum_retry_attempts":    types.Int64Value(t.MaximumRetryAttempts),
	})
}
