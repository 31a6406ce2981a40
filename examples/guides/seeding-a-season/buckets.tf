variable "function_arn" {
  type        = string
  description = "ARN of the function that checks."
}

variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
  }
}

provider "availability" {
  table_name = var.table_name
}

locals {
  cadences = { "5min" = 5, "30min" = 30 }
}

resource "availability_cadence_bucket" "every" {
  for_each = local.cadences

  name    = each.key
  cadence = { minutes = each.value }
  target  = { arn = var.function_arn }
}
