package cadencebucket

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/textcheck"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const invalidBucket = "Invalid cadence bucket"

// validateSchedule holds that there is one schedule, and that it is one that
// EventBridge can keep.
func validateSchedule(ctx context.Context, config model) diag.Diagnostics {
	var diags diag.Diagnostics
	if config.Cadence.IsUnknown() || config.Cron.IsUnknown() {
		return diags
	}
	switch {
	case config.Cadence.IsNull() && config.Cron.IsNull():
		diags.AddError(invalidBucket, "It has no schedule: set cadence, such as cadence = { minutes = 5 }, or cron.")
		return diags
	case !config.Cadence.IsNull() && !config.Cron.IsNull():
		diags.AddAttributeError(path.Root("cron"), invalidBucket, "cron and cadence are both set: a bucket has one schedule, remove either.")
		return diags
	case config.Cadence.IsNull():
		return diags
	}
	c, known, d := config.cadence(ctx)
	diags.Append(d...)
	if !known || diags.HasError() {
		return diags
	}
	if unit, zero := config.zeroUnit(ctx); zero {
		diags.AddAttributeError(path.Root("cadence").AtName(unit), invalidBucket,
			fmt.Sprintf("Invalid cadence: %s: expected a whole number of at least 1, got 0. Leave out the units that are not used.", unit))
		return diags
	}
	if err := c.Validate(); err != nil {
		at := path.Root("cadence")
		if bad, ok := errors.AsType[*schedule.Error](err); ok && bad.Field != "" {
			at = at.AtName(bad.Field)
		}
		diags.AddAttributeError(at, invalidBucket, diagnose.Sentence(err))
	}
	return diags
}

func bucketNameValidator() validator.String {
	return textcheck.Validator{
		Summary: invalidBucket, Expected: "1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit",
		Check: signal.ValidateBucketName,
	}
}

func cronValidator() validator.String {
	return textcheck.Validator{Summary: invalidBucket, Expected: "a cron expression of EventBridge", Check: func(s string) error {
		_, err := schedule.ParseCron(s)
		return err
	}}
}

func tableNameValidator() validator.String {
	return textcheck.Validator{Summary: invalidBucket, Expected: "the name of a table", Check: awsclient.CheckTableName}
}

func ruleNameValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[.\-_A-Za-z0-9]{1,64}$`), "expected 1 to 64 letters, digits, dots, hyphens and underscores")
}

var function = regexp.MustCompile(`^arn:[^:\s]+:lambda:([^:\s]+):[0-9]{12}:function:\S+$`)

func functionValidator() validator.String {
	return stringvalidator.RegexMatches(function, "expected the ARN of a Lambda function, or of an alias or version of it, such as arn:aws:lambda:ca-central-1:123456789012:function:availability")
}

var queue = regexp.MustCompile(`^arn:[^:\s]+:sqs:([^:\s]+):[0-9]{12}:[\w-]{1,80}$`)

func queueValidator() validator.String {
	return stringvalidator.RegexMatches(queue, "expected the ARN of an SQS queue that is no FIFO queue, such as arn:aws:sqs:ca-central-1:123456789012:missed-ticks")
}

// checkRegions holds that a target's function and queue are where the rule is to be:
// EventBridge reaches no others.
func checkRegions(target types.Object, region string) (diags diag.Diagnostics) {
	for _, of := range []struct {
		attribute, what, why string
		arn                  *regexp.Regexp
	}{
		{"arn", "function", "calls functions", function},
		{"dead_letter_arn", "queue", "sends what it could not deliver to queues", queue},
	} {
		arn, ok := target.Attributes()[of.attribute].(types.String)
		if !ok {
			continue
		}
		if parts := of.arn.FindStringSubmatch(arn.ValueString()); parts != nil && region != "" && parts[1] != region {
			diags.AddAttributeError(path.Root("target").AtName(of.attribute), invalidBucket,
				fmt.Sprintf("The %s is in region %s, but the provider's region, in which the rule is, is %s: a rule %s of its own region only. Correct the ARN or the provider's region.", of.what, parts[1], region, of.why))
		}
	}
	return diags
}
