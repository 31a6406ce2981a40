//go:build newer

package newer_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const (
	bucketAddress = "availability_cadence_bucket.test"
	signalAddress = "availability_signal.test"
	rangeAddress  = "availability_signal_range.test"
)

// world is a table, and the configuration that is applied to it.
type world struct {
	t     *testing.T
	table string
}

func newWorld(t *testing.T) world {
	t.Helper()
	return world{t: t, table: acctest.Table(t)}
}

// provider is the provider's block.
func (w world) provider() string {
	return fmt.Sprintf("provider \"availability\" {\n  table_name = %q\n  time_zone  = \"America/Vancouver\"\n}\n", w.table)
}

// key are the attributes of the product.
const key = `
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "1"
`

// config has one of each resource.
func (w world) config(minutes int, last string) string {
	return w.provider() + fmt.Sprintf(`
resource "availability_cadence_bucket" "test" {
  name    = "5min"
  cadence = { minutes = %d }
  target  = { arn = "arn:aws:lambda:%s:123456789012:function:availability" }
}

resource "availability_signal" "test" {%s
  date           = "2090-07-01"
  cadence_bucket = availability_cadence_bucket.test.name
  availability_estimation_pattern = { estimation_mode = "tiered" }
}

resource "availability_signal_range" "test" {%s
  start_date     = "2090-07-02"
  end_date       = %q
  cadence_bucket = availability_cadence_bucket.test.name
  availability_estimation_pattern = { estimation_mode = "exact" }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Not all dates are seeded: run apply again."
    }
  }
}
`, minutes, os.Getenv("AWS_REGION"), key, key, last)
}

// bit is the dirty bit of a date's signal.
func (w world) bit(date string) (string, error) {
	d, err := signal.ParseDate(date)
	if err != nil {
		return "", err
	}
	product := signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	item, err := dynamo.NewStore(acctest.DynamoDB(w.t), w.table).Get(context.WithoutCancel(w.t.Context()), signal.ProductDate{Product: product, Date: d}.Key())
	return item.Text(signal.AttrGSISK), err
}

// terraformFrom leaves a test out on OpenTofu, and on an earlier Terraform than that.
func terraformFrom(t *testing.T, first tfversion.TerraformVersionCheck) []tfversion.TerraformVersionCheck {
	t.Helper()
	if strings.Contains(os.Getenv("TF_ACC_PROVIDER_HOST"), "opentofu") {
		t.Skip("OpenTofu has no such thing")
	}
	return []tfversion.TerraformVersionCheck{first}
}
