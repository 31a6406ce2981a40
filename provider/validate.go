package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/diagnose"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/pattern"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/tags"
)

const maxMaxRetries = 100

// What STS takes.
const (
	shortestDuration = 15 * time.Minute
	longestDuration  = 12 * time.Hour
)

var (
	accountID   = pattern.New(`^[0-9]{12}$`)
	roleARN     = pattern.New(`^arn:[^:\s]+:iam::[0-9]{12}:role/\S+$`)
	sessionName = pattern.New(`^[\w+=,.@-]{2,64}$`)
)

// invalid is an error of a setting.
func invalid(at path.Path, format string, args ...any) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, unableToConfigure, fmt.Sprintf(format, args...))
}

// given is whether there is a value to look at.
func given(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

// validate is what can be said of the settings by themselves. What is unknown is
// not looked at.
func (s settings) validate(ctx context.Context) diag.Diagnostics {
	diags := s.validateKeys()
	diags.Append(checkNames(s.TableName, s.CadenceIndexName, s.GlobalIDIndexName)...)
	if n := s.MaxRetries; given(n) && (n.ValueInt64() < 0 || n.ValueInt64() > maxMaxRetries) {
		diags.Append(invalid(path.Root("max_retries"), "max_retries must be a whole number from 0 to %d, got %d.", maxMaxRetries, n.ValueInt64()))
	}
	if given(s.TimeZone) {
		if err := checkZone(s.TimeZone.ValueString()); err != nil {
			diags.Append(invalid(path.Root("time_zone"), "%s", diagnose.Sentence(err)))
		}
	}
	for _, id := range s.AllowedAccountIDs.Elements() {
		if id, ok := id.(types.String); ok && !id.IsUnknown() && !accountID.Match(id.ValueString()) {
			diags.Append(invalid(path.Root("allowed_account_ids"), "Expected account ids of 12 digits, got %q. Write them as text, so that leading zeros stay.", id.ValueString()))
		}
	}
	if given(s.AllowedAccountIDs) && len(s.AllowedAccountIDs.Elements()) == 0 {
		diags.Append(invalid(path.Root("allowed_account_ids"), "It is empty, so that no account would be allowed. Leave it out to allow any."))
	}
	for _, p := range tags.Check(s.DefaultTags) {
		diags.Append(invalid(p.At(path.Root("default_tags")), "%s", p.Text))
	}
	for _, files := range []struct {
		attribute string
		value     types.List
	}{{"shared_config_files", s.SharedConfigFiles}, {"shared_credentials_files", s.SharedCredentialsFiles}} {
		for i, file := range files.value.Elements() {
			if file.IsNull() {
				diags.Append(invalid(path.Root(files.attribute).AtListIndex(i), "It is null. Leave it out, or set the path of a file."))
			}
		}
	}
	diags.Append(s.validateEndpoints(ctx)...)
	diags.Append(s.validateRoles(ctx)...)
	return diags
}

// checkNames holds that those of a table and its indexes can be such names.
func checkNames(table, cadenceIndex, globalIDIndex types.String) (diags diag.Diagnostics) {
	for _, name := range []struct {
		attribute, variable, of string
		value                   types.String
	}{
		{"table_name", envTableName, "a table, not its ARN", table},
		{"cadence_index_name", envCadenceIndexName, "an index", cadenceIndex},
		{"global_id_index_name", envGlobalIDIndexName, "an index", globalIDIndex},
	} {
		if given(name.value) && !awsclient.ValidName(name.value.ValueString()) {
			diags.Append(invalid(path.Root(name.attribute), "Expected the name of %s: 3 to 255 letters, digits, dots, hyphens and underscores, got %q. Correct %s, or %s in the environment.",
				name.of, name.value.ValueString(), name.attribute, name.variable))
		}
	}
	return diags
}

func (s settings) validateKeys() (diags diag.Diagnostics) {
	for _, pair := range []struct {
		name, needs  string
		value, other types.String
	}{
		{"access_key", "secret_key", s.AccessKey, s.SecretKey},
		{"secret_key", "access_key", s.SecretKey, s.AccessKey},
		{"token", "access_key", s.Token, s.AccessKey},
	} {
		if !pair.value.IsNull() && pair.other.IsNull() {
			diags.Append(invalid(path.Root(pair.name), "%s is set without %s. Set both, or neither to take them from the environment.", pair.name, pair.needs))
		}
	}
	if !s.AccessKey.IsNull() && !s.WebIdentity.IsNull() {
		diags.Append(invalid(path.Root("assume_role_with_web_identity"), "assume_role_with_web_identity and access_key are both set: a token is used instead of credentials. Remove either."))
	}
	return diags
}

func (s settings) validateEndpoints(ctx context.Context) diag.Diagnostics {
	e, diags := s.endpoints(ctx)
	for _, endpoint := range []struct {
		name  string
		value types.String
	}{{"dynamodb", e.DynamoDB}, {"eventbridge", e.EventBridge}, {"sts", e.STS}} {
		if v := endpoint.value.ValueString(); v != "" && !awsclient.ValidURL(v) {
			diags.Append(invalid(path.Root("endpoints").AtName(endpoint.name), "Expected a URL such as http://127.0.0.1:4566, got %q.", v))
		}
	}
	return diags
}

func (s settings) validateRoles(ctx context.Context) diag.Diagnostics {
	role, _, diags := objectAs[assumeRole](ctx, s.AssumeRole)
	web, _, more := objectAs[webIdentity](ctx, s.WebIdentity)
	diags.Append(more...)
	at, atWeb := path.Root("assume_role"), path.Root("assume_role_with_web_identity")
	for _, arn := range []struct {
		at    path.Path
		value types.String
	}{{at.AtName("role_arn"), role.RoleARN}, {atWeb.AtName("role_arn"), web.RoleARN}} {
		if given(arn.value) && !roleARN.Match(arn.value.ValueString()) {
			diags.Append(invalid(arn.at, "Expected the ARN of a role, such as arn:aws:iam::123456789012:role/planner, got %q.", arn.value.ValueString()))
		}
	}
	for _, name := range []struct {
		at    path.Path
		value types.String
	}{{at.AtName("session_name"), role.SessionName}, {atWeb.AtName("session_name"), web.SessionName}} {
		if given(name.value) && !sessionName.Match(name.value.ValueString()) {
			diags.Append(invalid(name.at, "Expected 2 to 64 letters, digits and the characters _+=,.@- as the name of a session, got %q.", name.value.ValueString()))
		}
	}
	if d, err := parseDuration(role.Duration); given(role.Duration) && (err != nil || d < shortestDuration || d > longestDuration) {
		diags.Append(invalid(at.AtName("duration"), "Expected a duration from 15m to 12h, such as 1h, got %q.", role.Duration.ValueString()))
	}
	if given(web.TokenFile) && web.TokenFile.ValueString() == "" {
		diags.Append(invalid(atWeb.AtName("web_identity_token_file"), "It is empty. Set the path of a file, or leave it out for %s.", envTokenFile))
	}
	return diags
}
