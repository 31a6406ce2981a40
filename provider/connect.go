package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
)

// connect gives data its clients, unless a setting that they need is unknown.
func (s settings) connect(ctx context.Context, data *awsclient.Data) diag.Diagnostics {
	if s.unknown(ctx) {
		return nil
	}
	connection, diags := s.connection(ctx)
	if diags.HasError() {
		return diags
	}
	clients, err := awsclient.Connect(ctx, connection)
	noCredentials, isNoCredentials := diagnose.Credentials(err)
	region, isRegion := errors.AsType[*awsclient.RegionError](err)
	endpoint, isEndpoint := errors.AsType[*awsclient.EndpointError](err)
	account, isAccount := errors.AsType[*awsclient.AccountError](err)
	switch {
	case errors.Is(err, awsclient.ErrNoRegion):
		diags.AddAttributeError(path.Root("region"), unableToConfigure, "No AWS region is configured. Set region, or AWS_REGION in the environment, or a region in the profile.")
	case isRegion:
		diags.Append(invalid(path.Root("region"), "Expected the name of an AWS region, such as ca-central-1, got %q. Correct region, or AWS_REGION in the environment, or the profile's region.", region.Region))
	case isEndpoint:
		diags.Append(invalid(path.Root("endpoints").AtName(endpoint.Name), "Expected a URL such as http://127.0.0.1:4566, got %q. Correct %s or AWS_ENDPOINT_URL in the environment, or the profile's endpoint_url.", endpoint.URL, endpoint.Variable))
	case isNoCredentials:
		diags.AddError(unableToConfigure, noCredentials)
	case isAccount:
		diags.AddAttributeError(path.Root("allowed_account_ids"), unableToConfigure,
			fmt.Sprintf("The credentials are of account %s, which is not one of %s. Nothing was read or written. Use credentials of one of those accounts, or add this one.", account.ID, strings.Join(account.Allowed, ", ")))
	case errors.Is(err, awsclient.ErrAccount):
		diags.AddAttributeError(path.Root("allowed_account_ids"), unableToConfigure,
			"Which account the credentials are of could not be found out. Check the credentials, and that STS can be reached.\n\n"+reason(err))
	case err != nil:
		diags.AddError(unableToConfigure, "The AWS configuration could not be read. Check profile, shared_config_files and shared_credentials_files, and the environment's AWS_ settings.\n\n"+err.Error())
	}
	data.DynamoDB, data.EventBridge = clients.DynamoDB, clients.EventBridge
	return diags
}

func reason(err error) string {
	if cause := diagnose.Cause(err); cause != "" {
		return cause
	}
	return err.Error()
}

// unknown is whether a setting that the clients need is not known yet.
func (s settings) unknown(ctx context.Context) bool {
	for _, v := range []attr.Value{
		s.Region, s.Profile, s.SharedConfigFiles, s.SharedCredentialsFiles, s.AccessKey, s.SecretKey, s.Token,
		s.AssumeRole, s.WebIdentity, s.AllowedAccountIDs, s.MaxRetries, s.Endpoints,
	} {
		raw, err := v.ToTerraformValue(ctx)
		if err != nil || !raw.IsFullyKnown() {
			return true
		}
	}
	return false
}

// connection is the settings as they are given, all of which are known.
func (s settings) connection(ctx context.Context) (awsclient.Settings, diag.Diagnostics) {
	var diags diag.Diagnostics
	c := awsclient.Settings{
		Region: s.Region.ValueString(), Profile: s.Profile.ValueString(),
		AccessKey: s.AccessKey.ValueString(), SecretKey: s.SecretKey.ValueString(), Token: s.Token.ValueString(),
	}
	diags.Append(s.SharedConfigFiles.ElementsAs(ctx, &c.SharedConfigFiles, false)...)
	diags.Append(s.SharedCredentialsFiles.ElementsAs(ctx, &c.SharedCredentialsFiles, false)...)
	diags.Append(s.AllowedAccountIDs.ElementsAs(ctx, &c.AllowedAccountIDs, false)...)
	if !s.MaxRetries.IsNull() {
		n := int(s.MaxRetries.ValueInt64())
		c.MaxRetries = &n
	}
	e, more := s.endpoints(ctx)
	diags.Append(more...)
	c.Endpoints = awsclient.Endpoints{DynamoDB: e.DynamoDB.ValueString(), EventBridge: e.EventBridge.ValueString(), STS: e.STS.ValueString()}
	if role, ok, more := objectAs[assumeRole](ctx, s.AssumeRole); ok {
		diags.Append(more...)
		// It has been validated.
		duration, _ := parseDuration(role.Duration)
		c.AssumeRole = &awsclient.AssumeRole{
			RoleARN: role.RoleARN.ValueString(), SessionName: orEnvironment(role.SessionName, envSessionName, "").ValueString(),
			ExternalID: role.ExternalID.ValueString(), Duration: duration,
		}
	}
	if web, ok, more := objectAs[webIdentity](ctx, s.WebIdentity); ok {
		diags.Append(more...)
		c.WebIdentity = &awsclient.WebIdentity{
			RoleARN:     orEnvironment(web.RoleARN, envRoleARN, "").ValueString(),
			SessionName: orEnvironment(web.SessionName, envSessionName, "").ValueString(),
			TokenFile:   orEnvironment(web.TokenFile, envTokenFile, "").ValueString(),
		}
		for _, missing := range []struct{ value, name, variable string }{
			{c.WebIdentity.RoleARN, "role_arn", envRoleARN},
			{c.WebIdentity.TokenFile, "web_identity_token_file", envTokenFile},
		} {
			if missing.value == "" {
				diags.AddAttributeError(path.Root("assume_role_with_web_identity").AtName(missing.name), unableToConfigure,
					fmt.Sprintf("There is no %s: set it, or %s in the environment.", missing.name, missing.variable))
			}
		}
	}
	return c, diags
}

func (s settings) endpoints(ctx context.Context) (endpoints, diag.Diagnostics) {
	e, _, diags := objectAs[endpoints](ctx, s.Endpoints)
	return e, diags
}

// objectAs reads an object; ok is false if it is null or unknown.
func objectAs[T any](ctx context.Context, o types.Object) (t T, ok bool, diags diag.Diagnostics) {
	if o.IsNull() || o.IsUnknown() {
		return t, false, nil
	}
	diags = o.As(ctx, &t, basetypes.ObjectAsOptions{})
	return t, true, diags
}

// parseDuration is 0 for none.
func parseDuration(s types.String) (time.Duration, error) {
	if s.IsNull() || s.IsUnknown() {
		return 0, nil
	}
	return time.ParseDuration(s.ValueString())
}
