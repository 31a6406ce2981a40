data "availability_runtime_package" "this" {
  architecture     = var.architecture
  expected_version = var.package_version
}

data "availability_runtime_environment" "this" {
  table_name           = aws_dynamodb_table.signals.name
  inventory_table_name = data.aws_dynamodb_table.platform.name
}

resource "aws_lambda_function" "runtime" {
  function_name    = local.name
  description      = "Checks the dirty signals of ${var.table_name}"
  role             = aws_iam_role.runtime.arn
  filename         = data.availability_runtime_package.this.output_path
  source_code_hash = data.availability_runtime_package.this.source_code_hash
  architectures    = [data.availability_runtime_package.this.architecture]
  runtime          = data.availability_runtime_package.this.runtime
  handler          = data.availability_runtime_package.this.handler
  timeout          = 300
  memory_size      = 512

  # One for each bucket, and some for the stream, whatever else the account runs.
  reserved_concurrent_executions = length(var.buckets) + 4

  environment {
    variables = data.availability_runtime_environment.this.variables
  }

  depends_on = [aws_cloudwatch_log_group.runtime, aws_iam_role_policy.runtime]
}

# What a tick has not done, the next one does: nothing is repeated, and nothing is
# kept for longer than a cadence.
resource "aws_lambda_function_event_invoke_config" "runtime" {
  function_name                = aws_lambda_function.runtime.function_name
  maximum_retry_attempts       = 0
  maximum_event_age_in_seconds = min(21600, max(60, min(values(local.seconds)...)))

  destination_config {
    on_failure {
      destination = aws_sqs_queue.dead_letters.arn
    }
  }
}

resource "aws_cloudwatch_log_group" "runtime" {
  name              = "/aws/lambda/${local.name}"
  retention_in_days = 30
}
