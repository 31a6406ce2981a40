resource "aws_cloudwatch_event_rule" "opening" {
  name        = "opening-morning-${var.table_name}"
  description = "Checks every minute while the season goes on sale: 7:00 to 8:59 in Vancouver"

  # EventBridge counts in UTC. After this morning it never fires again.
  schedule_expression = "cron(* 14-15 12 1 ? 2027)"
}

resource "aws_cloudwatch_event_target" "opening" {
  rule  = aws_cloudwatch_event_rule.opening.name
  arn   = data.aws_lambda_function.runtime.arn
  input = jsonencode({ cadenceBucket = availability_cadence_bucket.five_minutes.bucket_id })

  # A minute later there is another.
  retry_policy {
    maximum_event_age_in_seconds = 60
    maximum_retry_attempts       = 0
  }
}

resource "aws_lambda_permission" "opening" {
  statement_id  = aws_cloudwatch_event_rule.opening.name
  function_name = data.aws_lambda_function.runtime.function_name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.opening.arn
}
