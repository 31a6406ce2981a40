package signal

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/whole"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
)

// How many signals of a bucket are read, and the most that can be asked for: all
// of them go into the state.
const (
	defaultReadLimit = 1000
	maxReadLimit     = 100_000
)

var (
	_ datasource.DataSourceWithConfigure      = (*SignalsDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*SignalsDataSource)(nil)
)

// SignalsDataSource is availability_signals: what an application sees of a
// product's dates, or of a bucket.
type SignalsDataSource struct{ data *awsclient.Data }

// NewSignalsDataSource returns the data source, not configured yet.
func NewSignalsDataSource() datasource.DataSource { return &SignalsDataSource{} }

func (d *SignalsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_signals"
}

// Schema describes the data source.
func (d *SignalsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	given := func(text string, v ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Validators: v, MarkdownDescription: text}
	}
	found := map[string]schema.Attribute{}
	for name, text := range map[string]string{
		"collection_id": "Id of the collection.", "activity_type": "Type of the activity.", "activity_id": "Id of the activity.",
		"product_id": "Id of the product.", "date": "The date, `YYYY-MM-DD`.", "global_id": "UUID of the signal's seeding.",
	} {
		found[name] = schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	maps.Copy(found, readingAttributes())
	resp.Schema = schema.Schema{
		MarkdownDescription: "What an application sees of many signals: those of a product from one date to another, or those of a bucket. They are read strongly consistent at every plan, so that they show as they are then.",
		Attributes: map[string]schema.Attribute{
			"collection_id":  given("Id of the product's collection. Set it, the other three parts of the product, `start_date` and `end_date`, or `cadence_bucket`.", partText),
			"activity_type":  given("Type of the product's activity.", partText),
			"activity_id":    given("Id of the product's activity.", partText),
			"product_id":     given("Id of the product.", partText),
			"start_date":     given("The first date, `YYYY-MM-DD`.", dateText),
			"end_date":       given("The last date, `YYYY-MM-DD`, itself included.", dateText),
			"cadence_bucket": given("Name of the bucket whose signals are read, through the cadence index.", bucketText),
			"state":          given("Which signals of the bucket: `dirty`, `clean` or `any`. Default: `any`.", stringvalidator.OneOf(string(read.Dirty), string(read.Clean), string(read.Any))),
			"limit": schema.Int64Attribute{
				CustomType: whole.Type{},
				Optional:   true, Validators: []validator.Int64{int64validator.Between(1, maxReadLimit)},
				MarkdownDescription: fmt.Sprintf("How many signals of the bucket are read at most, 1 to %d; `more` says whether there are others. Default: %d.", maxReadLimit, defaultReadLimit),
			},
			"table_name": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{tableText},
				MarkdownDescription: "Name of the table. Default: the provider's `table_name`.",
			},
			"more": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether there are more signals in the bucket than `limit`."},
			"signals": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The signals: of a product in order of their dates, of which those without a signal are left out; of a bucket the dirty ones first.",
				NestedObject:        schema.NestedAttributeObject{Attributes: found},
			},
		},
	}
}

func (d *SignalsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

type signalsModel struct {
	selectionModel
	State   types.String `tfsdk:"state"`
	Limit   types.Int64  `tfsdk:"limit"`
	More    types.Bool   `tfsdk:"more"`
	Signals types.List   `tfsdk:"signals"`
}

func (d *SignalsDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var config signalsModel
	resp.Diagnostics.Append(whole.Check(ctx, req.Config, invalidSelectionSummary)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.validate()...)
	for _, given := range []struct {
		name string
		set  bool
	}{{"state", !config.State.IsNull()}, {"limit", !config.Limit.IsNull()}} {
		if given.set && config.CadenceBucket.IsNull() {
			resp.Diagnostics.Append(invalidSelection(given.name, given.name+" is set without cadence_bucket, whose signals it chooses."))
		}
	}
}

func (d *SignalsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state signalsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	s, diags := state.selection()
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	table, ok := d.data.ReadTable(state.TableName, s.String(), req, resp)
	if !ok {
		return
	}
	reader := d.data.Reader(table)
	readings, more, err := s.read(ctx, reader, state.bit(), state.limit())
	if err != nil {
		resp.Diagnostics.Append(awsclient.ReadFailure(s.String(), table, err).Error())
		return
	}
	if len(readings) == 0 && s.bucket != "" {
		// Only a missing item says something of the name.
		if _, err := reader.Bucket(ctx, s.bucket); errors.Is(err, read.ErrNotFound) {
			resp.Diagnostics.AddAttributeWarning(path.Root("cadence_bucket"), "No such cadence bucket",
				fmt.Sprintf("Cadence bucket %q is not registered in table %q, and has no signals there. Correct cadence_bucket or table_name, or create the bucket first, as a resource on which this data source depends.", s.bucket, table))
		}
	}
	models := make([]readingModel, len(readings))
	for i, reading := range readings {
		models[i] = readingOf(reading)
	}
	state.TableName, state.More = types.StringValue(table), types.BoolValue(more)
	state.Signals, diags = types.ListValueFrom(ctx, types.ObjectType{AttrTypes: readingTypes()}, models)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (m signalsModel) bit() read.State {
	if m.State.IsNull() {
		return read.Any
	}
	return read.State(m.State.ValueString())
}

func (m signalsModel) limit() int {
	if m.Limit.IsNull() {
		return defaultReadLimit
	}
	return int(m.Limit.ValueInt64())
}
