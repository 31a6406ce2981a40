package cadencebucket

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// dataModel is the data source's configuration or state.
type dataModel struct {
	Name               types.String `tfsdk:"name"`
	TableName          types.String `tfsdk:"table_name"`
	BucketID           types.String `tfsdk:"bucket_id"`
	Cadence            types.Object `tfsdk:"cadence"`
	Cron               types.String `tfsdk:"cron"`
	ScheduleExpression types.String `tfsdk:"schedule_expression"`
	RuleARN            types.String `tfsdk:"rule_arn"`
	Enabled            types.Bool   `tfsdk:"enabled"`
	Shards             types.Int64  `tfsdk:"shards"`
	Checks             types.Object `tfsdk:"checks"`
	LastRun            types.Object `tfsdk:"last_run"`
	Stale              types.Bool   `tfsdk:"stale"`
}

func dataState(table string, b read.Bucket, now time.Time) dataModel {
	var schedule model
	schedule.setSchedule(b.ScheduleExpression)
	return dataModel{
		Name: types.StringValue(b.Name), TableName: types.StringValue(table), BucketID: types.StringValue(signal.BucketID(b.Name)),
		Cadence: schedule.Cadence, Cron: schedule.Cron, ScheduleExpression: types.StringValue(b.ScheduleExpression),
		RuleARN: textOrNull(b.RuleARN), Enabled: types.BoolValue(b.Enabled), Shards: types.Int64Value(int64(b.Shards)),
		Checks: checksObject(b.Checks), LastRun: lastRun(b), Stale: types.BoolValue(b.Stale(now)),
	}
}

func lastRun(b read.Bucket) types.Object {
	typ := map[string]attr.Type{
		"started_at": types.StringType, "previous_started_at": types.StringType, "ended_at": types.StringType,
		"counts": types.MapType{ElemType: types.Int64Type},
	}
	if b.StartedAt.IsZero() {
		return types.ObjectNull(typ)
	}
	counts := map[string]attr.Value{}
	for name, n := range b.Counts {
		counts[name] = types.Int64Value(n)
	}
	return types.ObjectValueMust(typ, map[string]attr.Value{
		"started_at": instant(b.StartedAt), "previous_started_at": instant(b.PreviousStartedAt), "ended_at": instant(b.LastRunAt),
		"counts": types.MapValueMust(types.Int64Type, counts),
	})
}

// instant is null for none.
func instant(at time.Time) types.String {
	if at.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(signal.FormatInstant(at))
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}
