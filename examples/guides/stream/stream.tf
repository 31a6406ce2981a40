variable "function_name" {
  type        = string
  description = "Name of the function that checks."
}

variable "platform_table_name" {
  type        = string
  description = "Name of the table that has products and inventory, whose stream is on."
}

terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

data "aws_dynamodb_table" "platform" {
  name = var.platform_table_name
}

resource "aws_lambda_event_source_mapping" "platform" {
  function_name           = var.function_name
  event_source_arn        = data.aws_dynamodb_table.platform.stream_arn
  starting_position       = "TRIM_HORIZON"
  batch_size              = 100
  function_response_types = ["ReportBatchItemFailures"]

  # Without these, the runtime's own writes to a table that it shares invoke it too.
  filter_criteria {
    dynamic "filter" {
      for_each = ["inventoryPool::", "inventory::", "productDate::", "product::"]

      content {
        pattern = jsonencode({ dynamodb = { Keys = { pk = { S = [{ prefix = filter.value }] } } } })
      }
    }
  }
}
