package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/whole"
)

// Names of the environment's defaults.
const (
	envTableName         = "AVAILABILITY_TABLE_NAME"
	envCadenceIndexName  = "AVAILABILITY_CADENCE_INDEX_NAME"
	envGlobalIDIndexName = "AVAILABILITY_GLOBAL_ID_INDEX_NAME"
	envTimeZone          = "AVAILABILITY_TIME_ZONE"
)

// Names of the environment's settings of roles, as every AWS tool has them.
const (
	envRoleARN     = "AWS_ROLE_ARN"
	envSessionName = "AWS_ROLE_SESSION_NAME"
	envTokenFile   = "AWS_WEB_IDENTITY_TOKEN_FILE"
)

// Defaults where neither the configuration nor the environment says anything.
const (
	defaultCadenceIndexName  = "cadence-index"
	defaultGlobalIDIndexName = "globalId-index"
)

type settings struct {
	Region                 types.String `tfsdk:"region"`
	Profile                types.String `tfsdk:"profile"`
	SharedConfigFiles      types.List   `tfsdk:"shared_config_files"`
	SharedCredentialsFiles types.List   `tfsdk:"shared_credentials_files"`
	AccessKey              types.String `tfsdk:"access_key"`
	SecretKey              types.String `tfsdk:"secret_key"`
	Token                  types.String `tfsdk:"token"`
	AssumeRole             types.Object `tfsdk:"assume_role"`
	WebIdentity            types.Object `tfsdk:"assume_role_with_web_identity"`
	AllowedAccountIDs      types.Set    `tfsdk:"allowed_account_ids"`
	MaxRetries             types.Int64  `tfsdk:"max_retries"`
	DefaultTags            types.Map    `tfsdk:"default_tags"`
	Endpoints              types.Object `tfsdk:"endpoints"`
	TableName              types.String `tfsdk:"table_name"`
	CadenceIndexName       types.String `tfsdk:"cadence_index_name"`
	GlobalIDIndexName      types.String `tfsdk:"global_id_index_name"`
	TimeZone               types.String `tfsdk:"time_zone"`
}

type endpoints struct {
	DynamoDB    types.String `tfsdk:"dynamodb"`
	EventBridge types.String `tfsdk:"eventbridge"`
	STS         types.String `tfsdk:"sts"`
}

type assumeRole struct {
	RoleARN     types.String `tfsdk:"role_arn"`
	SessionName types.String `tfsdk:"session_name"`
	ExternalID  types.String `tfsdk:"external_id"`
	Duration    types.String `tfsdk:"duration"`
}

type webIdentity struct {
	RoleARN     types.String `tfsdk:"role_arn"`
	SessionName types.String `tfsdk:"session_name"`
	TokenFile   types.String `tfsdk:"web_identity_token_file"`
}

func (p *availability) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Seeds AvailabilitySignals into a DynamoDB table and has EventBridge trigger their checks. " +
			"Terraform owns what it seeds, the runtime owns what it computes: nothing that a check writes is an attribute of a resource. " +
			"Whatever is not set here comes from the environment and the shared files, as in every AWS tool, `AWS_ENDPOINT_URL` among them.",
		Attributes: map[string]schema.Attribute{
			"region": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "AWS region of the table and of the rules. Default: `AWS_REGION`, `AWS_DEFAULT_REGION`, then the profile's.",
			},
			"profile": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Profile of the shared files to take credentials and region from. Default: `AWS_PROFILE`, then `default`.",
			},
			"shared_config_files": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Paths of shared configuration files. Default: `AWS_CONFIG_FILE`, then `~/.aws/config`.",
			},
			"shared_credentials_files": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Paths of shared credentials files. Default: `AWS_SHARED_CREDENTIALS_FILE`, then `~/.aws/credentials`.",
			},
			"access_key": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "AWS access key, together with `secret_key`. Default: `AWS_ACCESS_KEY_ID`, then the profile's. Better left to the environment than written into a configuration.",
			},
			"secret_key": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "AWS secret key, together with `access_key`. Default: `AWS_SECRET_ACCESS_KEY`, then the profile's.",
			},
			"token": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Session token of temporary credentials, with `access_key` and `secret_key`. Default: `AWS_SESSION_TOKEN`.",
			},
			"assume_role": schema.SingleNestedAttribute{
				Optional:            true,
				MarkdownDescription: "A role to assume with the credentials found otherwise, those of `assume_role_with_web_identity` among them. Default: none; a profile may have a role of its own.",
				Attributes: map[string]schema.Attribute{
					"role_arn":     schema.StringAttribute{Required: true, MarkdownDescription: "ARN of the role."},
					"session_name": schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the session, as CloudTrail shows it. Default: `" + envSessionName + "`, then `" + awsclient.DefaultSessionName + "`."},
					"external_id":  schema.StringAttribute{Optional: true, MarkdownDescription: "External id that the role's trust policy asks for. Default: none."},
					"duration":     schema.StringAttribute{Optional: true, MarkdownDescription: "For how long the credentials are valid before they are renewed, `15m` to `12h`. Default: `15m`."},
				},
			},
			"assume_role_with_web_identity": schema.SingleNestedAttribute{
				Optional:            true,
				MarkdownDescription: "A role to assume with a token of an OpenID Connect provider, as in CI, instead of credentials. Default: `" + envTokenFile + "` and `" + envRoleARN + "`, then other credentials. Not together with `access_key`.",
				Attributes: map[string]schema.Attribute{
					"role_arn":                schema.StringAttribute{Optional: true, MarkdownDescription: "ARN of the role. Default: `" + envRoleARN + "`."},
					"session_name":            schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the session, as CloudTrail shows it. Default: `" + envSessionName + "`, then `" + awsclient.DefaultSessionName + "`."},
					"web_identity_token_file": schema.StringAttribute{Optional: true, MarkdownDescription: "Path of the file that holds the token. Default: `" + envTokenFile + "`."},
				},
			},
			"allowed_account_ids": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Ids of the AWS accounts that may be worked on, of 12 digits each: with credentials of another account nothing is read or written. Default: any. Asks STS once in each run.",
			},
			"default_tags": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Tags of every rule that the provider makes, unless the bucket's own `tags` set them otherwise. Default: none.",
			},
			"max_retries": schema.Int64Attribute{
				CustomType:          whole.Type{},
				Optional:            true,
				MarkdownDescription: "How often a request that AWS throttles or fails to answer is sent again, 0 to 100. Default: `AWS_MAX_ATTEMPTS` less one, then the profile's `max_attempts` less one, then 25. A quota that is used up is never retried.",
			},
			"endpoints": schema.SingleNestedAttribute{
				Optional:            true,
				MarkdownDescription: "URLs in place of the services' own. Default: `AWS_ENDPOINT_URL_DYNAMODB`, `AWS_ENDPOINT_URL_EVENTBRIDGE`, `AWS_ENDPOINT_URL_STS`, then `AWS_ENDPOINT_URL`, then AWS itself.",
				Attributes: map[string]schema.Attribute{
					"dynamodb": schema.StringAttribute{
						Optional:            true,
						MarkdownDescription: "URL for DynamoDB, such as `http://127.0.0.1:4566`. Default: see `endpoints`.",
					},
					"eventbridge": schema.StringAttribute{
						Optional:            true,
						MarkdownDescription: "URL for EventBridge, such as `http://127.0.0.1:4566`. Default: see `endpoints`.",
					},
					"sts": schema.StringAttribute{
						Optional:            true,
						MarkdownDescription: "URL for STS, such as `http://127.0.0.1:4566`, for `assume_role`, `assume_role_with_web_identity` and `allowed_account_ids`; a profile's own role is assumed at `AWS_ENDPOINT_URL_STS`. Default: see `endpoints`.",
					},
				},
			},
			"table_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Table of the buckets and signals whose own `table_name` is not set. Default: `" + envTableName + "`. A change replaces the resources that rely on it.",
			},
			"cadence_index_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Name of the table's index on `gsipk` and `gsisk`. Default: `" + envCadenceIndexName + "`, then `" + defaultCadenceIndexName + "`.",
			},
			"global_id_index_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Name of the table's index on `globalId`. Default: `" + envGlobalIDIndexName + "`, then `" + defaultGlobalIDIndexName + "`.",
			},
			"time_zone": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "IANA time zone, such as `America/Vancouver`, of the signals whose own `time_zone` is not set: a date ends when the next one begins there. A change moves the expiries of all of them in place, at the next apply: for a range they show in `drifted_dates`. Default: `" + envTimeZone + "`. The zone data is the provider's own, not the machine's.",
			},
		},
	}
}
