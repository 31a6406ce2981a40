resource "availability_cadence_bucket" "this" {
  for_each = var.buckets

  name        = each.key
  description = "Checks the dirty signals of ${each.key}"
  cadence     = { minutes = each.value.minutes, hours = each.value.hours, days = each.value.days }
  shards      = each.value.shards

  target = {
    arn             = aws_lambda_function.runtime.arn
    dead_letter_arn = aws_sqs_queue.dead_letters.arn
  }
}

resource "aws_lambda_permission" "bucket" {
  for_each = availability_cadence_bucket.this

  statement_id   = "bucket-${each.key}"
  function_name  = aws_lambda_function.runtime.function_name
  action         = "lambda:InvokeFunction"
  principal      = "events.amazonaws.com"
  source_arn     = each.value.rule_arn
  source_account = data.aws_caller_identity.current.account_id
}

data "aws_caller_identity" "current" {}
