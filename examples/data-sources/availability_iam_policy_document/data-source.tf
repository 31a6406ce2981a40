variable "table_arn" {
  type        = string
  description = "ARN of the table of the signals."
}

variable "platform_table_arn" {
  type        = string
  description = "ARN of the platform's own table, with products and inventory."
}

# The function of the runtime.
data "availability_iam_policy_document" "runtime" {
  role                = "runtime"
  table_arn           = var.table_arn
  inventory_table_arn = var.platform_table_arn
}

# The application that takes bookings, and whatever else changes inventory.
data "availability_iam_policy_document" "writer" {
  role      = "writer"
  table_arn = var.table_arn
}

# For aws_iam_role_policy and the like.
output "policies" {
  value = {
    runtime = data.availability_iam_policy_document.runtime.json
    writer  = data.availability_iam_policy_document.writer.json
  }
}
