// Package iampolicy is the data source of IAM policies: for each role that works with
// signals, the least that it needs.
package iampolicy

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

var (
	_ datasource.DataSourceWithConfigure      = (*DataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*DataSource)(nil)
)

// DataSource is availability_iam_policy_document: the policy of a role.
type DataSource struct{ data *awsclient.Data }

// NewDataSource returns the data source, not configured yet.
func NewDataSource() datasource.DataSource { return &DataSource{} }

func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_iam_policy_document"
}

func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.data = awsclient.From(req.ProviderData, &resp.Diagnostics)
}

const (
	invalid = "Invalid IAM policy document"
	thing   = "IAM policy document"
)

func (d *DataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.validate()...)
	}
}

func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	state.CadenceIndexName = d.index(state, "cadence_index_name", state.CadenceIndexName, resp)
	state.GlobalIDIndexName = d.index(state, "global_id_index_name", state.GlobalIDIndexName, resp)
	if resp.Diagnostics.HasError() {
		return
	}
	s, diags := state.scope(ctx)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	text, err := s.policy(state.Role.ValueString()).json()
	if err != nil {
		resp.Diagnostics.Append(diagnose.Failure{Verb: "render", Thing: thing, What: diagnose.Sentence(err)}.Error())
		return
	}
	state.JSON = types.StringValue(text)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// index is an index's name: the configured one, else the provider's, for a role that
// uses it.
func (d *DataSource) index(config model, attribute string, configured types.String, resp *datasource.ReadResponse) types.String {
	if !configured.IsNull() || d.data == nil || !used(attribute, config.Role.ValueString()) {
		return configured
	}
	name := d.data.CadenceIndexName
	if attribute == "global_id_index_name" {
		name = d.data.GlobalIDIndexName
	}
	if name.IsUnknown() {
		resp.Diagnostics.Append(diagnose.Failure{
			Verb: "render", Thing: thing, Path: path.Root(attribute),
			What: "The provider's " + attribute + " is not known before the apply.",
			Do:   "Set " + attribute + " here.",
		}.Error())
	}
	return name
}
