package signal

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
)

// validate is what can be said of a configuration by itself, beyond each
// attribute's own validator.
func (m rangeModel) validate(ctx context.Context) diag.Diagnostics {
	diags := m.validateTerms(ctx)
	if span, known := m.span(); known && span.Days() == 0 {
		diags.AddAttributeError(path.Root("end_date"), invalidSignal, fmt.Sprintf("The range ends on %s, before it begins on %s.", span.Last, span.First))
	}
	return diags
}

// complete sets all of a plan that follows from the rest of it, and unknown what
// follows from something unknown. state is nil for a range that is to be made. It
// returns the attributes that the range is replaced for.
func (m *rangeModel) complete(ctx context.Context, config rangeModel, state *rangeModel, data *awsclient.Data) (replace []path.Path, diags diag.Diagnostics) {
	var was rangeModel
	if state != nil {
		was = *state
	}
	thing := m.thing()
	diags = m.completeTerms(ctx, config.termsModel, was.termsModel, data, thing)
	if diags.HasError() {
		return nil, diags
	}
	span, known := m.span()
	m.Dates = types.Int64Unknown()
	if known {
		m.Dates = types.Int64Value(int64(span.Days()))
	}
	if state == nil {
		m.RangeID = types.StringUnknown()
		// A known [] would make a creation that seeds only some of the dates an
		// inconsistent result, which taints.
		m.MissingDates = types.ListUnknown(types.StringType)
		diags.Append(zoneWarning(config.TimeZone, data)...)
		if zone := zoneIn(config.TimeZone, data); known && zone != nil {
			if _, any := (dynamo.Range{Span: span, Zone: zone}).Live(data.Now()); !any {
				diags.Append(emptyRange(thing))
			}
		}
		return nil, diags
	}
	m.RangeID = was.RangeID
	m.MissingDates = intervals(nil)
	if !m.StartDate.Equal(was.StartDate) || !m.EndDate.Equal(was.EndDate) || !m.TimeZone.Equal(was.TimeZone) {
		diags.Append(zoneWarning(config.TimeZone, data)...)
	}
	if !m.TableName.Equal(was.TableName) {
		replace = append(replace, path.Root("table_name"))
	}
	return replace, diags
}

// thing names the range in summaries, as far as it is known.
func (m rangeModel) thing() string {
	span, known := m.span()
	if !known || !m.productKnown() {
		return "signal range"
	}
	return rangeRef{Range: dynamo.Range{Product: m.product(), Span: span}}.thing()
}

// wanted is the range that a plan wants, all of which is known by the time that it
// is applied.
func (m rangeModel) wanted(ctx context.Context, data *awsclient.Data) (rangeRef, diag.Diagnostics) {
	var diags diag.Diagnostics
	want, err := m.read(ctx, data)
	if err != nil || want.Pattern.Mode == "" || want.Days() == 0 || want.table == "" {
		diags.Append(unusablePlan(m.thing()))
	}
	return want, diags
}
