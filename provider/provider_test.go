package provider_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	ours "github.com/availability-signal/terraform-provider-availability/provider"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/provider/internal/awsclient"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// configure is what a provider of those settings hands to its resources, and its
// errors as "<path>: <detail>".
func configure(t *testing.T, settings acctest.Config, opts ...ours.Option) (*awsclient.Data, []string) {
	t.Helper()
	ctx := t.Context()
	p := ours.New("test", opts...)()
	var schema provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &schema)
	config := tfsdk.Config{Schema: schema.Schema, Raw: acctest.Value(t, schema.Schema.Type().TerraformType(ctx), settings)}

	var validated provider.ValidateConfigResponse
	p.(provider.ProviderWithValidateConfig).ValidateConfig(ctx, provider.ValidateConfigRequest{Config: config}, &validated)
	var configured provider.ConfigureResponse
	if !validated.Diagnostics.HasError() {
		p.Configure(ctx, provider.ConfigureRequest{Config: config}, &configured)
	}
	var errs []string
	for _, d := range append(validated.Diagnostics.Errors(), configured.Diagnostics.Errors()...) {
		if d.Summary() != "Unable to configure provider availability" {
			t.Errorf("summary is %q", d.Summary())
		}
		text := d.Detail()
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			text = at.Path().String() + ": " + text
		}
		errs = append(errs, text)
	}
	data, _ := configured.ResourceData.(*awsclient.Data)
	return data, errs
}

// noEnvironment hides the machine's own AWS settings.
func noEnvironment(t *testing.T) {
	t.Helper()
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "AVAILABILITY_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

// The resource's defaults: configuration, then environment, then the built-in
// ones.
func TestProvider_defaults(t *testing.T) {
	type defaults struct{ Table, CadenceIndex, GlobalIDIndex, TimeZone types.String }
	unset := defaults{types.StringNull(), types.StringValue("cadence-index"), types.StringValue("globalId-index"), types.StringNull()}
	fromEnvironment := defaults{types.StringValue("e-table"), types.StringValue("e-cadence"), types.StringValue("e-global"), types.StringValue("Europe/Paris")}
	configured := defaults{types.StringValue("c-table"), types.StringValue("c-cadence"), types.StringValue("c-global"), types.StringValue("America/Vancouver")}
	environment := map[string]string{
		"AVAILABILITY_TABLE_NAME": "e-table", "AVAILABILITY_CADENCE_INDEX_NAME": "e-cadence",
		"AVAILABILITY_GLOBAL_ID_INDEX_NAME": "e-global", "AVAILABILITY_TIME_ZONE": "Europe/Paris",
	}
	configuration := acctest.Config{
		"table_name": "c-table", "cadence_index_name": "c-cadence", "global_id_index_name": "c-global", "time_zone": "America/Vancouver",
	}
	unknown := acctest.Config{}
	for name := range configuration {
		unknown[name] = acctest.Unknown{}
	}
	u := types.StringUnknown()
	tests := map[string]struct {
		environment map[string]string
		settings    acctest.Config
		want        defaults
	}{
		"nothing":                   {nil, nil, unset},
		"environment":               {environment, nil, fromEnvironment},
		"configuration":             {nil, configuration, configured},
		"both":                      {environment, configuration, configured},
		"unknown":                   {environment, unknown, defaults{u, u, u, u}},
		"environment of empty text": {map[string]string{"AVAILABILITY_TABLE_NAME": ""}, nil, unset},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			noEnvironment(t)
			t.Setenv("AWS_REGION", "ca-central-1")
			for variable, v := range tt.environment {
				t.Setenv(variable, v)
			}
			data, errs := configure(t, tt.settings)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			got := defaults{data.TableName, data.CadenceIndexName, data.GlobalIDIndexName, data.TimeZone}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !data.Ready() {
				t.Error("there are no clients")
			}
		})
	}
}

// How to reach AWS: configuration, then environment, then the shared files.
func TestProvider_connection(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	configFile := write("config", "[default]\nregion = us-west-1\n[profile work]\nregion = us-west-2\n[profile patient]\nregion = us-west-2\nmax_attempts = 7\n")
	credentialsFile := write("credentials", "[default]\naws_access_key_id = FILE\naws_secret_access_key = s\n[work]\naws_access_key_id = WORK\naws_secret_access_key = s\n[patient]\naws_access_key_id = WORK\naws_secret_access_key = s\n")
	files := map[string]string{"AWS_CONFIG_FILE": configFile, "AWS_SHARED_CREDENTIALS_FILE": credentialsFile}
	keys := map[string]string{"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "env-token"}

	type connection struct {
		Region, AccessKey, Token string
		DynamoDB, EventBridge    string
		Attempts                 int
	}
	tests := map[string]struct {
		environment []map[string]string
		settings    acctest.Config
		want        connection
	}{
		"environment": {[]map[string]string{keys}, nil, connection{Region: "eu-west-1", AccessKey: "ENV", Token: "env-token", Attempts: 26}},
		"AWS_DEFAULT_REGION": {
			[]map[string]string{{"AWS_DEFAULT_REGION": "eu-west-2", "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"}},
			nil,
			connection{Region: "eu-west-2", AccessKey: "ENV", Attempts: 26},
		},
		"files":       {[]map[string]string{files}, nil, connection{Region: "us-west-1", AccessKey: "FILE", Attempts: 26}},
		"AWS_PROFILE": {[]map[string]string{files, {"AWS_PROFILE": "work"}}, nil, connection{Region: "us-west-2", AccessKey: "WORK", Attempts: 26}},
		"profile":     {[]map[string]string{files, {"AWS_PROFILE": "other"}}, acctest.Config{"profile": "work"}, connection{Region: "us-west-2", AccessKey: "WORK", Attempts: 26}},
		"shared files": {
			nil,
			acctest.Config{"shared_config_files": []any{configFile}, "shared_credentials_files": []any{credentialsFile}},
			connection{Region: "us-west-1", AccessKey: "FILE", Attempts: 26},
		},
		"environment beats files": {[]map[string]string{files, keys}, nil, connection{Region: "eu-west-1", AccessKey: "ENV", Token: "env-token", Attempts: 26}},
		"configuration beats all": {
			[]map[string]string{files, keys},
			acctest.Config{"region": "ca-central-1", "access_key": "CONF", "secret_key": "s", "token": "conf-token", "max_retries": 3},
			connection{Region: "ca-central-1", AccessKey: "CONF", Token: "conf-token", Attempts: 4},
		},
		"AWS_MAX_ATTEMPTS":                {[]map[string]string{keys, {"AWS_MAX_ATTEMPTS": "4"}}, nil, connection{Region: "eu-west-1", AccessKey: "ENV", Token: "env-token", Attempts: 4}},
		"max_attempts of a profile":       {[]map[string]string{files, {"AWS_PROFILE": "patient"}}, nil, connection{Region: "us-west-2", AccessKey: "WORK", Attempts: 7}},
		"max_retries beats the attempts":  {[]map[string]string{keys, {"AWS_MAX_ATTEMPTS": "4"}}, acctest.Config{"max_retries": 9}, connection{Region: "eu-west-1", AccessKey: "ENV", Token: "env-token", Attempts: 10}},
		"AWS_MAX_ATTEMPTS before profile": {[]map[string]string{files, {"AWS_PROFILE": "patient", "AWS_MAX_ATTEMPTS": "4"}}, nil, connection{Region: "us-west-2", AccessKey: "WORK", Attempts: 4}},
		"no retries":                      {[]map[string]string{keys}, acctest.Config{"max_retries": 0}, connection{Region: "eu-west-1", AccessKey: "ENV", Token: "env-token", Attempts: 1}},
		"AWS_ENDPOINT_URL": {
			[]map[string]string{keys, {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}},
			nil,
			connection{"eu-west-1", "ENV", "env-token", "http://127.0.0.1:1", "http://127.0.0.1:1", 26},
		},
		"AWS_ENDPOINT_URL of a service": {
			[]map[string]string{keys, {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ENDPOINT_URL_DYNAMODB": "http://127.0.0.1:2"}},
			nil,
			connection{"eu-west-1", "ENV", "env-token", "http://127.0.0.1:2", "http://127.0.0.1:1", 26},
		},
		"endpoints": {
			[]map[string]string{keys, {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}},
			acctest.Config{"endpoints": acctest.Config{"eventbridge": "http://127.0.0.1:3"}},
			connection{"eu-west-1", "ENV", "env-token", "http://127.0.0.1:1", "http://127.0.0.1:3", 26},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			noEnvironment(t)
			for _, environment := range tt.environment {
				for variable, v := range environment {
					t.Setenv(variable, v)
				}
			}
			data, errs := configure(t, tt.settings)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			db, eb := data.DynamoDB.Options(), data.EventBridge.Options()
			credentials, err := db.Credentials.Retrieve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := connection{db.Region, credentials.AccessKeyID, credentials.SessionToken, text(db.BaseEndpoint), text(eb.BaseEndpoint), db.Retryer.MaxAttempts()}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestProvider_messages(t *testing.T) {
	region := acctest.Config{"region": "ca-central-1"}
	with := func(name string, v any) acctest.Config { return acctest.Config{"region": "ca-central-1", name: v} }
	tests := map[string]struct {
		environment map[string]string
		settings    acctest.Config
		want        []string
	}{
		"region alone":       {nil, region, nil},
		"no region":          {nil, nil, []string{"region: No AWS region is configured. Set region, or AWS_REGION in the environment, or a region in the profile."}},
		"region and a space": {nil, acctest.Config{"region": "ca-central-1 "}, []string{`region: Expected the name of an AWS region, such as ca-central-1, got "ca-central-1 ". Correct region, or AWS_REGION in the environment, or the profile's region.`}},
		"no region's name in the environment": {
			map[string]string{"AWS_REGION": "ca_central_1"},
			nil,
			[]string{`region: Expected the name of an AWS region, such as ca-central-1, got "ca_central_1". Correct region, or AWS_REGION in the environment, or the profile's region.`},
		},
		"no URL in the environment": {
			map[string]string{"AWS_ENDPOINT_URL": "localhost:4566"},
			region,
			[]string{`endpoints.dynamodb: Expected a URL such as http://127.0.0.1:4566, got "localhost:4566". Correct AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL in the environment, or the profile's endpoint_url.`},
		},
		"no URL of EventBridge in the environment": {
			map[string]string{"AWS_ENDPOINT_URL_EVENTBRIDGE": "garbage"},
			region,
			[]string{`endpoints.eventbridge: Expected a URL such as http://127.0.0.1:4566, got "garbage". Correct AWS_ENDPOINT_URL_EVENTBRIDGE or AWS_ENDPOINT_URL in the environment, or the profile's endpoint_url.`},
		},
		"no URL of STS in the environment": {
			map[string]string{"AWS_ENDPOINT_URL_STS": "garbage"},
			with("assume_role", acctest.Config{"role_arn": role}),
			[]string{`endpoints.sts: Expected a URL such as http://127.0.0.1:4566, got "garbage". Correct AWS_ENDPOINT_URL_STS or AWS_ENDPOINT_URL in the environment, or the profile's endpoint_url.`},
		},
		"STS that nobody asks": {map[string]string{"AWS_ENDPOINT_URL_STS": "garbage"}, region, nil},
		"key alone":            {nil, with("access_key", "A"), []string{"access_key: access_key is set without secret_key. Set both, or neither to take them from the environment."}},
		"secret alone":         {nil, with("secret_key", "A"), []string{"secret_key: secret_key is set without access_key. Set both, or neither to take them from the environment."}},
		"token alone":          {nil, with("token", "A"), []string{"token: token is set without access_key. Set both, or neither to take them from the environment."}},
		"-1 retries":           {nil, with("max_retries", -1), []string{"max_retries: max_retries must be a whole number from 0 to 100, got -1."}},
		"half a retry":         {nil, with("max_retries", 1.5), []string{"max_retries: Expected a whole number, got 1.5."}},
		"101 retries":          {nil, with("max_retries", 101), []string{"max_retries: max_retries must be a whole number from 0 to 100, got 101."}},
		"bad endpoint":         {nil, with("endpoints", acctest.Config{"dynamodb": "localhost:4566"}), []string{`endpoints.dynamodb: Expected a URL such as http://127.0.0.1:4566, got "localhost:4566".`}},
		"bad endpoint of STS":  {nil, with("endpoints", acctest.Config{"sts": "ftp://x"}), []string{`endpoints.sts: Expected a URL such as http://127.0.0.1:4566, got "ftp://x".`}},
		"bad account": {
			nil,
			with("allowed_account_ids", []any{"12"}),
			[]string{`allowed_account_ids: Expected account ids of 12 digits, got "12". Write them as text, so that leading zeros stay.`},
		},
		"no account": {nil, with("allowed_account_ids", []any{}), []string{"allowed_account_ids: It is empty, so that no account would be allowed. Leave it out to allow any."}},
		"tag of AWS": {nil, with("default_tags", acctest.Config{"aws:x": "1"}), []string{`default_tags["aws:x"]: Tag keys that begin with "aws:" are AWS's own.`}},
		"own tag": {
			nil,
			with("default_tags", acctest.Config{"availability:bucket": "1"}),
			[]string{`default_tags["availability:bucket"]: Tag keys that begin with "availability:" are the provider's own.`},
		},
		"null tag":            {nil, with("default_tags", acctest.Config{"a": nil}), []string{`default_tags["a"]: Tag "a" is null; leave it out, or set it to "".`}},
		"role that is no ARN": {nil, with("assume_role", acctest.Config{"role_arn": "planner"}), []string{`assume_role.role_arn: Expected the ARN of a role, such as arn:aws:iam::123456789012:role/planner, got "planner".`}},
		"session with a space": {
			nil,
			with("assume_role", acctest.Config{"role_arn": role, "session_name": "a b"}),
			[]string{`assume_role.session_name: Expected 2 to 64 letters, digits and the characters _+=,.@- as the name of a session, got "a b".`},
		},
		"duration of a day":    {nil, with("assume_role", acctest.Config{"role_arn": role, "duration": "24h"}), []string{`assume_role.duration: Expected a duration from 15m to 12h, such as 1h, got "24h".`}},
		"duration in seconds":  {nil, with("assume_role", acctest.Config{"role_arn": role, "duration": "3600"}), []string{`assume_role.duration: Expected a duration from 15m to 12h, such as 1h, got "3600".`}},
		"web role that is not": {nil, with("assume_role_with_web_identity", acctest.Config{"role_arn": "x", "web_identity_token_file": "t"}), []string{`assume_role_with_web_identity.role_arn: Expected the ARN of a role, such as arn:aws:iam::123456789012:role/planner, got "x".`}},
		"empty token file":     {nil, with("assume_role_with_web_identity", acctest.Config{"role_arn": role, "web_identity_token_file": ""}), []string{`assume_role_with_web_identity.web_identity_token_file: It is empty. Set the path of a file, or leave it out for AWS_WEB_IDENTITY_TOKEN_FILE.`}},
		"web identity of nothing": {
			nil,
			with("assume_role_with_web_identity", acctest.Config{}),
			[]string{
				"assume_role_with_web_identity.role_arn: There is no role_arn: set it, or AWS_ROLE_ARN in the environment.",
				"assume_role_with_web_identity.web_identity_token_file: There is no web_identity_token_file: set it, or AWS_WEB_IDENTITY_TOKEN_FILE in the environment.",
			},
		},
		"key and web identity": {
			nil,
			acctest.Config{"region": "ca-central-1", "access_key": "A", "secret_key": "s", "assume_role_with_web_identity": acctest.Config{"role_arn": role, "web_identity_token_file": "t"}},
			[]string{"assume_role_with_web_identity: assume_role_with_web_identity and access_key are both set: a token is used instead of credentials. Remove either."},
		},
		"bad zone":         {nil, with("time_zone", "PST"), []string{"time_zone: " + zoneMessage("PST")}},
		"empty zone":       {nil, with("time_zone", ""), []string{"time_zone: " + zoneMessage("")}},
		"null file":        {nil, with("shared_config_files", []any{nil}), []string{"shared_config_files[0]: It is null. Leave it out, or set the path of a file."}},
		"second file null": {nil, with("shared_credentials_files", []any{"a", nil}), []string{"shared_credentials_files[1]: It is null. Leave it out, or set the path of a file."}},
		"empty table":      {nil, with("table_name", ""), []string{`table_name: Expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores, got "". Correct table_name, or AVAILABILITY_TABLE_NAME in the environment.`}},
		"ARN of a table in the environment": {
			map[string]string{"AVAILABILITY_TABLE_NAME": "arn:aws:dynamodb:::table/x"},
			region,
			[]string{`table_name: Expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores, got "arn:aws:dynamodb:::table/x". Correct table_name, or AVAILABILITY_TABLE_NAME in the environment.`},
		},
		"index with a space": {nil, with("cadence_index_name", "a b"), []string{`cadence_index_name: Expected the name of an index: 3 to 255 letters, digits, dots, hyphens and underscores, got "a b". Correct cadence_index_name, or AVAILABILITY_CADENCE_INDEX_NAME in the environment.`}},
		"short index in the environment": {
			map[string]string{"AVAILABILITY_GLOBAL_ID_INDEX_NAME": "g"},
			region,
			[]string{`global_id_index_name: Expected the name of an index: 3 to 255 letters, digits, dots, hyphens and underscores, got "g". Correct global_id_index_name, or AVAILABILITY_GLOBAL_ID_INDEX_NAME in the environment.`},
		},
		"bad zone in the environment": {map[string]string{"AVAILABILITY_TIME_ZONE": "Local"}, region, []string{"time_zone: " + zoneMessage("Local")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			noEnvironment(t)
			for variable, v := range tt.environment {
				t.Setenv(variable, v)
			}
			_, errs := configure(t, tt.settings)
			if diff := cmp.Diff(tt.want, errs); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func zoneMessage(name string) string {
	_, err := signal.LoadZone(name)
	return strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + "."
}

// A setting that is not known yet is never an error: there are no clients, and
// nothing else is affected.
func TestProvider_unknownSettings(t *testing.T) {
	within := map[string]any{
		"within endpoints":    acctest.Config{"endpoints": acctest.Config{"sts": acctest.Unknown{}}},
		"within assume_role":  acctest.Config{"assume_role": acctest.Config{"role_arn": acctest.Unknown{}, "duration": acctest.Unknown{}}},
		"within web identity": acctest.Config{"assume_role_with_web_identity": acctest.Config{"role_arn": acctest.Unknown{}, "web_identity_token_file": "t"}},
		"within accounts":     acctest.Config{"allowed_account_ids": []any{acctest.Unknown{}}},
		"within files":        acctest.Config{"shared_config_files": []any{acctest.Unknown{}}},
	}
	for name, settings := range within {
		t.Run(name, func(t *testing.T) {
			noEnvironment(t)
			t.Setenv("AWS_REGION", "ca-central-1")
			if data, errs := configure(t, settings.(acctest.Config)); len(errs) > 0 || data.Ready() {
				t.Errorf("errors %q, ready %t", errs, data.Ready())
			}
		})
	}
	for _, name := range []string{
		"region", "profile", "shared_config_files", "shared_credentials_files", "access_key", "secret_key", "token", "max_retries", "endpoints",
		"assume_role", "assume_role_with_web_identity", "allowed_account_ids",
	} {
		t.Run(name, func(t *testing.T) {
			noEnvironment(t)
			settings := acctest.Config{"region": "ca-central-1", "table_name": "reservations"}
			switch name {
			case "access_key", "secret_key", "token":
				settings["access_key"], settings["secret_key"] = "A", "s"
			}
			settings[name] = acctest.Unknown{}
			data, errs := configure(t, settings)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if data.Ready() {
				t.Error("there are clients")
			}
			if data.TableName.ValueString() != "reservations" {
				t.Errorf("table_name is %v", data.TableName)
			}
		})
	}
}

func TestProvider_clock(t *testing.T) {
	noEnvironment(t)
	at := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	data, errs := configure(t, acctest.Config{"region": "ca-central-1"}, ours.WithClock(func() time.Time { return at }))
	if len(errs) > 0 || !data.Now().Equal(at) {
		t.Errorf("the clock is not the given one: %v", errs)
	}
}

// Everything that people can write or read is explained.
func TestProvider_everythingIsDescribed(t *testing.T) {
	t.Parallel()
	server, err := acctest.Factories()["availability"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range schemas.Diagnostics {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	var walk func(at string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(at string, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			// The framework's own attribute takes no description.
			if a.Name != "timeouts" && !strings.Contains(a.Description, ".") {
				t.Errorf("%s.%s is described as %q", at, a.Name, a.Description)
			}
			if a.NestedType != nil {
				walk(at+"."+a.Name, a.NestedType.Attributes)
			}
		}
	}
	describe := func(name string, schema *tfprotov6.Schema) {
		if schema.Block.Description == "" {
			t.Errorf("%s is not described", name)
		}
		walk(name, schema.Block.Attributes)
	}
	describe("provider", schemas.Provider)
	for _, kind := range []map[string]*tfprotov6.Schema{schemas.ResourceSchemas, schemas.DataSourceSchemas, schemas.ListResourceSchemas} {
		for name, schema := range kind {
			describe(name, schema)
		}
	}
	for name, action := range schemas.ActionSchemas {
		describe(name, action.Schema)
	}
	for name, function := range schemas.Functions {
		for _, p := range function.Parameters {
			if function.Summary == "" || function.Description == "" || p.Description == "" {
				t.Errorf("%s(%s) is not described", name, p.Name)
			}
		}
	}
}

// No resource has an id beside the names that it goes by.
func TestOwn06_noID(t *testing.T) {
	t.Parallel()
	server, err := acctest.Factories()["availability"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(schemas.ResourceSchemas) == 0 {
		t.Error("there are no resources")
	}
	for name, schema := range schemas.ResourceSchemas {
		for _, a := range schema.Block.Attributes {
			if a.Name == "id" {
				t.Errorf("%s has an id", name)
			}
		}
	}
}

// No resource has what Terraform 1.8 or OpenTofu does not know, and nothing but actions
// and lists, which they leave aside, is of newer releases.
func TestProvider_needsNoNewerTerraform(t *testing.T) {
	t.Parallel()
	server, err := acctest.Factories()["availability"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(at string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(at string, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			if a.WriteOnly {
				t.Errorf("%s.%s is write-only, which is of Terraform 1.11", at, a.Name)
			}
			if a.NestedType != nil {
				walk(at+"."+a.Name, a.NestedType.Attributes)
			}
		}
	}
	for _, kind := range []map[string]*tfprotov6.Schema{schemas.ResourceSchemas, schemas.DataSourceSchemas} {
		for name, schema := range kind {
			walk(name, schema.Block.Attributes)
		}
	}
	if n := len(schemas.EphemeralResourceSchemas) + len(schemas.StateStoreSchemas); n > 0 {
		t.Errorf("there are %d ephemeral resources and state stores", n)
	}
}
