terraform {
  required_version = ">= 1.8"

  required_providers {
    availability = { source = "availability-signal/availability" }
    aws          = { source = "hashicorp/aws" }
  }
}

# Both take region and credentials from the environment.
provider "aws" {}

provider "availability" {
  table_name = aws_dynamodb_table.signals.name
  time_zone  = "America/Vancouver"
}
