package signal

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

var (
	_ datasource.DataSourceWithConfigure      = (*DataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*DataSource)(nil)
)

// DataSource is availability_signal: what an application sees of one signal.
type DataSource struct{ data *awsclient.Data }

// NewDataSource returns the data source, not configured yet.
func NewDataSource() datasource.DataSource { return &DataSource{} }

func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_signal"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	given := func(text string, v validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{v}, MarkdownDescription: text}
	}
	attributes := map[string]schema.Attribute{
		"collection_id": given("Id of the collection. Set it and the other four parts of the key, or `global_id`.", partText),
		"activity_type": given("Type of the activity.", partText),
		"activity_id":   given("Id of the activity.", partText),
		"product_id":    given("Id of the product.", partText),
		"date":          given("The date, `YYYY-MM-DD`.", dateText),
		"global_id": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "UUID of the signal's seeding, by which it is found through the table's index, which needs a moment after the seeding.",
		},
		"table_name": given("Name of the table. Default: the provider's `table_name`.", tableText),
	}
	maps.Copy(attributes, readingAttributes())
	resp.Schema = schema.Schema{
		MarkdownDescription: "What an application sees of one signal: its cached value, as of when that is, and what is to be said against it. It is read strongly consistent at every plan, so that it shows as it is then.",
		Attributes:          attributes,
	}
}

func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

type dataSourceModel struct {
	readingModel
	TableName types.String `tfsdk:"table_name"`
}

// key is the parts that a signal is given by, in order.
func (m readingModel) key() []keyPart {
	return []keyPart{
		{"collection_id", m.CollectionID},
		{"activity_type", m.ActivityType},
		{"activity_id", m.ActivityID},
		{"product_id", m.ProductID},
		{"date", m.Date},
	}
}

type keyPart struct {
	name  string
	value types.String
}

func (d *DataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var config dataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	for _, part := range config.key() {
		switch {
		case !config.GlobalID.IsNull() && !part.value.IsNull():
			resp.Diagnostics.AddAttributeError(path.Root(part.name), invalidSignal, part.name+" and global_id are both set: a signal is given by either its key or its global_id.")
			return
		case config.GlobalID.IsNull() && part.value.IsNull():
			resp.Diagnostics.AddAttributeError(path.Root(part.name), invalidSignal, part.name+" is missing: a signal is given by the five parts of its key, or by its global_id.")
			return
		}
	}
}

func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	name, date, diags := config.asked()
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	table, ok := d.data.ReadTable(config.TableName, thing(name), req, resp)
	if !ok {
		return
	}
	reading, err := readOne(ctx, d.data.Reader(table), config.GlobalID.ValueString(), date)
	switch {
	case errors.Is(err, read.ErrNotFound):
		resp.Diagnostics.Append(awsclient.NotFound(thing(name), table, "Correct its key or table_name, or seed it first, with a resource on which this data source depends.").Error())
	case err != nil:
		resp.Diagnostics.Append(awsclient.ReadFailure(thing(name), table, err).Error())
	default:
		state := dataSourceModel{readingModel: readingOf(reading), TableName: types.StringValue(table)}
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// asked is what the configuration asks for, and its name in messages.
func (m dataSourceModel) asked() (name string, date signal.ProductDate, diags diag.Diagnostics) {
	if !m.GlobalID.IsNull() {
		return m.GlobalID.ValueString(), date, nil
	}
	r, err := model{termsModel: m.readingModel.terms(), Date: m.Date}.ref()
	if err != nil {
		diags.AddError(invalidSignal, diagnose.Sentence(err))
	}
	return r.ProductDate.String(), r.ProductDate, diags
}

func (m readingModel) terms() termsModel {
	return termsModel{CollectionID: m.CollectionID, ActivityType: m.ActivityType, ActivityID: m.ActivityID, ProductID: m.ProductID}
}

// readOne reads a signal by its globalId, or else its date.
func readOne(ctx context.Context, r *read.Reader, globalID string, date signal.ProductDate) (read.Reading, error) {
	if globalID != "" {
		return r.ByGlobalID(ctx, globalID)
	}
	readings, err := r.Each(ctx, date)
	if err != nil {
		return read.Reading{}, err
	}
	if readings[0].Missing {
		return read.Reading{}, fmt.Errorf("read signal %s: %w", date, read.ErrNotFound)
	}
	return readings[0], nil
}
