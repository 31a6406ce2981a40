package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The configurations that are compared. Where AWS is, both providers are told by
// the environment.

const requiredOurs = `
terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
  }
}

provider "availability" {
  table_name = %q
  time_zone  = "America/Vancouver"
}
`

// signals are so many signals as resources of their own.
func signals(table string, count int) string {
	return fmt.Sprintf(requiredOurs, table) + days("availability_signal", count)
}

// idleSignals are the same of the provider that does nothing.
func idleSignals(count int) string {
	return `
terraform {
  required_providers {
    idle = { source = "availability-signal/idle" }
  }
}
` + days("idle_signal", count)
}

func days(resource string, count int) string {
	return fmt.Sprintf(`
resource %q "day" {
  count          = %d
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "${1 + floor(count.index / 100)}"
  product_id     = "1"
  date           = formatdate("YYYY-MM-DD", timeadd("2090-01-01T00:00:00Z", "${count.index %% 100 * 24}h"))
  cadence_bucket = %q
  initial_state  = "dirty"

  availability_estimation_pattern = { estimation_mode = "exact" }
}
`, resource, count, bucketName)
}

// oneRange is a range of so many dates.
func oneRange(table string, days int) string {
	first := signal.Date{Year: 2090, Month: time.January, Day: 1}
	return fmt.Sprintf(requiredOurs, table) + fmt.Sprintf(`
resource "availability_signal_range" "season" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = "1"
  product_id     = "1"
  start_date     = %q
  end_date       = %q
  cadence_bucket = %q
  initial_state  = "dirty"

  availability_estimation_pattern = { estimation_mode = "exact" }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Some dates are not seeded."
    }
  }
}
`, first, first.AddDays(days-1), bucketName)
}

// tableItems are the same signals as items of hashicorp/aws.
func tableItems(table string, count int) string {
	return fmt.Sprintf(`
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

provider "aws" {
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  skip_region_validation      = true
}

locals {
  # Terraform's range has 1,024 at most.
  all   = flatten([for k in range(5) : range(1000 * k, 1000 * (k + 1))])
  dates = [for i in slice(local.all, 0, %d) : formatdate("YYYY-MM-DD", timeadd("2090-01-01T00:00:00Z", "${i * 24}h"))]
}

resource "aws_dynamodb_table_item" "day" {
  count      = length(local.dates)
  table_name = %q
  hash_key   = "pk"
  range_key  = "sk"

  item = jsonencode({
    pk       = { S = "availabilitySignal::mockPark1::backcountryCamp::1::1" }
    sk       = { S = local.dates[count.index] }
    gsipk    = { S = "cadenceBucket::5min" }
    gsisk    = { S = "dirty" }
    schema   = { S = "availabilitySignal" }
    globalId = { S = uuidv5("oid", local.dates[count.index]) }
    expiry   = { S = "${local.dates[count.index]}T07:00:00.000Z" }
    ttl      = { N = "3786940800" }
    availabilityEstimationPattern = { M = { estimationMode = { S = "exact" } } }
  })
}
`, count, table)
}

// floor are so many of Terraform's own resources that do nothing.
func floor(count int) string {
	return fmt.Sprintf("resource \"terraform_data\" \"day\" {\n  count = %d\n  input = \"2090-01-01\"\n}\n", count)
}

// place is a table with a bucket on the engine.
func (s *Suite) place(ctx context.Context) (table string, done func(), err error) {
	table, done, err = s.table(ctx)
	if err != nil {
		return "", nil, err
	}
	b := signal.Bucket{Name: bucketName, Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true, Checks: signal.DefaultChecks(), GlobalID: "bench"}
	if err := dynamo.NewRegistry(dynamo.NewStore(s.Engine, table)).Create(ctx, b); err != nil {
		done()
		return "", nil, err
	}
	return table, done, nil
}
