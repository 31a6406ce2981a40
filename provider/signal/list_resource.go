package signal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var (
	_ list.ListResourceWithConfigure      = (*ListResource)(nil)
	_ list.ListResourceWithValidateConfig = (*ListResource)(nil)
)

// ListResource lists the signals that availability_signal can manage, for
// terraform query.
type ListResource struct{ data *awsclient.Data }

// NewListResource returns the list resource, not configured yet.
func NewListResource() list.ListResource { return &ListResource{} }

func (l *ListResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_signal"
}

// ListResourceConfigSchema describes the list block.
func (l *ListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	part := func(what string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, Validators: []validator.String{partText},
			MarkdownDescription: "Id of the " + what + " whose signals are listed. The four parts are given together, or a `cadence_bucket`.",
		}
	}
	date := func(what, fallback string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, Validators: []validator.String{dateText},
			MarkdownDescription: "The " + what + " date to list of a product, `YYYY-MM-DD`. Default: " + fallback + ".",
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the signals of a product, or those of a CadenceBucket, that `availability_signal` can import: those of single resources and those without an owner, neither a range's nor the stream's, and none that has expired.",
		Attributes: map[string]schema.Attribute{
			"table_name": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tableText},
				MarkdownDescription: "Name of the table. Default: the provider's `table_name`.",
			},
			"collection_id": part("collection"),
			"activity_type": part("activity's type"),
			"activity_id":   part("activity"),
			"product_id":    part("product"),
			"start_date":    date("first", "the first that there is"),
			"end_date":      date("last", "the last that there is"),
			"cadence_bucket": schema.StringAttribute{
				Optional: true, Validators: []validator.String{bucketText},
				MarkdownDescription: "Name of the CadenceBucket whose signals are listed, whatever their product. Each is one more read than the index's.",
			},
			"state": schema.StringAttribute{
				Optional: true, Validators: []validator.String{listStateText},
				MarkdownDescription: "Which of the CadenceBucket's signals: `dirty`, `clean` or `any`. Default: `any`.",
			},
		},
	}
}

func (l *ListResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	l.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

func (l *ListResource) ValidateListResourceConfig(ctx context.Context, req list.ValidateConfigRequest, resp *list.ValidateConfigResponse) {
	var config listConfig
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.validate()...)
	}
}

func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config listConfig
	diags := req.Config.Get(ctx, &config)
	if !diags.HasError() {
		diags.Append(config.complete(l.data)...)
	}
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		left := req.Limit
		for is, err := range config.signals(ctx, l.data) {
			if err == nil && !is.Holder().Importable() {
				continue
			}
			if !push(config.result(ctx, req, is, err)) {
				return
			}
			if left--; req.Limit > 0 && left == 0 {
				return
			}
		}
	}
}

// listConfig is a list block.
type listConfig struct {
	productIdentity
	StartDate     types.String `tfsdk:"start_date"`
	EndDate       types.String `tfsdk:"end_date"`
	CadenceBucket types.String `tfsdk:"cadence_bucket"`
	State         types.String `tfsdk:"state"`
}

const (
	anyState   = "any"
	invalidFor = "Invalid list of signals"
)

var listStateText = textOf("dirty, clean or any", func(s string) error {
	if s != signal.Dirty && s != signal.Clean && s != anyState {
		return fmt.Errorf("state %q: expected dirty, clean or any", s)
	}
	return nil
})

func (c listConfig) validate() diag.Diagnostics {
	var diags diag.Diagnostics
	parts, unset := 0, ""
	for _, part := range []struct {
		name  string
		value types.String
	}{{"collection_id", c.CollectionID}, {"activity_type", c.ActivityType}, {"activity_id", c.ActivityID}, {"product_id", c.ProductID}} {
		if part.value.IsNull() {
			unset = part.name
			continue
		}
		parts++
	}
	ofBucket := !c.CadenceBucket.IsNull()
	switch {
	case ofBucket && (parts > 0 || !c.StartDate.IsNull() || !c.EndDate.IsNull()):
		diags.AddAttributeError(path.Root("cadence_bucket"), invalidFor, "A list is of a product, with its dates, or of a cadence_bucket. Give only one of them.")
	case !ofBucket && parts == 0:
		diags.AddError(invalidFor, "Give collection_id, activity_type, activity_id and product_id for the signals of a product, or cadence_bucket for those of a bucket.")
	case !ofBucket && parts < 4:
		diags.AddAttributeError(path.Root(unset), invalidFor, "A product has four parts: collection_id, activity_type, activity_id and product_id. Give all of them.")
	case !ofBucket && !c.State.IsNull():
		diags.AddAttributeError(path.Root("state"), invalidFor, "Only a bucket's signals are listed by their state. Leave it out, or give a cadence_bucket.")
	}
	first, err := signal.ParseDate(c.StartDate.ValueString())
	last, err2 := signal.ParseDate(c.EndDate.ValueString())
	if err == nil && err2 == nil && first.Compare(last) > 0 {
		diags.AddAttributeError(path.Root("end_date"), invalidFor, fmt.Sprintf("The dates end on %s, before they begin on %s.", last, first))
	}
	return diags
}

// complete sets the table, and says what is missing to list anything.
func (c *listConfig) complete(data *awsclient.Data) diag.Diagnostics {
	f := diagnose.Failure{Verb: "list", Thing: "signals"}
	if !data.Ready() || data.TableName.IsUnknown() && c.TableName.IsNull() || data.CadenceIndexName.IsUnknown() {
		f.What = "Settings of the provider are not known yet."
		f.Do = "Set them to values that are known without an apply."
		return diag.Diagnostics{f.Error()}
	}
	if c.TableName = data.Table(c.TableName); c.TableName.ValueString() == "" {
		return diag.Diagnostics{awsclient.NoTable(f.Verb, f.Thing)}
	}
	return nil
}

// signals are those that the block asks for, whoever's they are.
func (c listConfig) signals(ctx context.Context, data *awsclient.Data) iter.Seq2[dynamo.Seeded, error] {
	seeder := dynamo.NewSeeder(data.DynamoDB, c.TableName.ValueString(), data.Now, rand.Reader)
	if !c.CadenceBucket.IsNull() {
		var bits []string
		if state := c.State; !state.IsNull() && state.ValueString() != anyState {
			bits = []string{state.ValueString()}
		}
		return seeder.ListBucket(ctx, data.CadenceIndexName.ValueString(), c.CadenceBucket.ValueString(), bits...)
	}
	span := dynamo.Span{First: signal.Date{Year: 1, Month: 1, Day: 1}, Last: signal.Date{Year: 9999, Month: 12, Day: 31}}
	if d, err := signal.ParseDate(c.StartDate.ValueString()); err == nil {
		span.First = d
	}
	if d, err := signal.ParseDate(c.EndDate.ValueString()); err == nil {
		span.Last = d
	}
	return seeder.List(ctx, c.terms().product(), span)
}

func (c listConfig) result(ctx context.Context, req list.ListRequest, is dynamo.Seeded, err error) list.ListResult {
	if err != nil {
		return list.ListResult{Diagnostics: diag.Diagnostics{c.failure(err)}}
	}
	result := req.NewListResult(ctx)
	result.DisplayName = is.ProductDate.String()
	id := signalIdentity{newProductIdentity(c.TableName.ValueString(), is.Product), types.StringValue(is.Date.String())}
	result.Diagnostics.Append(result.Identity.Set(ctx, id)...)
	if req.IncludeResource {
		observed := model{termsModel: id.terms(), Date: id.Date}
		result.Diagnostics.Append(observed.observe(ctx, is)...)
		result.Diagnostics.Append(result.Resource.Set(ctx, &observed)...)
	}
	return result
}

func (c listConfig) failure(err error) diag.Diagnostic {
	f := failure("list", "signals", c.TableName.ValueString(), c.CadenceBucket.ValueString(), err)
	if errors.Is(err, signal.ErrKey) || errors.Is(err, signal.ErrDate) {
		f.State = "No resource can manage that signal. The others are listed."
		f.Do = "Have it seeded under a key whose parts are joined by \"::\"."
	}
	return f.Error()
}
