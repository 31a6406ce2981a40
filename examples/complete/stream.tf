# A change of inventory flips its signal: the application has nothing to do.
resource "aws_lambda_event_source_mapping" "platform" {
  function_name           = aws_lambda_function.runtime.function_name
  event_source_arn        = data.aws_dynamodb_table.platform.stream_arn
  starting_position       = "TRIM_HORIZON"
  batch_size              = 100
  maximum_retry_attempts  = 100
  function_response_types = ["ReportBatchItemFailures"]

  # Not products and their dates: those signals are seeded here.
  filter_criteria {
    dynamic "filter" {
      for_each = ["inventoryPool::", "inventory::"]

      content {
        pattern = jsonencode({ dynamodb = { Keys = { pk = { S = [{ prefix = filter.value }] } } } })
      }
    }
  }

  destination_config {
    on_failure {
      destination_arn = aws_sqs_queue.dead_letters.arn
    }
  }
}

# What rules, function and stream have given up.
resource "aws_sqs_queue" "dead_letters" {
  name                      = "${local.name}-dead-letters"
  message_retention_seconds = 1209600
}

resource "aws_sqs_queue_policy" "dead_letters" {
  queue_url = aws_sqs_queue.dead_letters.url

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sqs:SendMessage"
      Resource  = aws_sqs_queue.dead_letters.arn
      Principal = { Service = "events.amazonaws.com" }
      Condition = { ArnEquals = { "aws:SourceArn" = [for b in availability_cadence_bucket.this : b.rule_arn] } }
    }]
  })
}
