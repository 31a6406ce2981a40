package cadencebucket_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

const examples = "../../examples/resources/availability_cadence_bucket"

// What the documentation shows applies, and what it says about importing imports.
func TestBucket_example(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read := func(file string) string {
		content, err := os.ReadFile(filepath.Join(examples, file))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(content), "reservations/", w.table+"/")
	}
	ids := regexp.MustCompile(`\S+/5min`).FindAllString(strings.ReplaceAll(read("import.sh"), "'", " "), -1)
	if len(ids) != 1 {
		t.Fatalf("import.sh has the ids %q", ids)
	}
	// The test's provider goes by another namespace, and is where its table is.
	settings := strings.NewReplacer(
		`"availability-signal/availability"`, `"hashicorp/availability"`,
		`"ca-central-1"`, strconv.Quote(os.Getenv("AWS_REGION")),
	).Replace(read("../../provider/provider.tf"))
	variables := config.Variables{"table_name": config.StringVariable(w.table), "function_arn": config.StringVariable(functionARN)}
	const first = "availability_cadence_bucket.every_5_minutes"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: settings + read("resource.tf"), ConfigVariables: variables},
			{
				Config: settings + read("resource.tf"), ConfigVariables: variables,
				ResourceName: first, ImportState: true, ImportStateId: ids[0],
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			},
			{
				Config: settings + read("resource.tf") + read("import-by-string-id.tf"), ConfigVariables: variables,
				ResourceName: first, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateConfigExact: true,
			},
		},
	})
}
