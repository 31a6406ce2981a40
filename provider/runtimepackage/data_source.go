// Package runtimepackage is the data source of the Lambda package that the provider
// carries in itself.
package runtimepackage

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/bundle"
)

var _ datasource.DataSourceWithValidateConfig = (*DataSource)(nil)

// DataSource is availability_runtime_package: the Lambda package as a file.
type DataSource struct{ bundle bundle.Bundle }

// NewDataSource returns the constructor of the data source of those packages. It
// needs nothing of the provider's configuration.
func NewDataSource(b bundle.Bundle) func() datasource.DataSource {
	return func() datasource.DataSource { return &DataSource{b} }
}

func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_runtime_package"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	computed := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The Lambda package of the runtime that this release of the provider carries in itself, written to a file. It is read, and written, at every plan; AWS is not asked. Where plan and apply run on different machines, the file travels with the plan. Each release carries the same packages beside the provider, for S3 or for code signing.",
		Attributes: map[string]schema.Attribute{
			"architecture": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Architecture of the function, `arm64` or `x86_64`. Default: `arm64`.",
			},
			"output_path": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "File to write, from the folder in which Terraform runs. Default: `.terraform/availability/<architecture>-<first 8 digits of sha256>.zip`. It is returned as given, so that two machines plan alike.",
			},
			"expected_version": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The `version` that is wanted. With another one the plan fails, so that an upgrade of the provider changes the function only when somebody has said so. Default: any.",
			},
			"version":          computed("Release in which the package last changed, such as `1.2.0`. Releases of the provider that do not change it leave it as it is."),
			"sha256":           computed("SHA-256 of the file, in hexadecimal."),
			"source_code_hash": computed("SHA-256 of the file, in base64, for the function's `source_code_hash`."),
			"handler":          computed("The function's handler, `" + bundle.Handler + "`."),
			"runtime":          computed("The function's runtime, `" + bundle.Runtime + "`."),
		},
	}
}

type model struct {
	Architecture    types.String `tfsdk:"architecture"`
	OutputPath      types.String `tfsdk:"output_path"`
	ExpectedVersion types.String `tfsdk:"expected_version"`
	Version         types.String `tfsdk:"version"`
	SHA256          types.String `tfsdk:"sha256"`
	SourceCodeHash  types.String `tfsdk:"source_code_hash"`
	Handler         types.String `tfsdk:"handler"`
	Runtime         types.String `tfsdk:"runtime"`
}

const (
	invalid = "Invalid Lambda package"
	thing   = "Lambda package"
)

func (d *DataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if a := config.Architecture; given(a) && !slices.Contains(bundle.Architectures(), a.ValueString()) {
		resp.Diagnostics.AddAttributeError(path.Root("architecture"), invalid, fmt.Sprintf("Architecture %q: expected %s.", a.ValueString(), strings.Join(bundle.Architectures(), " or ")))
	}
	if given(config.OutputPath) && config.OutputPath.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(path.Root("output_path"), invalid, "The output path is empty; leave it out for the default.")
	}
	if v := config.ExpectedVersion; given(v) && v.ValueString() != bundle.Version() {
		resp.Diagnostics.AddAttributeError(path.Root("expected_version"), "Another Lambda package than expected", fmt.Sprintf(
			"This release of the provider carries version %s of the Lambda package, not %s. Set expected_version to %s once the changelog has been read, or use a release of the provider that carries %s.",
			bundle.Version(), v.ValueString(), bundle.Version(), v.ValueString()))
	}
}

func given(v types.String) bool { return !v.IsNull() && !v.IsUnknown() }

func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if state.Architecture.IsNull() {
		state.Architecture = types.StringValue(bundle.ARM64)
	}
	p, err := d.bundle.Package(state.Architecture.ValueString())
	if err != nil {
		resp.Diagnostics.Append(unreadable(err).Error())
		return
	}
	sum := hex.EncodeToString(p.SHA256[:])
	if state.OutputPath.IsNull() {
		state.OutputPath = types.StringValue(fmt.Sprintf(".terraform/availability/%s-%s.zip", p.Architecture, sum[:8]))
	}
	if err := p.WriteFile(state.OutputPath.ValueString()); err != nil {
		resp.Diagnostics.Append(diagnose.Failure{
			Verb: "write", Thing: thing, Path: path.Root("output_path"), What: diagnose.Sentence(err),
			Do: "Set output_path to a file that can be written where Terraform runs.",
		}.Error())
		return
	}
	state.Version = types.StringValue(bundle.Version())
	state.SHA256 = types.StringValue(sum)
	state.SourceCodeHash = types.StringValue(base64.StdEncoding.EncodeToString(p.SHA256[:]))
	state.Handler = types.StringValue(bundle.Handler)
	state.Runtime = types.StringValue(bundle.Runtime)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func unreadable(err error) diagnose.Failure {
	f := diagnose.Failure{Verb: "read", Thing: thing, What: diagnose.Sentence(err)}
	if errors.Is(err, bundle.ErrNoPackages) {
		f.What = "This provider was built without the Lambda packages, as a plain go build does."
		f.Do = "Use a release, or build the provider with make build, which makes the packages and embeds them. A package of your own, made by make zips, needs no data source: give the function its file."
	}
	return f
}
