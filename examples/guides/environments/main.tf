variable "environment" {
  type        = string
  description = "Name of the environment, such as test or production."
}

variable "account_id" {
  type        = string
  description = "The account that the environment belongs in."
}

variable "function_arn" {
  type        = string
  description = "ARN of the environment's own function."
}

terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
  }
}

provider "availability" {
  table_name          = "signals-${var.environment}"
  allowed_account_ids = [var.account_id]
  default_tags        = { environment = var.environment }
}

resource "availability_cadence_bucket" "five_minutes" {
  name    = "5min" # the same in every environment
  cadence = { minutes = 5 }
  target  = { arn = var.function_arn }
  enabled = var.environment != "load-test"
}
