package runtimeenvironment_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/lambda"
)

const typeName = "availability_runtime_environment"

// everything is all settings of each source.
func everything() map[string]acctest.Config {
	common := acctest.Config{
		"table_name": "signals", "cadence_index_name": "gsi1", "inventory_table_name": "arn:aws:dynamodb:ca-central-1:123456789012:table/reservations",
		"log_level": "debug", "default_bucket": "15min",
		"default_pattern": acctest.Config{"estimation_mode": "tiered", "tiers": []any{
			acctest.Config{"id": "low", "label": "Low", "max_percentage": 0.25}, acctest.Config{"id": "high", "max_percentage": 1},
		}},
	}
	inventory := acctest.Config{"key_template": "stock::{productId}::{activityId}::{activityType}::{collectionId}::{date}", "partition_key_attribute": "id", "sort_key_attribute": "part"}
	remote := acctest.Config{"timeout_seconds": 20, "attempts": 5, "batch_size": 100, "batch_linger_milliseconds": 0, "concurrency": 8}
	sources := map[string]acctest.Config{
		"inventory-pool":  merged(inventory, acctest.Config{"available_attribute": "left", "capacity_attribute": "total"}),
		"inventory-units": merged(inventory, acctest.Config{"status_attribute": "state", "available_statuses": []any{"free", "back"}, "retired_statuses": []any{"gone"}}),
		"lambda":          merged(remote, acctest.Config{"function": "estimate", "qualifier": "live"}),
		"http":            merged(remote, acctest.Config{"url": "https://availability.example.com/", "signing_service": "execute-api", "signing_region": "ca-west-1"}),
		"http, by token":  {"url": "https://availability.example.com/", "bearer_token": "canary"},
	}
	configs := map[string]acctest.Config{}
	for name, source := range sources {
		kind, _, _ := strings.Cut(name, ",")
		configs[name] = merged(common, acctest.Config{"source": merged(source, acctest.Config{"type": kind, "settle_seconds": 60})})
	}
	return configs
}

func merged(a, b acctest.Config) acctest.Config {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func read(t *testing.T, config acctest.Config) (open, secret map[string]any) {
	t.Helper()
	values, errs := acctest.NewOfflineServer(t).Read(typeName, config)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	open, _ = values["variables"].(map[string]any)
	secret, _ = values["sensitive_variables"].(map[string]any)
	return open, secret
}

// Whatever the function reads can be set, and what is set the function takes.
func TestEnvironment_isTheFunctions(t *testing.T) {
	set, reads := map[string]bool{}, map[string]bool{}
	for name, config := range everything() {
		t.Run(name, func(t *testing.T) {
			open, secret := read(t, config)
			all := merged(open, secret)
			faults := lambda.CheckSettings(func(name string) string {
				if strings.HasPrefix(name, "AVAILABILITY_") {
					reads[name] = true
				}
				text, _ := all[name].(string)
				return text
			})
			for _, fault := range faults {
				t.Errorf("the function says: %v", fault)
			}
			for name := range all {
				set[name] = true
			}
		})
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(reads)), slices.Sorted(maps.Keys(set))); diff != "" {
		t.Errorf("what the function reads, and what can be set (-read +set):\n%s", diff)
	}
}

func TestEnvironment(t *testing.T) {
	units := everything()["inventory-units"]
	open, secret := read(t, units)
	want := map[string]any{
		"AVAILABILITY_TABLE_NAME":                     "signals",
		"AVAILABILITY_CADENCE_INDEX_NAME":             "gsi1",
		"AVAILABILITY_INVENTORY_TABLE_NAME":           "arn:aws:dynamodb:ca-central-1:123456789012:table/reservations",
		"AVAILABILITY_LOG_LEVEL":                      "debug",
		"AVAILABILITY_DEFAULT_BUCKET":                 "15min",
		"AVAILABILITY_DEFAULT_PATTERN":                `{"estimationMode":"tiered","tiers":[{"id":"low","label":"Low","maxPercentage":0.25},{"id":"high","maxPercentage":1}]}`,
		"AVAILABILITY_SOURCE":                         "inventory-units",
		"AVAILABILITY_SOURCE_SETTLE_SECONDS":          "60",
		"AVAILABILITY_SOURCE_KEY_TEMPLATE":            "stock::{productId}::{activityId}::{activityType}::{collectionId}::{date}",
		"AVAILABILITY_SOURCE_PARTITION_KEY_ATTRIBUTE": "id",
		"AVAILABILITY_SOURCE_SORT_KEY_ATTRIBUTE":      "part",
		"AVAILABILITY_SOURCE_STATUS_ATTRIBUTE":        "state",
		"AVAILABILITY_SOURCE_AVAILABLE_STATUSES":      "back,free",
		"AVAILABILITY_SOURCE_RETIRED_STATUSES":        "gone",
	}
	if diff := cmp.Diff(want, open); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(secret) > 0 {
		t.Errorf("secrets: %v", secret)
	}
	// Zero is a setting.
	open, _ = read(t, everything()["lambda"])
	if got := open["AVAILABILITY_SOURCE_BATCH_LINGER_MILLISECONDS"]; got != "0" {
		t.Errorf("a linger of 0 is %q", got)
	}
	open, secret = read(t, everything()["http, by token"])
	if _, there := open["AVAILABILITY_SOURCE_BEARER_TOKEN"]; there || secret["AVAILABILITY_SOURCE_BEARER_TOKEN"] != "canary" {
		t.Errorf("the token is in %v, or not in %v", open, secret)
	}
}

// The provider's table and index are the defaults.
func TestEnvironment_providersTable(t *testing.T) {
	settings := acctest.Config{"region": "ca-central-1", "table_name": "signals", "cadence_index_name": "gsi1"}
	values, errs := acctest.NewServer(t, settings).Read(typeName, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	variables := map[string]any{"AVAILABILITY_TABLE_NAME": "signals", "AVAILABILITY_CADENCE_INDEX_NAME": "gsi1"}
	want := map[string]any{"table_name": "signals", "cadence_index_name": "gsi1", "variables": variables, "sensitive_variables": map[string]any{}}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	t.Setenv("AVAILABILITY_TABLE_NAME", "")
	_, errs = acctest.NewServer(t, acctest.Config{"region": "ca-central-1"}).Read(typeName, nil)
	if want := []string{"table_name: Unable to read runtime environment: There is no table: neither table_name, nor the provider's, nor AVAILABILITY_TABLE_NAME is set.\n\nSet table_name here or in the provider's configuration."}; !cmp.Equal(want, errs) {
		t.Errorf("errors %q", errs)
	}
}

func TestEnvironment_validation(t *testing.T) {
	unknown := acctest.Unknown{}
	const url = "https://availability.example.com/"
	tests := map[string]struct {
		config acctest.Config
		want   []string
	}{
		"table":      {acctest.Config{"table_name": "my table"}, []string{`table_name: Invalid runtime environment: table_name is "my table": expected a table's ARN, or its name of 3 to 255 letters, digits, and _ . -.`}},
		"empty":      {acctest.Config{"inventory_table_name": ""}, []string{"inventory_table_name: Invalid runtime environment: inventory_table_name is empty; leave it out for the default."}},
		"log level":  {acctest.Config{"log_level": "loud"}, []string{`log_level: Invalid runtime environment: log_level is "loud": expected debug, info, warn or error.`}},
		"bucket":     {acctest.Config{"default_bucket": "15 min"}, []string{`default_bucket: Invalid runtime environment: default_bucket cannot be used: invalid bucket name "15 min": expected 1 to 40 lower-case letters, digits and hyphens, beginning with a letter or digit, such as 5min.`}},
		"mode":       {acctest.Config{"default_pattern": acctest.Config{"estimation_mode": "guess"}}, []string{`default_pattern: Invalid runtime environment: default_pattern cannot be used: expected JSON such as {"estimationMode": "tiered", "cadence": {"minutes": 5}}; invalid availability estimation pattern: its estimationMode is neither exact nor tiered.`}},
		"source":     {acctest.Config{"source": acctest.Config{"type": "pigeons"}}, []string{`source.type: Invalid runtime environment: source.type is "pigeons": expected inventory-pool, which is the default, inventory-units, lambda or http.`}},
		"another's":  {acctest.Config{"source": acctest.Config{"url": url}}, []string{"source.url: Invalid runtime environment: source.url is set, but it is for the source http, and source.type is inventory-pool."}},
		"one of two": {acctest.Config{"source": acctest.Config{"available_attribute": "capacity"}}, []string{`source.capacity_attribute: Invalid runtime environment: source.capacity_attribute is "capacity", and so is source.available_attribute: expected two attributes.`}},
		"no proof":   {acctest.Config{"source": acctest.Config{"type": "http", "url": url}}, []string{"source.bearer_token: Invalid runtime environment: source.bearer_token and source.signing_service are not set: expected one of them, a token or the service to sign for with SigV4, such as execute-api or lambda."}},
		"fraction":   {acctest.Config{"source": acctest.Config{"type": "lambda", "function": "estimate", "attempts": 1.5}}, []string{"source.attempts: Invalid runtime environment: Expected a whole number, got 1.5."}},
		"too many":   {acctest.Config{"source": acctest.Config{"type": "lambda", "function": "estimate", "attempts": 11}}, []string{`source.attempts: Invalid runtime environment: source.attempts is "11": expected a whole number from 1 to 10.`}},
		"no status":  {acctest.Config{"source": acctest.Config{"type": "inventory-units", "available_statuses": []any{}}}, []string{"source.available_statuses: Invalid runtime environment: source.available_statuses has no entry; leave it out for the default."}},
		"bad status": {acctest.Config{"source": acctest.Config{"type": "inventory-units", "retired_statuses": []any{"a,b"}}}, []string{`source.retired_statuses: Invalid runtime environment: source.retired_statuses has "a,b": expected statuses without commas and without spaces around them.`}},

		"all unknown":       {acctest.Config{"table_name": unknown, "cadence_index_name": unknown, "log_level": unknown, "default_bucket": unknown, "default_pattern": unknown, "source": unknown}, nil},
		"unknown source":    {acctest.Config{"source": acctest.Config{"type": unknown, "url": url, "attempts": 3}}, nil},
		"unknown proof":     {acctest.Config{"source": acctest.Config{"type": "http", "url": unknown, "signing_service": unknown}}, nil},
		"unknown function":  {acctest.Config{"source": acctest.Config{"type": "lambda", "function": unknown, "timeout_seconds": unknown}}, nil},
		"unknown attribute": {acctest.Config{"source": acctest.Config{"available_attribute": "pk", "partition_key_attribute": unknown}}, nil},
		"unknown tier":      {acctest.Config{"default_pattern": acctest.Config{"estimation_mode": "tiered", "tiers": []any{acctest.Config{"id": "all", "max_percentage": unknown}}}}, nil},
		"known beside it":   {acctest.Config{"table_name": unknown, "log_level": "loud"}, []string{`log_level: Invalid runtime environment: log_level is "loud": expected debug, info, warn or error.`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := acctest.NewOfflineServer(t).ValidateData(typeName, tt.config)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The documentation's example applies, also before its table is known.
func TestSeen13_environmentExampleApplies(t *testing.T) {
	t.Parallel()
	acctest.PreCheck(t)
	content, err := os.ReadFile("../../examples/data-sources/availability_runtime_environment/data-source.tf")
	if err != nil {
		t.Fatal(err)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: string(content),
			ConfigVariables: config.Variables{
				"table_name": config.StringVariable("signals"), "inventory_table_name": config.StringVariable("reservations"),
			},
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("variables", knownvalue.MapExact(map[string]knownvalue.Check{
				"AVAILABILITY_TABLE_NAME":                knownvalue.StringExact("signals"),
				"AVAILABILITY_CADENCE_INDEX_NAME":        knownvalue.StringExact("cadence-index"),
				"AVAILABILITY_INVENTORY_TABLE_NAME":      knownvalue.StringExact("reservations"),
				"AVAILABILITY_DEFAULT_BUCKET":            knownvalue.StringExact("15min"),
				"AVAILABILITY_DEFAULT_PATTERN":           knownvalue.StringExact(`{"estimationMode":"tiered"}`),
				"AVAILABILITY_SOURCE":                    knownvalue.StringExact("inventory-units"),
				"AVAILABILITY_SOURCE_AVAILABLE_STATUSES": knownvalue.StringExact("available,released"),
			}))},
		}, {
			Config: `
resource "terraform_data" "table" { input = "signals" }
data "availability_runtime_environment" "later" { table_name = terraform_data.table.output }
output "table" { value = data.availability_runtime_environment.later.variables["AVAILABILITY_TABLE_NAME"] }
`,
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("table", knownvalue.StringExact("signals"))},
		}},
	})
}
