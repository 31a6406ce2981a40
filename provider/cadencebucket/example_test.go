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
func TestSeen13_examplesApply(t *testing.T) {
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

// What needs a newer Terraform than the tests have is done without one.
func TestSeen13_examplesOfNewerTerraform(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := bucketConfig(w, "5min", nil)
	d := made(t, config)

	t.Run("import by identity", func(t *testing.T) {
		blocks := acctest.Example(t, filepath.Join(examples, "import-by-identity.tf"), nil)
		identity := blocks[0].Config
		if len(blocks) != 1 || identity["table_name"] != "reservations" {
			t.Fatalf("the example is %v", blocks)
		}
		identity["table_name"] = w.table
		d.Forget()
		if errs := d.ImportIdentity(identity); len(errs) > 0 {
			t.Fatal(errs)
		}
		holdPlan(t, d, config, acctest.NoOp)
	})
	t.Run("list", func(t *testing.T) {
		s := acctest.NewServer(t, acctest.Config{"table_name": w.table})
		for _, block := range acctest.Example(t, "../../examples/list-resources/availability_cadence_bucket/list-resource.tfquery.hcl", map[string]string{"table_name": w.table}) {
			if !block.Of("list", typeName) {
				continue
			}
			listed, errs := s.List(typeName, block.Config, true, 0)
			if len(errs) > 0 || len(listed) != 1 || listed[0].Name != "5min" {
				t.Errorf("%v lists %v, %q", block.Labels, listed, errs)
			}
		}
	})
	holdDestroyed(t, w, d, "5min")
}
