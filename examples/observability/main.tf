# The alarms and the dashboard of a table's runtime. What they are is in alarms.json
# and dashboard.json, which are of use without Terraform, too.

terraform {
  required_version = ">= 1.8"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

data "aws_region" "current" {}

locals {
  # The alarms of a bucket are as for one that is checked every so many seconds.
  example_cadence = 300

  names = {
    table_name             = var.table_name
    function_name          = var.function_name
    dead_letter_queue_name = coalesce(var.dead_letter_queue_name, "none")
    region                 = data.aws_region.current.name
    page_topic_arn         = ""
    ticket_topic_arn       = ""
  }

  topics = {
    page   = var.page_topic_arns
    ticket = var.ticket_topic_arns
  }

  of_buckets = flatten([
    for bucket, seconds in var.buckets : [
      for alarm in jsondecode(templatefile("${path.module}/alarms.json", merge(local.names, { bucket = bucket }))) : merge(alarm, {
        # What is looked at for a cadence, or for three, is so for this one.
        Period    = alarm.MetricName == "mismatched" ? alarm.Period : alarm.Period / local.example_cadence * seconds
        Threshold = alarm.MetricName == "oldestDirtyAgeSeconds" ? alarm.Threshold / local.example_cadence * seconds : alarm.Threshold
      }) if alarm.Namespace == "Availability"
    ]
  ])

  of_aws = [
    for alarm in jsondecode(templatefile("${path.module}/alarms.json", merge(local.names, { bucket = "" }))) : alarm
    if alarm.MetricName == "IteratorAge" && var.reads_stream || alarm.Namespace == "AWS/SQS" && var.dead_letter_queue_name != null
  ]

  alarms = {
    for alarm in concat(local.of_buckets, local.of_aws) : alarm.AlarmName => merge(alarm, {
      severity = one([for tag in alarm.Tags : tag.Value if tag.Key == "severity"])
    })
  }
}

resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = local.alarms

  alarm_name          = each.key
  alarm_description   = each.value.AlarmDescription
  namespace           = each.value.Namespace
  metric_name         = each.value.MetricName
  dimensions          = { for dimension in each.value.Dimensions : dimension.Name => dimension.Value }
  statistic           = each.value.Statistic
  period              = each.value.Period
  evaluation_periods  = each.value.EvaluationPeriods
  datapoints_to_alarm = each.value.DatapointsToAlarm
  comparison_operator = each.value.ComparisonOperator
  threshold           = each.value.Threshold
  treat_missing_data  = each.value.TreatMissingData
  alarm_actions       = local.topics[each.value.severity]
  ok_actions          = local.topics[each.value.severity]
  tags                = { severity = each.value.severity }
}

resource "aws_cloudwatch_dashboard" "this" {
  dashboard_name = "availability-${var.table_name}"
  dashboard_body = jsonencode(jsondecode(templatefile("${path.module}/dashboard.json", local.names)))
}
