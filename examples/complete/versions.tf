terraform {
  required_version = ">= 1.8"

  required_providers {
    availability = { source = "availability-signal/availability" }
    aws          = { source = "hashicorp/aws", version = ">= 5.0" }
  }
}

# Both take region and credentials from the environment.
provider "aws" {
  default_tags { tags = local.tags }
}

provider "availability" {
  table_name   = aws_dynamodb_table.signals.name
  time_zone    = var.time_zone
  default_tags = local.tags
}

locals {
  name = "availability-${var.table_name}"
  tags = { application = "availability", environment = var.environment }

  # How often each bucket is checked, in seconds.
  seconds = {
    for name, cadence in var.buckets : name => 60 * (coalesce(cadence.minutes, 0) + 60 * (coalesce(cadence.hours, 0) + 24 * coalesce(cadence.days, 0)))
  }
}
