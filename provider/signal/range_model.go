package signal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// rangeModel is a range's configuration, plan or state.
type rangeModel struct {
	termsModel
	StartDate    types.String   `tfsdk:"start_date"`
	EndDate      types.String   `tfsdk:"end_date"`
	RangeID      types.String   `tfsdk:"range_id"`
	Dates        types.Int64    `tfsdk:"dates"`
	MissingDates types.List     `tfsdk:"missing_dates"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
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

// read is the range of a state. What an import leaves out is zero in it.
func (m rangeModel) read(ctx context.Context, data *awsclient.Data) (rangeRef, error) {
	r := rangeRef{table: m.TableName.ValueString(), Range: dynamo.Range{
		Product: m.product(), ID: m.RangeID.ValueString(), Bucket: m.CadenceBucket.ValueString(),
		Zone: zoneIn(m.TimeZone, data), Start: m.start(),
	}}
	r.Pattern, _ = readPattern(ctx, m.Pattern)
	span, known := m.span()
	r.Span = span
	switch {
	case !known && !m.StartDate.IsNull():
		return r, errors.New("the dates in the state cannot be read")
	case r.Zone == nil:
		// The provider's zone is not known yet: which dates have expired is said
		// to within a few hours.
		r.Zone = zoneIn(types.StringValue("UTC"), data)
	}
	return r, r.Product.Validate()
}

// agrees is whether there is nothing to do: the state is as wanted in all that is
// written anywhere, and nothing is missing.
func (m rangeModel) agrees(was, want rangeRef) bool {
	return was.Span == want.Span && was.Bucket == want.Bucket && dynamo.SamePattern(was.Pattern, want.Pattern) &&
		was.Zone.String() == want.Zone.String() && len(m.MissingDates.Elements()) == 0
}

// observeState makes a state what there is of the range.
func (m *rangeModel) observeState(is dynamo.RangeState) {
	m.RangeID = types.StringValue(is.ID)
	if span, known := m.span(); !known || span != is.Span {
		m.StartDate = types.StringValue(is.First.String())
		m.EndDate = types.StringValue(is.Last.String())
	}
	m.Dates = types.Int64Value(int64(is.Days()))
	m.MissingDates = intervals(is.Missing)
}

// maxIntervals keeps the state small whatever is missing.
const maxIntervals = 50

// intervals renders dates, which are in order.
func intervals(dates []signal.Date) types.List {
	spans := dynamo.Spans(dates)
	elements := []attr.Value{}
	for i, s := range spans {
		if i == maxIntervals {
			elements = append(elements, types.StringValue(fmt.Sprintf("and %d more", len(spans)-maxIntervals)))
			break
		}
		elements = append(elements, types.StringValue(s.String()))
	}
	return types.ListValueMust(types.StringType, elements)
}

// validateRangeID holds that an id can stand in seededBy.
func validateRangeID(id string) error {
	if id == "" || strings.ContainsFunc(id, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return fmt.Errorf("range_id %q: expected the UUID that follows terraform: in the seededBy of the range's signals", id)
	}
	return nil
}
