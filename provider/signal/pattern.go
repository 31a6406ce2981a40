package signal

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

type patternModel struct {
	EstimationMode types.String `tfsdk:"estimation_mode"`
	Tiers          types.List   `tfsdk:"tiers"`
}

type tierModel struct {
	ID            types.String `tfsdk:"id"`
	Label         types.String `tfsdk:"label"`
	MaxPercentage types.Number `tfsdk:"max_percentage"`
}

func patternPath() path.Path { return path.Root("availability_estimation_pattern") }

// readPattern is a whole pattern; ok is false where it is null, not wholly known,
// or not valid.
func readPattern(ctx context.Context, o types.Object) (p signal.Pattern, ok bool) {
	p, known, diags := parsePattern(ctx, o)
	return p, known && !diags.HasError()
}

// parsePattern is the pattern that an object describes, and what is wrong with
// it; known is false as long as a part of it is unknown, or all of it is null.
func parsePattern(ctx context.Context, o types.Object) (p signal.Pattern, known bool, diags diag.Diagnostics) {
	if o.IsNull() || o.IsUnknown() {
		return p, false, nil
	}
	var m patternModel
	diags = o.As(ctx, &m, basetypes.ObjectAsOptions{})
	if diags.HasError() || m.EstimationMode.IsUnknown() || m.Tiers.IsUnknown() {
		return p, false, diags
	}
	p.Mode = signal.Mode(m.EstimationMode.ValueString())
	if p.Mode != signal.Tiered {
		if !m.Tiers.IsNull() {
			diags.AddAttributeError(patternPath().AtName("tiers"), invalidSignal, "Only the mode tiered has tiers. Remove them, or set estimation_mode = \"tiered\".")
		}
		return p, true, diags
	}
	if m.Tiers.IsNull() {
		p.Tiers = signal.DefaultTiers()
		return p, true, diags
	}
	p.Tiers, known, diags = parseTiers(ctx, m.Tiers)
	if !known || diags.HasError() {
		return p, known, diags
	}
	if err := signal.ValidateTiers(p.Tiers); err != nil {
		at := patternPath().AtName("tiers")
		if bad, ok := errors.AsType[*signal.TierError](err); ok && bad.Index >= 0 {
			at = at.AtListIndex(bad.Index)
		}
		diags.AddAttributeError(at, invalidSignal, diagnose.Sentence(err))
	}
	return p, true, diags
}

func parseTiers(ctx context.Context, l types.List) (tiers []signal.Tier, known bool, diags diag.Diagnostics) {
	known = true
	for i, element := range l.Elements() {
		at := patternPath().AtName("tiers").AtListIndex(i)
		o, ok := element.(types.Object)
		if !ok || o.IsUnknown() {
			known = false
			continue
		}
		if o.IsNull() {
			diags.AddAttributeError(at, invalidSignal, "The tier is null. Leave it out, or give its id and max_percentage.")
			continue
		}
		var m tierModel
		diags.Append(o.As(ctx, &m, basetypes.ObjectAsOptions{})...)
		if m.ID.IsUnknown() || m.Label.IsUnknown() || m.MaxPercentage.IsUnknown() {
			known = false
			continue
		}
		if !m.Label.IsNull() && m.Label.ValueString() == "" {
			diags.AddAttributeError(at.AtName("label"), invalidSignal, fmt.Sprintf("Tier %d (%s): label is empty. Leave it out for a tier without one.", i+1, m.ID.ValueString()))
		}
		bound, err := fraction(m.MaxPercentage.ValueBigFloat())
		if err != nil {
			diags.AddAttributeError(at.AtName("max_percentage"), invalidSignal,
				diagnose.Sentence(fmt.Errorf("tier %d (%s): max_percentage: %w%s", i+1, m.ID.ValueString(), err, percentHint(m.MaxPercentage.ValueBigFloat()))))
		}
		tiers = append(tiers, signal.Tier{ID: m.ID.ValueString(), Label: m.Label.ValueString(), MaxPercentage: bound})
	}
	return tiers, known, diags
}

// percentHint is for who has taken max_percentage by its name.
func percentHint(n *big.Float) string {
	hundred := big.NewFloat(100)
	if n == nil || n.Cmp(big.NewFloat(1)) <= 0 || n.Cmp(hundred) > 0 {
		return ""
	}
	meant, err := fraction(new(big.Float).SetPrec(512).Quo(n, hundred))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; it is a fraction: did you mean %s?", meant)
}

// fraction is a number of Terraform's, which has 512 bits, as the decimal that was
// meant: what arithmetic has left with an endless tail is rounded as a float64.
func fraction(n *big.Float) (signal.Fraction, error) {
	if n == nil {
		n = new(big.Float)
	}
	exact := n.Text('f', -1)
	if _, decimals, _ := strings.Cut(exact, "."); len(decimals) > 18 {
		v, _ := n.Float64()
		exact = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return signal.ParseFraction(exact)
}

// patternValue is a pattern as an attribute; null where there is none.
func patternValue(p signal.Pattern) (types.Object, diag.Diagnostics) {
	if p.Mode == "" {
		return types.ObjectNull(patternTypes()), nil
	}
	tiers, diags := tiersValue(p)
	o, more := types.ObjectValue(patternTypes(), map[string]attr.Value{
		"estimation_mode": types.StringValue(string(p.Mode)),
		"tiers":           tiers,
	})
	diags.Append(more...)
	return o, diags
}

func tiersValue(p signal.Pattern) (types.List, diag.Diagnostics) {
	if p.Mode != signal.Tiered {
		return types.ListNull(tierType()), nil
	}
	var diags diag.Diagnostics
	elements := make([]attr.Value, len(p.Tiers))
	for i, t := range p.Tiers {
		label := types.StringNull()
		if t.Label != "" {
			label = types.StringValue(t.Label)
		}
		o, more := types.ObjectValue(tierType().AttrTypes, map[string]attr.Value{
			"id": types.StringValue(t.ID), "label": label, "max_percentage": types.NumberValue(number(t.MaxPercentage)),
		})
		diags.Append(more...)
		elements[i] = o
	}
	l, more := types.ListValue(tierType(), elements)
	diags.Append(more...)
	return l, diags
}

// number is a fraction with Terraform's own precision, so that it equals the same
// decimal in a configuration.
func number(f signal.Fraction) *big.Float {
	n, _, err := big.ParseFloat(f.String(), 10, 512, big.ToNearestEven)
	if err != nil {
		return new(big.Float)
	}
	return n
}

// completePattern is a planned pattern with its default tiers, and as the state
// has it where that means the same.
func completePattern(ctx context.Context, config, state types.Object) (types.Object, diag.Diagnostics) {
	p, known, diags := parsePattern(ctx, config)
	if diags.HasError() {
		return config, diags
	}
	if !known {
		return undecided(ctx, config)
	}
	if was, ok := readPattern(ctx, state); ok && dynamo.SamePattern(was, p) {
		return state, nil
	}
	var m patternModel
	diags.Append(config.As(ctx, &m, basetypes.ObjectAsOptions{})...)
	if !m.Tiers.IsNull() || p.Mode != signal.Tiered {
		return config, diags
	}
	return patternValue(p)
}

// undecided is a pattern of which a part is unknown: whether its tiers are the
// default ones cannot be said while its mode is.
func undecided(ctx context.Context, config types.Object) (types.Object, diag.Diagnostics) {
	if config.IsNull() || config.IsUnknown() {
		return config, nil
	}
	var m patternModel
	diags := config.As(ctx, &m, basetypes.ObjectAsOptions{})
	if diags.HasError() || !m.EstimationMode.IsUnknown() || !m.Tiers.IsNull() {
		return config, diags
	}
	o, more := types.ObjectValue(patternTypes(), map[string]attr.Value{
		"estimation_mode": m.EstimationMode,
		"tiers":           types.ListUnknown(tierType()),
	})
	diags.Append(more...)
	return o, diags
}
