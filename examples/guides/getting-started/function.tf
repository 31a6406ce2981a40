# The function's package, which the provider has in itself, and its settings.
data "availability_runtime_package" "this" {
  architecture = var.architecture
}

data "availability_runtime_environment" "this" {
  table_name = aws_dynamodb_table.signals.name
}

resource "aws_lambda_function" "runtime" {
  function_name    = "availability-${var.table_name}"
  role             = aws_iam_role.runtime.arn
  filename         = data.availability_runtime_package.this.output_path
  source_code_hash = data.availability_runtime_package.this.source_code_hash
  architectures    = [data.availability_runtime_package.this.architecture]
  runtime          = data.availability_runtime_package.this.runtime
  handler          = data.availability_runtime_package.this.handler
  timeout          = 300
  memory_size      = 512

  environment {
    variables = data.availability_runtime_environment.this.variables
  }
}

# What a tick has not done, the next one does.
resource "aws_lambda_function_event_invoke_config" "runtime" {
  function_name                = aws_lambda_function.runtime.function_name
  maximum_retry_attempts       = 0
  maximum_event_age_in_seconds = 300
}

resource "aws_lambda_permission" "five_minutes" {
  function_name = aws_lambda_function.runtime.function_name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = availability_cadence_bucket.five_minutes.rule_arn
}

resource "aws_iam_role" "runtime" {
  name = "availability-${var.table_name}"

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "lambda.amazonaws.com" }
    }]
  })
}

# The least that it needs.
data "availability_iam_policy_document" "runtime" {
  role          = "runtime"
  table_arn     = aws_dynamodb_table.signals.arn
  log_group_arn = aws_cloudwatch_log_group.runtime.arn
}

resource "aws_iam_role_policy" "runtime" {
  role   = aws_iam_role.runtime.name
  policy = data.availability_iam_policy_document.runtime.json
}

resource "aws_cloudwatch_log_group" "runtime" {
  name              = "/aws/lambda/availability-${var.table_name}"
  retention_in_days = 30
}
