variable "function_arn" {
  type        = string
  description = "ARN of the function that checks."
}

variable "table_name" {
  type        = string
  description = "Name of the signals' own table."
}

terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
  }
}

provider "availability" {
  table_name = var.table_name
}

resource "availability_cadence_bucket" "five_minutes" {
  name    = "5min"
  cadence = { minutes = 5 }
  target  = { arn = var.function_arn }

  # For the week of the audit; then 1440, which is the default.
  checks = { max_staleness_minutes = 60 }
}
