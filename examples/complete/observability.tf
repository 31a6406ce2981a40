# Six kinds of alarm, and a dashboard.
module "observability" {
  source = "../observability"

  table_name             = aws_dynamodb_table.signals.name
  function_name          = aws_lambda_function.runtime.function_name
  buckets                = local.seconds
  reads_stream           = true
  dead_letter_queue_name = aws_sqs_queue.dead_letters.name
  page_topic_arns        = var.page_topic_arns
  ticket_topic_arns      = var.ticket_topic_arns
}
