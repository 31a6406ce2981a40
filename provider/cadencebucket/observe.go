package cadencebucket

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// observe turns what was found into state. The rule is what fires, so that its
// schedule and whether it is enabled are shown; what is the same but written
// differently stays as it was written. A null schedule_expression, which every plan
// sets, makes the next one mend what no attribute shows: a rule that is gone, and a
// registry item that says something else than the rule.
func (m model) observe(ctx context.Context, o observation) model {
	before, known := m.schedule(ctx)
	shown := o.shown()
	visible := o.rule != nil && known && !sameSchedule(shown, before) || !m.Enabled.IsNull() && o.enabled() != m.Enabled.ValueBool()

	m.Name = types.StringValue(o.name)
	m.TableName = types.StringValue(o.table)
	m.RuleName = types.StringValue(o.ref.rule)
	m.BucketID = types.StringValue(signal.BucketID(o.name))
	if m.ForceDestroy.IsNull() {
		m.ForceDestroy = types.BoolValue(false)
	}
	if o.unreadable == nil {
		m.Shards = types.Int64Value(int64(o.bucket.Shards))
		m.Checks = checksObject(o.bucket.Checks)
	}
	m.Enabled = types.BoolValue(o.enabled())
	if !known || !sameSchedule(shown, before) {
		m.setSchedule(shown)
		before = shown
	}
	m.ScheduleExpression = types.StringValue(before)
	if o.rule == nil || !visible && !o.agrees() {
		m.ScheduleExpression = types.StringNull()
	}
	m.observeRule(o)
	return m
}

func (m *model) observeRule(o observation) {
	m.observeTarget(o)
	m.RuleARN = types.StringNull()
	if o.rule == nil {
		if m.Description.IsNull() {
			m.Description = types.StringValue("")
		}
		return
	}
	m.RuleARN = types.StringValue(o.rule.ARN)
	m.Description = types.StringValue(o.rule.Description)
	m.observeTags(o.rule.Tags)
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

// agrees says whether the registry item says what the rule does.
func (o observation) agrees() bool {
	return o.rule != nil && o.unreadable == nil && o.bucket.RuleARN == o.rule.ARN &&
		o.bucket.Enabled == o.rule.Enabled && sameSchedule(o.bucket.ScheduleExpression, o.rule.Schedule)
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

// observeTarget shows a target that is not given the bucket's ID as none.
func (m *model) observeTarget(o observation) {
	if o.rule == nil || o.rule.Target == nil || !trigger.SameInput(o.rule.Target.Input, input(o.name)) {
		m.Target = types.ObjectNull(targetTypes())
		return
	}
	m.Target = targetObject(*o.rule.Target)
}

func (m *model) observeTags(tags map[string]string) {
	if len(tags) == 0 && len(m.Tags.Elements()) == 0 {
		if m.Tags.IsNull() {
			m.Tags = types.MapNull(types.StringType)
		}
		return
	}
	elements := make(map[string]attr.Value, len(tags))
	for key, value := range tags {
		elements[key] = types.StringValue(value)
	}
	m.Tags = types.MapValueMust(types.StringType, elements)
}
