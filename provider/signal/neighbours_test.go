//go:build neighbours

package signal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// Two releases' providers, in the folders that AVAILABILITY_PROVIDERS lists, take
// over from one another: what one has applied, the other has nothing to plan for.
func TestNeighbours_takeOver(t *testing.T) {
	acctest.PreCheck(t)
	folders := filepath.SplitList(os.Getenv("AVAILABILITY_PROVIDERS"))
	if len(folders) != 2 {
		t.Fatalf("AVAILABILITY_PROVIDERS lists %d folders, not 2: run .ci/neighbours", len(folders))
	}
	for i := range folders {
		t.Run(fmt.Sprintf("%d first", i+1), func(t *testing.T) {
			first, second := folders[i], folders[1-i]
			w := acctest.NewWorkspaceOf(t, first)
			by := func(folder, config string) {
				w.Use(folder)
				w.Write("main.tf", config)
			}
			before, after := neighboursConfigs(acctest.Table(t), acctest.Name("last"))
			by(first, before)
			w.Run(0, "apply", "-auto-approve", "-input=false")
			by(second, before)
			w.Run(0, "plan", "-detailed-exitcode", "-input=false")
			by(second, after)
			w.Run(0, "apply", "-auto-approve", "-input=false")
			by(first, after)
			w.Run(0, "plan", "-detailed-exitcode", "-input=false")
			w.Run(0, "destroy", "-auto-approve", "-input=false")
		})
	}
}

// neighboursConfigs are every resource with most of its settings, and the same with
// others.
func neighboursConfigs(table, bucket string) (before, after string) {
	config := func(minutes int, end, mode string) string {
		return fmt.Sprintf(`
terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
  }
}

provider "availability" {
  table_name   = %[1]q
  default_tags = { team = "parks" }
}

resource "availability_cadence_bucket" "b" {
  name        = %[2]q
  cadence     = { minutes = %[3]d }
  description = "Every %[3]d minutes"
  target      = { arn = "arn:aws:lambda:ca-central-1:123456789012:function:availability" }
  checks      = { concurrency = %[3]d }
}

resource "availability_signal" "one" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "one"
  date           = "2090-07-01"
  time_zone      = "America/Vancouver"
  cadence_bucket = availability_cadence_bucket.b.name
  initial_state  = "dirty"

  availability_estimation_pattern = { estimation_mode = %[5]q }
}

resource "availability_signal_range" "some" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "some"
  start_date     = "2090-07-01"
  end_date       = %[4]q
  except_dates   = ["2090-07-04"]
  time_zone      = "America/Vancouver"
  cadence_bucket = availability_cadence_bucket.b.name
  initial_state  = "dirty"

  availability_estimation_pattern = { estimation_mode = %[5]q }
}
`, table, bucket, minutes, end, mode)
	}
	return config(5, "2090-07-31", "exact"), config(15, "2090-08-15", "tiered")
}
