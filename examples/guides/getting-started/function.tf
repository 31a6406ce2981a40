resource "aws_lambda_function" "runtime" {
  function_name    = "availability-${var.table_name}"
  role             = aws_iam_role.runtime.arn
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  architectures    = [var.architecture]
  runtime          = "provided.al2023"
  handler          = "bootstrap"
  timeout          = 300
  memory_size      = 512

  environment {
    variables = {
      AVAILABILITY_TABLE_NAME = aws_dynamodb_table.signals.name
    }
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

resource "aws_iam_role_policy" "runtime" {
  role = aws_iam_role.runtime.name

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem", "dynamodb:DeleteItem"]
        Resource = [aws_dynamodb_table.signals.arn, "${aws_dynamodb_table.signals.arn}/index/cadence-index"]
      },
      {
        Effect   = "Allow"
        Action   = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"]
        Resource = "*"
      },
    ]
  })
}
