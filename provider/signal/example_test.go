package signal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// exampleID is the import id in a file of an example, without its table.
var exampleID = regexp.MustCompile(`reservations/([^'"\s]+)['"]`)

// What the documentation shows applies, and what it says about importing imports.
func TestExamples(t *testing.T) {
	t.Parallel()
	tests := []struct {
		typeName, name string
		identifier     string
		ignore         []string
	}{
		{signalType, "campground", "global_id", []string{"time_zone", "initial_state"}},
		{rangeType, "season", "range_id", []string{"time_zone", "initial_state", "timeouts"}},
	}
	for _, tt := range tests {
		t.Run(tt.typeName, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			// The dates of the examples pass, but not here.
			w.clock.set(time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC))
			w.keepExpired()
			// They bring their own.
			w.unregister("15min")
			read := func(file string) string {
				content, err := os.ReadFile(filepath.Join("../../examples/resources", tt.typeName, file))
				if err != nil {
					t.Fatal(err)
				}
				return string(content)
			}
			address := tt.typeName + "." + tt.name
			id := func(file string) resource.ImportStateIdFunc {
				return func(s *terraform.State) (string, error) {
					path := exampleID.FindStringSubmatch(read(file))[1]
					if tt.typeName == rangeType {
						path = path[:strings.LastIndex(path, "/")+1] + s.RootModule().Resources[address].Primary.Attributes["range_id"]
					}
					return w.table + "/" + path, nil
				}
			}
			variables := config.Variables{
				"table_name":   config.StringVariable(w.table),
				"function_arn": config.StringVariable("arn:aws:lambda:ca-central-1:123456789012:function:availability"),
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(w.option()),
				Steps: []resource.TestStep{
					{Config: read("resource.tf"), ConfigVariables: variables},
					{
						Config: read("resource.tf"), ConfigVariables: variables,
						ResourceName: address, ImportState: true, ImportStateIdFunc: id("import.sh"),
						ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: tt.identifier, ImportStateVerifyIgnore: tt.ignore,
					},
					{
						Config: read("resource.tf"), ConfigVariables: variables,
						ResourceName: address, ImportState: true, ImportStateIdFunc: id("import-by-string-id.tf"),
						ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: tt.identifier, ImportStateVerifyIgnore: tt.ignore,
					},
				},
			})
		})
	}
}

// keepExpired turns TTL off, for a world that lives in the engine's past.
func (w *world) keepExpired() {
	w.t.Helper()
	if os.Getenv("AWS_ENDPOINT_URL") == "" {
		// AWS changes it once an hour at most, and deletes days later.
		return
	}
	_, err := w.client.UpdateTimeToLive(w.t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               &w.table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(false)},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
