data "availability_iam_policy_document" "runtime" {
  role                    = "runtime"
  table_arn               = aws_dynamodb_table.signals.arn
  inventory_table_arn     = data.aws_dynamodb_table.platform.arn
  stream_arn              = data.aws_dynamodb_table.platform.stream_arn
  log_group_arn           = aws_cloudwatch_log_group.runtime.arn
  failure_destination_arn = aws_sqs_queue.dead_letters.arn

  # What operators have it do, about whole products too.
  tasks = ["audit", "check", "explain", "sweep"]
}

resource "aws_iam_role" "runtime" {
  name = local.name

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
  name   = "runtime"
  role   = aws_iam_role.runtime.name
  policy = data.availability_iam_policy_document.runtime.json
}

# For the roles of the platform: what shows values, and, unless the stream is all that
# flips, what books.
data "availability_iam_policy_document" "application" {
  for_each = toset(["reader", "writer"])

  role      = each.key
  table_arn = aws_dynamodb_table.signals.arn
}

resource "aws_iam_policy" "application" {
  for_each = data.availability_iam_policy_document.application

  name   = "${local.name}-${each.key}"
  policy = each.value.json
}
