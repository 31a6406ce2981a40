package signal

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// selectionModel chooses signals: a product's dates, or a bucket's.
type selectionModel struct {
	CollectionID  types.String `tfsdk:"collection_id"`
	ActivityType  types.String `tfsdk:"activity_type"`
	ActivityID    types.String `tfsdk:"activity_id"`
	ProductID     types.String `tfsdk:"product_id"`
	StartDate     types.String `tfsdk:"start_date"`
	EndDate       types.String `tfsdk:"end_date"`
	CadenceBucket types.String `tfsdk:"cadence_bucket"`
	TableName     types.String `tfsdk:"table_name"`
}

const invalidSelectionSummary = "Invalid choice of signals"

func invalidSelection(attribute, detail string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(attribute), invalidSelectionSummary, detail)
}

func (m selectionModel) parts() []keyPart {
	return []keyPart{
		{"collection_id", m.CollectionID},
		{"activity_type", m.ActivityType},
		{"activity_id", m.ActivityID},
		{"product_id", m.ProductID},
	}
}

func (m selectionModel) dates() []keyPart {
	return []keyPart{{"start_date", m.StartDate}, {"end_date", m.EndDate}}
}

// validate holds that there is one choice, and that it is whole.
func (m selectionModel) validate() diag.Diagnostics {
	return validateChoice(m.CadenceBucket, append(m.parts(), m.dates()...), "start_date and end_date")
}

// validateChoice holds that either a bucket is set or all parts are.
func validateChoice(bucket types.String, parts []keyPart, dates string) diag.Diagnostics {
	for _, part := range parts {
		switch {
		case !bucket.IsNull() && !part.value.IsNull():
			return diag.Diagnostics{invalidSelection(part.name, part.name+" and cadence_bucket are both set: signals are chosen either by product and dates or by bucket.")}
		case bucket.IsNull() && part.value.IsNull():
			return diag.Diagnostics{invalidSelection(part.name, part.name+" is missing: signals are chosen by the four parts of their product, "+dates+", or by cadence_bucket.")}
		}
	}
	return nil
}

// selection is which signals are meant: a bucket's, or a product's between two
// dates.
type selection struct {
	bucket  string
	product signal.Product
	dynamo.Span
}

// String names the selection in summaries.
func (s selection) String() string {
	switch {
	case s.bucket != "":
		return fmt.Sprintf("signals of cadence bucket %q", s.bucket)
	case s.First == s.Last:
		return thing(s.product.String() + " " + s.First.String())
	}
	return fmt.Sprintf("signals %q", s.product.String()+" "+s.Span.String())
}

func (m selectionModel) selection() (selection, diag.Diagnostics) {
	if !m.CadenceBucket.IsNull() {
		return selection{bucket: m.CadenceBucket.ValueString()}, nil
	}
	var diags diag.Diagnostics
	s := selection{product: signal.Product{
		CollectionID: m.CollectionID.ValueString(), ActivityType: m.ActivityType.ValueString(),
		ActivityID: m.ActivityID.ValueString(), ProductID: m.ProductID.ValueString(),
	}}
	if err := s.product.Validate(); err != nil {
		diags.AddError(invalidSelectionSummary, diagnose.Sentence(err))
	}
	for _, date := range []struct {
		keyPart
		to *signal.Date
	}{{keyPart{"start_date", m.StartDate}, &s.First}, {keyPart{"end_date", m.EndDate}, &s.Last}} {
		d, err := signal.ParseDate(date.value.ValueString())
		if err != nil {
			diags.Append(invalidSelection(date.name, diagnose.Sentence(err)))
		}
		*date.to = d
	}
	if !diags.HasError() && s.Days() == 0 {
		diags.Append(invalidSelection("end_date", fmt.Sprintf("end_date %s is before start_date %s.", s.Last, s.First)))
	}
	return s, diags
}

// read reads the signals. Of a bucket it reads no more than limit of a state; more
// says that there are others.
func (s selection) read(ctx context.Context, r *read.Reader, state read.State, limit int) (readings []read.Reading, more bool, err error) {
	if s.bucket == "" {
		readings, err = r.Range(ctx, s.product, s.First, s.Last)
		return readings, false, err
	}
	for reading, err := range r.InBucket(ctx, s.bucket, state) {
		if err != nil {
			return nil, false, err
		}
		if len(readings) == limit {
			return readings, true, nil
		}
		readings = append(readings, reading)
	}
	return readings, false, nil
}
