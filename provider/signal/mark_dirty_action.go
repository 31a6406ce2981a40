package signal

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

var (
	_ action.ActionWithConfigure      = (*MarkDirtyAction)(nil)
	_ action.ActionWithValidateConfig = (*MarkDirtyAction)(nil)
)

// MarkDirtyAction is availability_mark_dirty.
type MarkDirtyAction struct{ data *awsclient.Data }

// NewMarkDirtyAction returns the action, not configured yet.
func NewMarkDirtyAction() action.Action { return &MarkDirtyAction{} }

func (a *MarkDirtyAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mark_dirty"
}

// Schema describes the action.
func (a *MarkDirtyAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	given := func(text string, v validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Validators: []validator.String{v}, MarkdownDescription: text}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Marks signals dirty, so that the next tick of their bucket computes them anew: after inventory was changed past the application, say, or restored from a backup. " +
			"It is given one signal, a product's dates, or a bucket. Expired signals are left alone; marking twice does no harm.",
		Attributes: map[string]schema.Attribute{
			"collection_id":  given("Id of the product's collection. Set it, the other three parts of the product and either `date` or `start_date` and `end_date`; or set `cadence_bucket`.", partText),
			"activity_type":  given("Type of the product's activity.", partText),
			"activity_id":    given("Id of the product's activity.", partText),
			"product_id":     given("Id of the product.", partText),
			"date":           given("The date of one signal, `YYYY-MM-DD`. It is an error if there is no such signal, or if it has expired.", dateText),
			"start_date":     given("The first of several dates, `YYYY-MM-DD`; dates without a signal are passed by.", dateText),
			"end_date":       given("The last of them, itself included.", dateText),
			"cadence_bucket": given("Name of the bucket all of whose signals are marked, as its index lists them.", bucketText),
			"table_name":     given("Name of the table. Default: the provider's `table_name`.", tableText),
		},
	}
}

func (a *MarkDirtyAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

type markDirtyModel struct {
	selectionModel
	Date types.String `tfsdk:"date"`
}

func (a *MarkDirtyAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config markDirtyModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.validate()...)
	}
}

// validate holds that one signal, a product's dates or a bucket are chosen.
func (m markDirtyModel) validate() diag.Diagnostics {
	several := !m.StartDate.IsNull() || !m.EndDate.IsNull()
	switch {
	case several && !m.Date.IsNull():
		return diag.Diagnostics{invalidSelection("date", "date is set together with start_date or end_date: set either one date, or the first and the last of several.")}
	case several:
		return m.selectionModel.validate()
	}
	return validateChoice(m.CadenceBucket, append(m.parts(), keyPart{"date", m.Date}), "date or start_date and end_date")
}

func (a *MarkDirtyAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config markDirtyModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	single := !config.Date.IsNull()
	if single {
		config.StartDate, config.EndDate = config.Date, config.Date
	}
	s, diags := config.selection()
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	table, ok := a.table(config.TableName, s, &resp.Diagnostics)
	if !ok {
		return
	}
	tell := func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
	tell("Marking %s dirty", s)
	m := newMarker(a.data.Reader(table), a.data.DynamoDB, table, a.data.Now)
	so, err := m.mark(ctx, s, func(so marked) { tell("%s so far", so) })
	switch {
	case err != nil:
		resp.Diagnostics.Append(markFailure(s, table, so, err))
	case single && so.dirty == 0:
		resp.Diagnostics.Append(nothingMarked(s, table, so))
	default:
		tell("%s: their bucket's next tick checks them", so)
	}
}

func (a *MarkDirtyAction) table(configured types.String, s selection, diags *diag.Diagnostics) (string, bool) {
	const verb = "mark dirty"
	switch configured = a.data.Table(configured); {
	case !a.data.Ready() || configured.IsUnknown():
		diags.Append(diagnose.Failure{
			Verb: verb, Thing: s.String(), What: "Settings of the provider are not known yet.", Do: "Invoke the action once they are.",
		}.Error())
	case configured.IsNull():
		diags.Append(awsclient.NoTable(verb, s.String()))
	default:
		return configured.ValueString(), true
	}
	return "", false
}

// String is what progress says of it.
func (m marked) String() string {
	text := fmt.Sprintf("Marked %s", signals(m.dirty))
	if m.expired > 0 {
		text += fmt.Sprintf(", left %d expired alone", m.expired)
	}
	return text
}

func signals(n int) string {
	if n == 1 {
		return "1 signal"
	}
	return fmt.Sprintf("%d signals", n)
}

func markFailure(s selection, table string, so marked, err error) diag.Diagnostic {
	f := awsclient.ReadFailure(s.String(), table, err)
	f.Verb = "mark dirty"
	f.State = fmt.Sprintf("%s before that.", so)
	f.Do += " Then invoke the action again: marking twice does no harm."
	return f.Error()
}

func nothingMarked(s selection, table string, so marked) diag.Diagnostic {
	f := diagnose.Failure{
		Verb: "mark dirty", Thing: s.String(), Path: path.Root("date"),
		What: fmt.Sprintf("There is no such signal in table %q.", table), Do: "Correct its key or table_name.",
	}
	if so.expired > 0 {
		f.What, f.Do = "It has expired, and nothing checks it any more.", "Choose a date that is not over."
	}
	return f.Error()
}
