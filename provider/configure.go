package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/whole"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const unableToConfigure = "Unable to configure provider availability"

func (p *availability) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var s settings
	resp.Diagnostics.Append(whole.Check(ctx, req.Config, unableToConfigure)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &s)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(s.validate(ctx)...)
	}
}

func (p *availability) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var s settings
	resp.Diagnostics.Append(req.Config.Get(ctx, &s)...)
	if resp.Diagnostics.HasError() {
		return
	}
	data := &awsclient.Data{
		TableName:         orEnvironment(s.TableName, envTableName, ""),
		CadenceIndexName:  orEnvironment(s.CadenceIndexName, envCadenceIndexName, defaultCadenceIndexName),
		GlobalIDIndexName: orEnvironment(s.GlobalIDIndexName, envGlobalIDIndexName, defaultGlobalIDIndexName),
		TimeZone:          orEnvironment(s.TimeZone, envTimeZone, ""),
		DefaultTags:       s.DefaultTags,
		Now:               p.now,
		Sleep:             p.sleep,
	}
	if zone := data.TimeZone; !zone.IsNull() && !zone.IsUnknown() {
		if err := checkZone(zone.ValueString()); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("time_zone"), unableToConfigure, diagnose.Sentence(err))
		}
	}
	resp.Diagnostics.Append(checkNames(data.TableName, data.CadenceIndexName, data.GlobalIDIndexName)...)
	resp.Diagnostics.Append(s.connect(ctx, data)...)
	resp.ResourceData, resp.DataSourceData = data, data
	resp.ListResourceData, resp.ActionData = data, data
}

// orEnvironment is a setting, else the environment's, else the fallback; "" as
// fallback is none at all.
func orEnvironment(setting types.String, variable, fallback string) types.String {
	if !setting.IsNull() {
		return setting
	}
	if v := os.Getenv(variable); v != "" {
		return types.StringValue(v)
	}
	if fallback == "" {
		return types.StringNull()
	}
	return types.StringValue(fallback)
}

func checkZone(name string) error {
	_, err := signal.LoadZone(name)
	return err
}
