package cadencebucket

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

var _ list.ListResourceWithConfigure = (*ListResource)(nil)

// ListResource lists the buckets of a table, for terraform query.
type ListResource struct{ data *awsclient.Data }

// NewListResource returns the list resource, not configured yet.
func NewListResource() list.ListResource { return &ListResource{} }

func (l *ListResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cadence_bucket"
}

// ListResourceConfigSchema describes the list block.
func (l *ListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the CadenceBuckets of a table, by the tags of the account's EventBridge rules: a bucket whose rule has been deleted by hand is not listed, an import by its id still finds it.",
		Attributes: map[string]schema.Attribute{
			"table_name": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{tableNameValidator()},
				MarkdownDescription: "Name of the table whose buckets are listed. Default: the provider's `table_name`.",
			},
		},
	}
}

func (l *ListResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	l.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

type listModel struct {
	TableName types.String `tfsdk:"table_name"`
}

func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config listModel
	diags := req.Config.Get(ctx, &config)
	config.TableName = l.data.Table(config.TableName)
	switch {
	case diags.HasError():
	case !l.data.Ready():
		diags.Append(diagnose.Failure{
			Verb: "list", Thing: "cadence buckets", What: "Settings of the provider are not known yet.",
			Do: "Set them to values that are known without an apply.",
		}.Error())
	case config.TableName.ValueString() == "":
		diags.Append(awsclient.NoTable("list", "cadence buckets"))
	}
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		left := req.Limit
		for o, err := range bucketsOf(l.data, config.TableName.ValueString()).list(ctx, config.TableName.ValueString()) {
			if !push(l.result(ctx, req, o, err)) {
				return
			}
			if left--; req.Limit > 0 && left == 0 {
				return
			}
		}
	}
}

func (l *ListResource) result(ctx context.Context, req list.ListRequest, o observation, err error) list.ListResult {
	if err != nil {
		return list.ListResult{Diagnostics: diag.Diagnostics{listFailure(o.ref, err)}}
	}
	result := req.NewListResult(ctx)
	result.DisplayName = o.name
	observed := newModel(o.ref).observe(ctx, o, l.data.DefaultTags)
	result.Diagnostics.Append(result.Identity.Set(ctx, observed.identity())...)
	if req.IncludeResource {
		result.Diagnostics.Append(result.Resource.Set(ctx, &observed)...)
	}
	return result
}
