// Package textcheck validates strings by themselves.
package textcheck

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

// Validator validates a string that is known and not null.
type Validator struct {
	// Summary is what the error is called.
	Summary string
	// Expected describes what the string is to be, for the documentation.
	Expected string
	// Check returns what is wrong, and what was expected.
	Check func(string) error
}

var _ validator.String = Validator{}

func (v Validator) Description(context.Context) string { return v.Expected }

func (v Validator) MarkdownDescription(context.Context) string { return v.Expected }

func (v Validator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.Check(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, v.Summary, diagnose.Sentence(err))
	}
}
