package cadencebucket

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/tags"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/trigger"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/whole"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What EventBridge and DynamoDB take.
const (
	minEventAge      = 60
	maxEventAge      = trigger.DefaultMaximumEventAge
	maxRetryAttempts = trigger.DefaultMaximumRetryAttempts
	cronEventAge     = 3600
	maxDescription   = 512
)

// What a run can be asked for.
const (
	maxConcurrency      = 1000
	minLeaseSeconds     = 30
	maxLeaseSeconds     = 3600
	maxMaxAttempts      = 1000
	maxWriteBudget      = 1000
	maxStalenessMinutes = 365 * 24 * 60
)

func cadenceTypes() map[string]attr.Type {
	return map[string]attr.Type{"minutes": types.Int64Type, "hours": types.Int64Type, "days": types.Int64Type}
}

func targetTypes() map[string]attr.Type {
	return map[string]attr.Type{
		"arn":                       types.StringType,
		"dead_letter_arn":           types.StringType,
		"maximum_event_age_seconds": types.Int64Type,
		"maximum_retry_attempts":    types.Int64Type,
	}
}

func checksTypes() map[string]attr.Type {
	return map[string]attr.Type{
		"concurrency":           types.Int64Type,
		"lease_seconds":         types.Int64Type,
		"max_attempts":          types.Int64Type,
		"write_budget":          types.Int64Type,
		"max_staleness_minutes": types.Int64Type,
	}
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A CadenceBucket: the signals that are checked on one cadence. It is an EventBridge rule on the default bus, " +
			"that rule's target, and the bucket's registry item in the table; the three are created, changed and removed together. " +
			"The signals in a bucket, and what checks write to them, are not this resource's.",
		Attributes: map[string]schema.Attribute{
			"name":    nameAttribute(),
			"cadence": cadenceAttribute(),
			"cron":    cronAttribute(),
			"enabled": enabledAttribute(),
			"target":  targetAttribute(),
			"checks":  checksAttribute(),
			"tags":    tagsAttribute(),
			"tags_all": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "All tags of the rule beside the provider's own: `tags`, and those of the provider's `default_tags` that it does not set. Known at plan; a tag changed by hand shows here and is changed back.",
			},
			"shards":   shardsAttribute(),
			"rule_arn": schema.StringAttribute{Computed: true, MarkdownDescription: "ARN of the rule, for the permission that lets it invoke the function. Known at plan unless the bucket is to be made; a rule that is made again has it again."},
			"description": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(""),
				Validators:          []validator.String{stringvalidator.UTF8LengthAtMost(maxDescription)},
				MarkdownDescription: "Description of the rule, for people; up to 512 characters. Default: empty. Changes in place; owned by Terraform.",
			},
			"rule_name": schema.StringAttribute{
				Optional: true, Computed: true,
				Validators: []validator.String{ruleNameValidator()},
				MarkdownDescription: "Name of the rule: up to 64 letters, digits, `.`, `-` and `_`. Default: `availability-<table>-<name>`; when that is longer, it is cut and ended by 8 hex digits of its SHA-256. " +
					"A change replaces the bucket. A rule of this name that is not this bucket's is never overwritten.",
			},
			"table_name": schema.StringAttribute{
				Optional: true, Computed: true,
				Validators:          []validator.String{tableNameValidator()},
				MarkdownDescription: "Name of the table that holds the bucket's registry item and its signals. Default: the provider's `table_name`. A change replaces the bucket.",
			},
			"force_destroy": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the bucket may be destroyed while it has signals, or while others have targets on its rule. Default: `false`. " +
					"The rule, all its targets and the bucket's own items are then removed; the signals stay, unchecked, until they expire. " +
					"It must be applied before the destroy that relies on it. Kept in the state alone.",
			},
			"bucket_id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The CadenceBucket ID, `cadenceBucket::<name>`, as signals carry it in `gsipk`. Known at plan.",
			},
			"schedule_expression": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The rule's schedule as EventBridge has it, such as `rate(5 minutes)`. Known at plan; a rule changed by hand shows here and is mended in place.",
			},
			"needs_repair": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "What of the bucket is not as it should be and has no attribute of its own: " + repairNames() + ". The registry's also show where the rule was changed by hand, and the item is not as the rule is now. Always planned as `[]`, so that the next apply mends it in place.",
			},
		},
	}
}

func nameAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Required:      true,
		Validators:    []validator.String{bucketNameValidator()},
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		MarkdownDescription: "Name of the bucket, by which signals refer to it, such as `5min`: 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit. " +
			"A change replaces the bucket; with `create_before_destroy` its signals can move to the new one first.",
	}
}

func cadenceAttribute() schema.SingleNestedAttribute {
	unit := func(name string) schema.Int64Attribute {
		return schema.Int64Attribute{
			CustomType:          whole.Type{},
			Optional:            true,
			MarkdownDescription: fmt.Sprintf("Time between ticks, in %s, from 1; at most 365 days. No default: set exactly one unit. Changes in place.", name),
		}
	}
	return schema.SingleNestedAttribute{
		Optional:      true,
		PlanModifiers: []planmodifier.Object{sameCadence{}},
		MarkdownDescription: "How often the bucket's signals are checked, in one unit. Set either this or `cron`. Changes in place; `{ minutes = 60 }` and `{ hours = 1 }` are the same. " +
			"Owned by Terraform: a schedule changed by hand is changed back.",
		Attributes: map[string]schema.Attribute{"minutes": unit("minutes"), "hours": unit("hours"), "days": unit("days")},
	}
}

func cronAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Optional:      true,
		Validators:    []validator.String{cronValidator()},
		PlanModifiers: []planmodifier.String{sameCron{}},
		MarkdownDescription: "When the bucket's signals are checked, as an EventBridge cron expression in UTC, such as `0/10 6-22 * * ? *` (minutes, hours, day-of-month, month, day-of-week, year; with or without `cron(...)`). " +
			"Set either this or `cadence`. Changes in place. Owned by Terraform: a schedule changed by hand is changed back.",
	}
}

func enabledAttribute() schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true, Default: booldefault.StaticBool(true),
		MarkdownDescription: "Whether the rule fires. Default: `true`. Changes in place. Owned by Terraform: a rule disabled by hand is enabled again, so that a bucket that is to stay stopped is stopped here.",
	}
}

func targetAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required:            true,
		MarkdownDescription: "What the rule calls with the bucket's ID as constant input. Owned by Terraform: a target removed or changed by hand is put back; targets that others add to the rule are left alone.",
		Attributes: map[string]schema.Attribute{
			"arn": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{functionValidator()},
				MarkdownDescription: "ARN of the Lambda function that checks, or of an alias or version of it, in the provider's region. Changes in place. The function's resource policy must allow the rule (`rule_arn`) to invoke it.",
			},
			"dead_letter_arn": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{queueValidator()},
				MarkdownDescription: "ARN of the SQS queue, no FIFO queue and in the provider's region, for ticks that could not be delivered. Default: none, they are dropped. Changes in place.",
			},
			"maximum_event_age_seconds": schema.Int64Attribute{
				CustomType: whole.Type{},
				Optional:   true, Computed: true,
				Validators: []validator.Int64{int64validator.Between(minEventAge, maxEventAge)},
				MarkdownDescription: "For how long a tick is delivered again, in seconds, 60 to 86400. Default: the cadence, within those bounds, because the next tick does the work of a late one; 3600 for `cron`. " +
					"Changes in place. It covers delivery to the function's queue; the function has settings of its own for what follows.",
			},
			"maximum_retry_attempts": schema.Int64Attribute{
				CustomType: whole.Type{},
				Optional:   true, Computed: true, Default: int64default.StaticInt64(trigger.DefaultMaximumRetryAttempts),
				Validators:          []validator.Int64{int64validator.Between(0, maxRetryAttempts)},
				MarkdownDescription: "How often the delivery of a tick is repeated within its age, 0 to 185. Default: 185. Changes in place.",
			},
		},
	}
}

func checksAttribute() schema.SingleNestedAttribute {
	defaults := signal.DefaultChecks()
	setting := func(lowest, highest int64, value int64, text string) schema.Int64Attribute {
		return schema.Int64Attribute{
			CustomType: whole.Type{},
			Optional:   true, Computed: true, Default: int64default.StaticInt64(value),
			Validators:          []validator.Int64{int64validator.Between(lowest, highest)},
			MarkdownDescription: fmt.Sprintf("%s, %d to %d. Default: %d. In effect from the next tick.", text, lowest, highest, value),
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true, Default: objectdefault.StaticValue(checksObject(defaults)),
		MarkdownDescription: "Settings of the bucket's runs, kept in its registry item. Default: those of its attributes. Change in place and are in effect from the next tick; owned by Terraform, read by the runtime.",
		Attributes: map[string]schema.Attribute{
			"concurrency":   setting(1, maxConcurrency, int64(defaults.Concurrency), "How many checks run at once"),
			"lease_seconds": setting(minLeaseSeconds, maxLeaseSeconds, int64(defaults.Lease/time.Second), "For how many seconds other runs leave a signal alone that a run is checking; at least the source's time-out and 20"),
			"max_attempts":  setting(1, maxMaxAttempts, int64(defaults.MaxAttempts), "After how many failed checks in a row a signal is quarantined: then it is tried every six hours"),
			"write_budget":  setting(1, maxWriteBudget, int64(defaults.WriteBudget), "How many finished checks per second and shard a run writes, so that it leaves the index's capacity to the application"),
			"max_staleness_minutes": setting(0, maxStalenessMinutes, int64(defaults.MaxStaleness/time.Minute),
				"How many minutes a clean value may go without being compared with its source; 0 turns these audits off"),
		},
	}
}

func tagsAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		Validators: []validator.Map{tags.Validator{Summary: invalidBucket}},
		MarkdownDescription: "Tags of the rule, up to 48 together with the provider's `default_tags`, before which they go. Default: none beside the provider's own, `" + trigger.TagOwner + "` and `" + trigger.TagManagedBy + "`, which show whose the rule is. " +
			"Keys may not begin with `" + trigger.TagPrefix + "` or `aws:`. Change in place; owned by Terraform: `tags_all` shows tags put on by hand, and they are removed.",
	}
}

func shardsAttribute() schema.Int64Attribute {
	return schema.Int64Attribute{
		CustomType: whole.Type{},
		Optional:   true, Computed: true, Default: int64default.StaticInt64(1),
		Validators: []validator.Int64{int64validator.Between(1, signal.MaxShards)},
		MarkdownDescription: "Over how many partitions of the cadence index the bucket's signals are spread, 1 to 16. By the limit that AWS publishes, 1,000 write units a second for a partition, one is good for 250 checks a second at most. Default: 1. " +
			"Goes up and down in place: checks move each signal when they next clean it.",
	}
}
