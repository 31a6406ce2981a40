package signal

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// validate is what can be said of a configuration by itself, beyond each
// attribute's own validator.
func (m rangeModel) validate(ctx context.Context) diag.Diagnostics {
	diags := m.validateTerms(ctx)
	span, known := m.span()
	switch {
	case !known:
	case span.Days() == 0:
		diags.AddAttributeError(path.Root("end_date"), invalidSignal, fmt.Sprintf("The range ends on %s, before it begins on %s.", span.Last, span.First))
		known = false
	case span.Days() > maxDays:
		diags.AddAttributeError(path.Root("end_date"), invalidSignal, fmt.Sprintf("The range from %s to %s has %d dates; the most is %d. Correct the dates, or make more than one range of it.", span.First, span.Last, span.Days(), maxDays))
	}
	diags.Append(m.validateExcept(span, known)...)
	diags.Append(m.validateTimeouts()...)
	return diags
}

// maxDays is a century.
const maxDays = 36_600

func (m rangeModel) validateExcept(span dynamo.Span, known bool) diag.Diagnostics {
	var diags diag.Diagnostics
	at := path.Root("except_dates")
	for _, element := range m.ExceptDates.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			continue
		}
		d, err := signal.ParseDate(text.ValueString())
		switch {
		case text.IsNull():
			diags.AddAttributeError(at.AtSetValue(element), invalidSignal, "The excepted date is null. Leave it out, or give a date as YYYY-MM-DD.")
		case err != nil:
			diags.AddAttributeError(at.AtSetValue(element), invalidSignal, diagnose.Sentence(err))
		case known && !span.Contains(d):
			diags.AddAttributeError(at.AtSetValue(element), invalidSignal, fmt.Sprintf("The excepted date %s is outside the range from %s to %s. Leave it out, or correct it.", d, span.First, span.Last))
		}
	}
	if except, all := m.except(); !diags.HasError() && known && all && len(except) == span.Days() {
		diags.AddAttributeError(at, invalidSignal, "Every date of the range is excepted, so that it has none. Remove the range, or correct the dates.")
	}
	return diags
}

// validateTimeouts refuses a time in which nothing can be done: its operation would
// fail at every apply. What is no duration at all, the attribute itself refuses.
func (m rangeModel) validateTimeouts() diag.Diagnostics {
	var diags diag.Diagnostics
	for name, value := range m.Timeouts.Attributes() {
		text, ok := value.(types.String)
		if !ok || text.IsNull() || text.IsUnknown() {
			continue
		}
		if timeout, err := time.ParseDuration(text.ValueString()); err == nil && timeout <= 0 {
			diags.AddAttributeError(path.Root("timeouts").AtName(name), invalidSignal, fmt.Sprintf("The timeout %q leaves no time to %s the range. Leave it out for 30m, or give a duration such as 45m.", text.ValueString(), name))
		}
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
	except, exceptKnown := m.except()
	m.Dates = types.Int64Unknown()
	if known && exceptKnown {
		m.Dates = types.Int64Value(int64(span.Days() - len(except)))
	}
	m.NeedsRepair = textList(nil)
	if state == nil {
		m.RangeID = types.StringUnknown()
		// A known [] would make a creation that seeds only some of the dates an
		// inconsistent result, which taints.
		m.MissingDates = types.ListUnknown(types.StringType)
		m.DriftedDates = types.ListUnknown(types.StringType)
		diags.Append(zoneWarning(config.TimeZone, data)...)
		if zone := zoneIn(config.TimeZone, data); known && zone != nil {
			if empty(dynamo.Range{Span: span, Except: except, Zone: zone}, data.Now()) {
				diags.Append(emptyRange(thing))
			}
		}
		return nil, diags
	}
	m.RangeID = was.RangeID
	m.MissingDates, m.DriftedDates = intervals(nil), intervals(nil)
	// Dates drift all at once where the provider's zone was taken away.
	drifted := len(was.DriftedDates.Elements()) > 0
	if drifted || !m.StartDate.Equal(was.StartDate) || !m.EndDate.Equal(was.EndDate) || !m.TimeZone.Equal(was.TimeZone) {
		diags.Append(zoneWarning(config.TimeZone, data)...)
	}
	if !m.TableName.Equal(was.TableName) {
		replace = append(replace, path.Root("table_name"))
	}
	return replace, diags
}

// empty is whether none of a range's dates is to have a signal.
func empty(r dynamo.Range, now time.Time) bool {
	for range r.Dates(now) {
		return false
	}
	return true
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
