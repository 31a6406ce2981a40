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
	configFile := write("config", "[default]\nregion = us-west-1\n[profile work]\nregion = us-west-2\n")
	credentialsFile := write("credentials", "[default]\naws_access_key_id = FILE\naws_secret_access_key = s\n[work]\naws_access_key_id = WORK\naws_secret_access_key = s\n")
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
		"no retries": {[]map[string]string{keys}, acctest.Config{"max_retries": 0}, connection{Region: "eu-west-1", AccessKey: "ENV", Token: "env-token", Attempts: 1}},
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
		"region alone":                {nil, region, nil},
		"no region":                   {nil, nil, []string{"region: No AWS region is configured. Set region, or AWS_REGION in the environment, or a region in the profile."}},
		"key alone":                   {nil, with("access_key", "A"), []string{"access_key: access_key is set without secret_key. Set both, or neither to take them from the environment."}},
		"secret alone":                {nil, with("secret_key", "A"), []string{"secret_key: secret_key is set without access_key. Set both, or neither to take them from the environment."}},
		"token alone":                 {nil, with("token", "A"), []string{"token: token is set without access_key. Set both, or neither to take them from the environment."}},
		"-1 retries":                  {nil, with("max_retries", -1), []string{"max_retries: max_retries must be a whole number from 0 to 100, got -1."}},
		"101 retries":                 {nil, with("max_retries", 101), []string{"max_retries: max_retries must be a whole number from 0 to 100, got 101."}},
		"bad endpoint":                {nil, with("endpoints", acctest.Config{"dynamodb": "localhost:4566"}), []string{`endpoints.dynamodb: Expected a URL such as http://127.0.0.1:4566, got "localhost:4566".`}},
		"bad zone":                    {nil, with("time_zone", "PST"), []string{"time_zone: " + zoneMessage("PST")}},
		"empty zone":                  {nil, with("time_zone", ""), []string{"time_zone: " + zoneMessage("")}},
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
	for _, name := range []string{"region", "profile", "shared_config_files", "shared_credentials_files", "access_key", "secret_key", "token", "max_retries", "endpoints"} {
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
	for name, schema := range schemas.ResourceSchemas {
		describe(name, schema)
	}
}
