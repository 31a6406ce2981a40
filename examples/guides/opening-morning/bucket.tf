variable "function_name" {
  type        = string
  description = "Name of the function that checks."
}

variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
    aws          = { source = "hashicorp/aws" }
  }
}

provider "availability" {
  table_name = var.table_name
}

data "aws_lambda_function" "runtime" {
  function_name = var.function_name
}

resource "availability_cadence_bucket" "five_minutes" {
  name    = "5min"
  cadence = { minutes = 5 }
  target  = { arn = data.aws_lambda_function.runtime.arn }
}
