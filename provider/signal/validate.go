package signal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const invalidSignal = "Invalid signal"

// validate is what can be said of a configuration by itself, beyond each
// attribute's own validator.
func (m model) validate(ctx context.Context) diag.Diagnostics { return m.validateTerms(ctx) }

func (m termsModel) validateTerms(ctx context.Context) diag.Diagnostics {
	p, known, diags := parsePattern(ctx, m.Pattern)
	if diags.HasError() {
		return diags
	}
	if known && !m.InitialValue.IsNull() && !m.InitialValue.IsUnknown() {
		if err := possible(p, m.InitialValue.ValueString()); err != nil {
			diags.AddAttributeError(path.Root("initial_value"), invalidSignal, diagnose.Sentence(err))
		}
	}
	if m.productKnown() {
		// Its parts have validators of their own.
		err := m.product().Validate()
		if _, part := errors.AsType[*signal.PartError](err); err != nil && !part {
			diags.AddError(invalidSignal, diagnose.Sentence(err))
		}
	}
	return diags
}

// possible is whether a check could find that value.
func possible(p signal.Pattern, value string) error {
	if value == "" || value == signal.None {
		return nil
	}
	if p.Mode == signal.Exact {
		if strings.Trim(value, "0123456789") != "" || len(value) > 1 && value[0] == '0' {
			return fmt.Errorf("initial value %q: with the mode exact a value is a whole number such as 37, or %s", value, signal.None)
		}
		return nil
	}
	var ids []string
	for _, t := range p.Tiers {
		if t.ID == value {
			return nil
		}
		ids = append(ids, t.ID)
	}
	// Nothing left is full, also where no tier is.
	if soldOut, _ := p.Cache(signal.Estimate{Capacity: 1}); soldOut == value {
		return nil
	}
	return fmt.Errorf("initial value %q: with these tiers a value is one of %s, or %s", value, strings.Join(ids, ", "), signal.None)
}
