package signal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/pattern"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// rangeModel is a range's configuration, plan or state.
type rangeModel struct {
	termsModel
	StartDate     types.String   `tfsdk:"start_date"`
	EndDate       types.String   `tfsdk:"end_date"`
	ExceptDates   types.Set      `tfsdk:"except_dates"`
	AdoptExisting types.Bool     `tfsdk:"adopt_existing"`
	RangeID       types.String   `tfsdk:"range_id"`
	Dates         types.Int64    `tfsdk:"dates"`
	MissingDates  types.List     `tfsdk:"missing_dates"`
	DriftedDates  types.List     `tfsdk:"drifted_dates"`
	NeedsRepair   types.List     `tfsdk:"needs_repair"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`
}

// rangeRef is a range and its table.
type rangeRef struct {
	table string
	dynamo.Range
}

// thing names the range in summaries.
func (r rangeRef) thing() string {
	return fmt.Sprintf("signal range %q", r.Product.String()+" "+r.Span.String())
}

// fields are what logs say of a range.
func (r rangeRef) fields() map[string]any {
	return map[string]any{"table": r.table, "product": r.Product.String(), "dates": r.Span.String(), "range_id": r.ID}
}

// span is the configured dates; known is false as long as they are not.
func (m rangeModel) span() (span dynamo.Span, known bool) {
	first, err := signal.ParseDate(m.StartDate.ValueString())
	last, err2 := signal.ParseDate(m.EndDate.ValueString())
	return dynamo.Span{First: first, Last: last}, err == nil && err2 == nil
}

// except is the excepted dates, in order; known is false as long as one is not.
func (m rangeModel) except() (dates []signal.Date, known bool) {
	for _, element := range m.ExceptDates.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			return nil, false
		}
		d, err := signal.ParseDate(text.ValueString())
		if err != nil {
			return nil, false
		}
		dates = append(dates, d)
	}
	slices.SortFunc(dates, signal.Date.Compare)
	return dates, !m.ExceptDates.IsUnknown()
}

// read is the range of a state. What an import leaves out is zero in it.
func (m rangeModel) read(ctx context.Context, data *awsclient.Data) (rangeRef, error) {
	r := rangeRef{table: m.TableName.ValueString(), Range: dynamo.Range{
		Product: m.product(), ID: m.RangeID.ValueString(), Bucket: m.CadenceBucket.ValueString(),
		Zone: zoneIn(m.TimeZone, data), Start: m.start(), Adopt: m.AdoptExisting.ValueBool(),
	}}
	r.Pattern, _ = readPattern(ctx, m.Pattern)
	span, known := m.span()
	except, exceptKnown := m.except()
	r.Span, r.Except = span, except
	switch {
	case !known && !m.StartDate.IsNull(), !exceptKnown:
		return r, errors.New("the dates in the state cannot be read")
	case r.Zone == nil:
		// The provider's zone is not known yet: which dates have expired is said
		// to within a few hours.
		r.Zone, r.ZoneGuessed = zoneIn(types.StringValue("UTC"), data), true
	}
	return r, r.Product.Validate()
}

// agrees is whether there is nothing to do: the state is as wanted in all that is
// written anywhere, and nothing is missing.
func (m rangeModel) agrees(was, want rangeRef) bool {
	return was.Span == want.Span && slices.Equal(was.Except, want.Except) &&
		was.Bucket == want.Bucket && dynamo.SamePattern(was.Pattern, want.Pattern) && was.Zone.String() == want.Zone.String() &&
		len(m.MissingDates.Elements()) == 0 && len(m.DriftedDates.Elements()) == 0 && len(m.NeedsRepair.Elements()) == 0
}

// observeState makes a state what there is of the range.
func (m *rangeModel) observeState(is dynamo.RangeState) {
	m.RangeID = types.StringValue(is.ID)
	if span, known := m.span(); !known || span != is.Span {
		m.StartDate = types.StringValue(is.First.String())
		m.EndDate = types.StringValue(is.Last.String())
	}
	if except, known := m.except(); !known || !slices.Equal(except, is.Except) || m.ExceptDates.IsNull() {
		m.ExceptDates = dateSet(is.Except)
	}
	m.Dates = types.Int64Value(int64(is.Days() - len(is.Except)))
	m.MissingDates = intervals(is.Missing)
	m.DriftedDates = intervals(is.Drifted)
	m.NeedsRepair = textList(is.Repairs)
}

func dateSet(dates []signal.Date) types.Set {
	elements := make([]attr.Value, len(dates))
	for i, d := range dates {
		elements[i] = types.StringValue(d.String())
	}
	return types.SetValueMust(types.StringType, elements)
}

// maxIntervals keeps the state small whatever is missing.
const maxIntervals = 50

// intervals renders dates, which are in order.
func intervals(dates []signal.Date) types.List {
	spans := dynamo.Spans(dates)
	var texts []string
	for i, s := range spans {
		if i == maxIntervals {
			texts = append(texts, fmt.Sprintf("and %d more", len(spans)-maxIntervals))
			break
		}
		texts = append(texts, s.String())
	}
	return textList(texts)
}

var uuid = pattern.New(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// validateRangeID holds that an id can stand in seededBy.
func validateRangeID(id string) error {
	if !uuid.Match(id) {
		return fmt.Errorf("range_id %q: expected the part after terraform: of the seededBy of the range's signals, which is a UUID", id)
	}
	return nil
}
