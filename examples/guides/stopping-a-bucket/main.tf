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
