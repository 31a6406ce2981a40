package iampolicy_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

const example = "../../examples/data-sources/availability_iam_policy_document"

func whole() acctest.Config {
	return acctest.Config{
		"inventory_table_arn": tableARN("reservations"), "source_type": "lambda", "source_function_arn": functionARN("estimate"),
		"stream_arn":   tableARN("reservations") + "/stream/2027-01-01T00:00:00.000",
		"kms_key_arns": []any{"arn:aws:kms:" + region + ":" + account + ":key/1234abcd-12ab-34cd-56ef-1234567890ab"}, "log_group_arn": "arn:aws:logs:" + region + ":" + account + ":log-group:/aws/lambda/availability",
		"failure_destination_arn": "arn:aws:sqs:" + region + ":" + account + ":failed",
		"tasks":                   []any{"audit", "check", "explain", "sweep", "sync"},
	}
}

var update = flag.Bool("update", false, "change the documented policies, instead of comparing")

// The documentation shows the policies as they are.
func TestPolicy_documented(t *testing.T) {
	for name, more := range map[string]acctest.Config{
		"writer": nil, "reader": nil, "planner": nil, "seeder": nil,
		"runtime": {"inventory_table_arn": tableARN("reservations")}, "runtime-whole": whole(),
	} {
		role := name
		if name == "runtime-whole" {
			role = "runtime"
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, []byte(text(t, role, "signals", more)), "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		file := filepath.Join(example, "policies", name+".json")
		if *update {
			if err := os.WriteFile(file, pretty.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		documented, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(documented), pretty.String()); diff != "" {
			t.Errorf("%s (-documented +is):\n%s", file, diff)
		}
	}
}

// The documentation's example applies.
func TestSeen13_policyExampleApplies(t *testing.T) {
	t.Parallel()
	acctest.PreCheck(t)
	content, err := os.ReadFile(filepath.Join(example, "data-source.tf"))
	if err != nil {
		t.Fatal(err)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: string(content),
			ConfigVariables: config.Variables{
				"table_arn": config.StringVariable(tableARN("signals")), "platform_table_arn": config.StringVariable(tableARN("reservations")),
			},
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("policies", knownvalue.MapExact(map[string]knownvalue.Check{
				"runtime": knownvalue.StringExact(text(t, "runtime", "signals", acctest.Config{"inventory_table_arn": tableARN("reservations")})),
				"writer":  knownvalue.StringExact(text(t, "writer", "signals", nil)),
			}))},
		}},
	})
}
