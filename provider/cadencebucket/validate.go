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

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/schedule"
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

type bucketNameValidator struct{}

func (bucketNameValidator) Description(context.Context) string {
	return "1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit"
}

func (v bucketNameValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (bucketNameValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := signal.ValidateBucketName(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, invalidBucket, diagnose.Sentence(err))
	}
}

type cronValidator struct{}

func (cronValidator) Description(context.Context) string { return "a cron expression of EventBridge" }

func (v cronValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (cronValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := schedule.ParseCron(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, invalidBucket, diagnose.Sentence(err))
	}
}

func ruleNameValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[.\-_A-Za-z0-9]{1,64}$`), "expected 1 to 64 letters, digits, dots, hyphens and underscores")
}

func tableNameValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[.\-_A-Za-z0-9]{3,255}$`), "expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores")
}

func arnValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^arn:[^:\s]+:[^:\s]+:[^:\s]*:[^:\s]*:\S+$`), "expected an ARN, such as arn:aws:lambda:ca-central-1:123456789012:function:availability")
}
