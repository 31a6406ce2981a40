// Package runtimeenvironment is the data source of the environment variables of the
// runtime's function.
package runtimeenvironment

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/whole"
)

var (
	_ datasource.DataSourceWithConfigure      = (*DataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*DataSource)(nil)
)

// DataSource is availability_runtime_environment: typed settings as the function's
// environment variables.
type DataSource struct{ data *awsclient.Data }

// NewDataSource returns the data source, not configured yet.
func NewDataSource() datasource.DataSource { return &DataSource{} }

func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_runtime_environment"
}

func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

const (
	invalid = "Invalid runtime environment"
	thing   = "runtime environment"
)

func (d *DataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	resp.Diagnostics.Append(whole.Check(ctx, req.Config, invalid)...)
	if resp.Diagnostics.HasError() {
		return
	}
	e, diags := read(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if _, given := e.variables[tableName.variable()]; !given {
		// It may be the provider's, which is not known here.
		e.unknown[tableName.variable()] = true
	}
	resp.Diagnostics.Append(e.check()...)
}

func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var table, index types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(string(tableName)), &table)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(string(indexName)), &index)...)
	e, diags := read(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if table.IsNull() {
		name, ok := d.data.ReadTable(table, thing, req, resp)
		if !ok {
			return
		}
		table = types.StringValue(name)
		e.variables[tableName.variable()] = name
	}
	if index.IsNull() && d.data != nil && !d.data.CadenceIndexName.IsUnknown() {
		index = d.data.CadenceIndexName
		e.variables[indexName.variable()] = index.ValueString()
	}
	if resp.Diagnostics.Append(e.check()...); resp.Diagnostics.HasError() {
		return
	}
	open, secret := e.split()
	resp.State.Raw = req.Config.Raw.Copy()
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(string(tableName)), table)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(string(indexName)), index)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("variables"), open)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("sensitive_variables"), secret)...)
}
