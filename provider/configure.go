package provider

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const unableToConfigure = "Unable to configure provider availability"

const maxMaxRetries = 100

func (p *availability) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var s settings
	resp.Diagnostics.Append(req.Config.Get(ctx, &s)...)
	if resp.Diagnostics.HasError() {
		return
	}
	invalid := func(attribute path.Path, detail string) {
		resp.Diagnostics.AddAttributeError(attribute, unableToConfigure, detail)
	}
	for _, pair := range []struct {
		name, needs  string
		value, other types.String
	}{
		{"access_key", "secret_key", s.AccessKey, s.SecretKey},
		{"secret_key", "access_key", s.SecretKey, s.AccessKey},
		{"token", "access_key", s.Token, s.AccessKey},
	} {
		if !pair.value.IsNull() && pair.other.IsNull() {
			invalid(path.Root(pair.name), fmt.Sprintf("%s is set without %s. Set both, or neither to take them from the environment.", pair.name, pair.needs))
		}
	}
	if n := s.MaxRetries; !n.IsNull() && !n.IsUnknown() && (n.ValueInt64() < 0 || n.ValueInt64() > maxMaxRetries) {
		invalid(path.Root("max_retries"), fmt.Sprintf("max_retries must be a whole number from 0 to %d, got %d.", maxMaxRetries, n.ValueInt64()))
	}
	if zone := s.TimeZone; !zone.IsNull() && !zone.IsUnknown() {
		if err := checkZone(zone.ValueString()); err != nil {
			invalid(path.Root("time_zone"), diagnose.Sentence(err))
		}
	}
	e, diags := s.endpoints(ctx)
	resp.Diagnostics.Append(diags...)
	for name, value := range map[string]types.String{"dynamodb": e.DynamoDB, "eventbridge": e.EventBridge} {
		if u, err := url.Parse(value.ValueString()); value.ValueString() != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			invalid(path.Root("endpoints").AtName(name), fmt.Sprintf("Expected a URL such as http://127.0.0.1:4566, got %q.", value.ValueString()))
		}
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
		Now:               p.now,
	}
	if zone := data.TimeZone; !zone.IsNull() && !zone.IsUnknown() {
		if err := checkZone(zone.ValueString()); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("time_zone"), unableToConfigure, diagnose.Sentence(err))
		}
	}
	resp.Diagnostics.Append(s.connect(ctx, data)...)
	resp.ResourceData, resp.DataSourceData = data, data
	resp.ListResourceData, resp.ActionData = data, data
}

// connect gives data its clients, unless a setting that they need is unknown.
func (s settings) connect(ctx context.Context, data *awsclient.Data) diag.Diagnostics {
	e, diags := s.endpoints(ctx)
	for _, v := range []attr.Value{
		s.Region, s.Profile, s.SharedConfigFiles, s.SharedCredentialsFiles, s.AccessKey, s.SecretKey, s.Token,
		s.MaxRetries, s.Endpoints, e.DynamoDB, e.EventBridge,
	} {
		if v.IsUnknown() {
			return diags
		}
	}
	var connection awsclient.Settings
	for _, list := range []struct {
		from types.List
		to   *[]string
	}{
		{s.SharedConfigFiles, &connection.SharedConfigFiles},
		{s.SharedCredentialsFiles, &connection.SharedCredentialsFiles},
	} {
		for _, element := range list.from.Elements() {
			if element.IsUnknown() {
				return diags
			}
		}
		diags.Append(list.from.ElementsAs(ctx, list.to, false)...)
	}
	connection.Region = s.Region.ValueString()
	connection.Profile = s.Profile.ValueString()
	connection.AccessKey = s.AccessKey.ValueString()
	connection.SecretKey = s.SecretKey.ValueString()
	connection.Token = s.Token.ValueString()
	connection.MaxRetries = defaultMaxRetries
	if !s.MaxRetries.IsNull() {
		connection.MaxRetries = int(s.MaxRetries.ValueInt64())
	}
	connection.Endpoints = awsclient.Endpoints{DynamoDB: e.DynamoDB.ValueString(), EventBridge: e.EventBridge.ValueString()}
	if diags.HasError() {
		return diags
	}
	clients, err := awsclient.Connect(ctx, connection)
	switch {
	case errors.Is(err, awsclient.ErrNoRegion):
		diags.AddAttributeError(path.Root("region"), unableToConfigure, "No AWS region is configured. Set region, or AWS_REGION in the environment, or a region in the profile.")
	case err != nil:
		diags.AddError(unableToConfigure, "The AWS configuration could not be read. Check profile, shared_config_files and shared_credentials_files, and the environment's AWS_ settings.\n\n"+err.Error())
	}
	data.DynamoDB, data.EventBridge = clients.DynamoDB, clients.EventBridge
	return diags
}

func (s settings) endpoints(ctx context.Context) (endpoints, diag.Diagnostics) {
	var e endpoints
	if s.Endpoints.IsNull() || s.Endpoints.IsUnknown() {
		return e, nil
	}
	diags := s.Endpoints.As(ctx, &e, basetypes.ObjectAsOptions{})
	return e, diags
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
