package cadencebucket

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
)

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// DataSource is availability_cadence_bucket: a bucket's registration, and how its
// runs go.
type DataSource struct{ data *awsclient.Data }

// NewDataSource returns the data source, not configured yet.
func NewDataSource() datasource.DataSource { return &DataSource{} }

func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cadence_bucket"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	number := func(text string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: text}
	}
	text := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A registered CadenceBucket and its last run, as the table has them; EventBridge is not asked.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, Validators: []validator.String{bucketNameValidator()},
				MarkdownDescription: "Name of the bucket, such as `5min`.",
			},
			"table_name": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{tableNameValidator()},
				MarkdownDescription: "Name of the table that holds its registry item. Default: the provider's `table_name`.",
			},
			"bucket_id":           text("The CadenceBucket ID, `cadenceBucket::<name>`."),
			"schedule_expression": text("The registered schedule, such as `rate(5 minutes)`."),
			"cron":                text("The registered schedule as a cron expression; null for a cadence."),
			"rule_arn":            text("ARN of the EventBridge rule; null if it was never made."),
			"cadence": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "How often its signals are checked, in one unit; null with `cron`.",
				Attributes:          map[string]schema.Attribute{"minutes": number("Minutes between ticks."), "hours": number("Hours between ticks."), "days": number("Days between ticks.")},
			},
			"enabled": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it was registered as enabled."},
			"shards":  number("Over how many partitions of the cadence index its signals are spread."),
			"checks": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Settings of its runs.",
				Attributes: map[string]schema.Attribute{
					"concurrency":           number("How many checks run at once."),
					"lease_seconds":         number("For how many seconds other runs leave a signal alone."),
					"max_attempts":          number("After how many failed checks in a row a signal is quarantined."),
					"write_budget":          number("How many finished checks per second and shard a run writes."),
					"max_staleness_minutes": number("How many minutes a clean value may go without being audited; 0 for no audits."),
				},
			},
			"last_run": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "Its last run; null if there has been none.",
				Attributes: map[string]schema.Attribute{
					"started_at":          text("When the last run began, ISO 8601."),
					"previous_started_at": text("When the one before it began, ISO 8601."),
					"ended_at":            text("When the last run that came to its end did, ISO 8601; null if none has."),
					"counts": schema.MapAttribute{
						Computed: true, ElementType: types.Int64Type,
						MarkdownDescription: "The numbers that it reported, by name, such as `seen`, `cleaned`, `failed` and `remaining`.",
					},
				},
			},
			"stale": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether no run has come to its end for three cadences, or ever: all its signals are then stale."},
		},
	}
}

func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	name := config.Name.ValueString()
	table, ok := d.data.ReadTable(config.TableName, thing(name), req, resp)
	if !ok {
		return
	}
	b, err := d.data.Reader(table).Bucket(ctx, name)
	switch {
	case errors.Is(err, read.ErrNotFound):
		resp.Diagnostics.Append(awsclient.NotFound(thing(name), table, "Correct name or table_name, or make the bucket first, with a resource on which this data source depends.").Error())
	case err != nil:
		resp.Diagnostics.Append(awsclient.ReadFailure(thing(name), table, err).Error())
	default:
		state := dataState(table, b, d.data.Now())
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}
