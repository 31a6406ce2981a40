variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

variable "inventory_table_name" {
  type        = string
  description = "Name of the platform's own table."
}

data "availability_runtime_environment" "this" {
  table_name           = var.table_name
  inventory_table_name = var.inventory_table_name
  default_bucket       = "15min"
  default_pattern      = { estimation_mode = "tiered" }

  source = {
    type               = "inventory-units"
    available_statuses = ["available", "released"]
  }
}

# For aws_lambda_function's environment block; with a bearer token, merge
# sensitive_variables into it.
output "variables" {
  value = data.availability_runtime_environment.this.variables
}
