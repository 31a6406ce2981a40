variable "function_arn" {
  type        = string
  description = "ARN of the function that checks."
}

variable "table_name" {
  type        = string
  default     = "reservations"
  description = "Name of the table that has the items."
}

terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
    aws          = { source = "hashicorp/aws" }
  }
}

provider "availability" {
  table_name = var.table_name
  time_zone  = "America/Vancouver"
}

resource "availability_cadence_bucket" "hourly" {
  name    = "1h"
  cadence = { hours = 1 }
  target  = { arn = var.function_arn }
}
