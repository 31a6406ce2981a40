// Idle is a provider that does nothing: its resource has the schema of
// availability_signal, and no item behind it. What it takes is what Terraform, the
// plugin protocol and the framework take of such a resource, whoever provides it:
// benchmarks compare with it.
package main

import (
	"context"
	"log"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	availability "github.com/availability-signal/terraform-provider-availability/provider"
	"github.com/availability-signal/terraform-provider-availability/provider/signal"
)

func main() {
	log.SetFlags(0)
	err := availability.Tune()
	if err == nil {
		err = providerserver.Serve(context.Background(), func() provider.Provider { return idle{} }, providerserver.ServeOpts{
			Address: "registry.terraform.io/availability-signal/idle",
		})
	}
	if err != nil {
		log.Fatal(err)
	}
}

type idle struct{}

func (idle) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "idle"
}

func (idle) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (idle) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (idle) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (idle) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return described{signal.NewResource()} }}
}

// described is a resource of which there is nothing but the name and the schemas.
type described struct{ resource.Resource }

func (d described) IdentitySchema(ctx context.Context, req resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	d.Resource.(resource.ResourceWithIdentity).IdentitySchema(ctx, req, resp)
}

func (d described) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = known(req.Plan)
	resp.Diagnostics.Append(identify(ctx, resp.State, resp.Identity)...)
}

// Read leaves the state as it is.
func (described) Read(ctx context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
	resp.Diagnostics.Append(identify(ctx, resp.State, resp.Identity)...)
}

func (described) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = known(req.Plan)
}

// Delete has nothing to delete.
func (described) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// identify takes the identity from the state.
func identify(ctx context.Context, state tfsdk.State, identity *tfsdk.ResourceIdentity) (diags diag.Diagnostics) {
	for name := range identity.Schema.GetAttributes() {
		var is types.String
		diags.Append(state.GetAttribute(ctx, path.Root(name), &is)...)
		diags.Append(identity.SetAttribute(ctx, path.Root(name), is)...)
	}
	return diags
}

// made is a text for what is made up, about as long as the real ones.
const made = "00000000-0000-4000-8000-000000000000"

// known is a plan with something, or null, for all that is unknown.
func known(plan tfsdk.Plan) tftypes.Value {
	is, err := tftypes.Transform(plan.Raw, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		switch {
		case v.IsKnown():
			return v, nil
		case v.Type().Is(tftypes.String):
			return tftypes.NewValue(v.Type(), made), nil
		case slices.Equal(at.Steps(), []tftypes.AttributePathStep{tftypes.AttributeName("needs_repair")}):
			return tftypes.NewValue(v.Type(), []tftypes.Value{}), nil
		}
		return tftypes.NewValue(v.Type(), nil), nil
	})
	if err != nil {
		log.Fatal(err) // Nothing above fails.
	}
	return is
}
