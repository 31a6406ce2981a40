package signal_test

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	tftypes "github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// standIn is as much of hashicorp/aws as these tests need, which is not installed
// everywhere: aws_dynamodb_table_item, with the state that it writes.
type standIn struct{ client *dynamodb.Client }

// withStandIn runs the provider and the stand-in for hashicorp/aws inside the test.
func (w *world) withStandIn() map[string]func() (tfprotov6.ProviderServer, error) {
	factories := acctest.Factories(w.option())
	factories["aws"] = providerserver.NewProtocol6WithError(&standIn{w.client})
	return factories
}

func (s *standIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "aws"
}

func (s *standIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (s *standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (s *standIn) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (s *standIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &tableItem{s.client} }}
}

type tableItem struct{ client *dynamodb.Client }

type tableItemModel struct {
	ID        tftypes.String `tfsdk:"id"`
	TableName tftypes.String `tfsdk:"table_name"`
	HashKey   tftypes.String `tfsdk:"hash_key"`
	RangeKey  tftypes.String `tfsdk:"range_key"`
	Item      tftypes.String `tfsdk:"item"`
}

func (r *tableItem) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "aws_dynamodb_table_item"
}

func (r *tableItem) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaced := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id":         schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		"table_name": schema.StringAttribute{Required: true, PlanModifiers: replaced},
		"hash_key":   schema.StringAttribute{Required: true, PlanModifiers: replaced},
		"range_key":  schema.StringAttribute{Optional: true, PlanModifiers: replaced},
		"item":       schema.StringAttribute{Required: true},
	}}
}

func (r *tableItem) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan tableItemModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if err := r.put(ctx, plan); err != nil {
		resp.Diagnostics.AddError("put", err.Error())
		return
	}
	plan.ID = tftypes.StringValue(plan.TableName.ValueString() + "|" + plan.Item.ValueString())
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *tableItem) put(ctx context.Context, plan tableItemModel) error {
	var values map[string]struct{ S, N *string }
	if err := json.Unmarshal([]byte(plan.Item.ValueString()), &values); err != nil {
		return err
	}
	item := map[string]types.AttributeValue{}
	for name, v := range values {
		switch {
		case v.S != nil:
			item[name] = &types.AttributeValueMemberS{Value: *v.S}
		case v.N != nil:
			item[name] = &types.AttributeValueMemberN{Value: *v.N}
		default:
			// The estimation pattern: as every one of these tests has it.
			item[name] = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
				"estimationMode": &types.AttributeValueMemberS{Value: "exact"},
			}}
		}
	}
	_, err := r.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(plan.TableName.ValueString()), Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	})
	if _, refused := errors.AsType[*types.ConditionalCheckFailedException](err); refused {
		// The SDK has sent it twice: nobody else has the table.
		return nil
	}
	return err
}

func (r *tableItem) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *tableItem) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

// Delete is what the move and the removal must not come to.
func (r *tableItem) Delete(_ context.Context, _ resource.DeleteRequest, resp *resource.DeleteResponse) {
	resp.Diagnostics.AddError("delete", "the table item was to be kept")
}

var (
	_ provider.Provider = (*standIn)(nil)
	_ resource.Resource = (*tableItem)(nil)
)
