package cadencebucket

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/tags"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// observe turns what was found into state. The rule is what fires, so that its
// schedule and whether it is enabled are shown; what is the same but written
// differently stays as it was written, and what is gone stays as it was, because
// needs_repair says so.
func (m model) observe(ctx context.Context, o observation, defaultTags types.Map) model {
	imported := m.RuleName.IsNull()
	if _, known := m.schedule(ctx); !known {
		m.setSchedule(o.shown())
	}
	if m.Enabled.IsNull() {
		m.Enabled = types.BoolValue(o.enabled())
	}
	if arn := o.arn(); m.RuleARN.IsNull() && arn != "" {
		m.RuleARN = types.StringValue(arn)
	}

	m.Name = types.StringValue(o.name)
	m.TableName = types.StringValue(o.table)
	m.RuleName = types.StringValue(o.ref.rule)
	m.BucketID = types.StringValue(signal.BucketID(o.name))
	if m.ForceDestroy.IsNull() {
		m.ForceDestroy = types.BoolValue(false)
	}
	if m.Description.IsNull() {
		m.Description = types.StringValue("")
	}
	if m.TagsAll.IsNull() {
		m.TagsAll = tags.Of(nil)
	}
	if o.unreadable == nil {
		m.Shards = types.Int64Value(int64(o.bucket.Shards))
		m.Checks = checksObject(o.bucket.Checks)
	}
	if o.rule != nil {
		m.observeRule(ctx, *o.rule)
		if imported {
			m.Tags = tags.Own(o.rule.Tags, defaultTags)
		}
	}
	// After what the rule shows: a configuration that follows a rule which was changed
	// by hand has nothing else that would bring the registry item after it.
	m.NeedsRepair = m.repairs(ctx, o)
	expression, _ := m.schedule(ctx)
	m.ScheduleExpression = types.StringValue(expression)
	return m
}

func (m *model) observeRule(ctx context.Context, rule trigger.Found) {
	if before, known := m.schedule(ctx); !known || !sameSchedule(rule.Schedule, before) {
		m.setSchedule(rule.Schedule)
	}
	m.Enabled = types.BoolValue(rule.Enabled)
	m.RuleARN = types.StringValue(rule.ARN)
	m.Description = types.StringValue(rule.Description)
	m.TagsAll = tags.Of(rule.Tags)
	if rule.Target != nil {
		m.Target = targetObject(*rule.Target)
	}
}

// arn is the rule's, or what the registry has of one that is gone.
func (o observation) arn() string {
	if o.rule == nil {
		return o.bucket.RuleARN
	}
	return o.rule.ARN
}

// shown is the schedule that is in force, or was.
func (o observation) shown() string {
	if o.rule == nil {
		return o.bucket.ScheduleExpression
	}
	return o.rule.Schedule
}

// enabled says whether the bucket is ticking, or was.
func (o observation) enabled() bool {
	if o.rule == nil {
		return o.bucket.Enabled
	}
	return o.rule.Enabled
}

// setSchedule sets cadence or cron to an expression; one that is neither leaves
// both null.
func (m *model) setSchedule(expression string) {
	m.Cadence, m.Cron = types.ObjectNull(cadenceTypes()), types.StringNull()
	if c, err := schedule.ParseRate(expression); err == nil {
		m.Cadence = cadenceObject(c)
	} else if c, err := schedule.ParseCron(expression); err == nil {
		m.Cron = types.StringValue(fields(c))
	}
}

// fields is a cron expression without cron( and ).
func fields(c schedule.Cron) string {
	expression := c.Expression()
	return expression[len("cron(") : len(expression)-len(")")]
}

func sameSchedule(a, b string) bool {
	if a == b {
		return true
	}
	if x, err := schedule.ParseRate(a); err == nil {
		y, err := schedule.ParseRate(b)
		return err == nil && x.Equal(y)
	}
	x, err := schedule.ParseCron(a)
	if err != nil {
		return false
	}
	y, err := schedule.ParseCron(b)
	return err == nil && x.Equal(y)
}
