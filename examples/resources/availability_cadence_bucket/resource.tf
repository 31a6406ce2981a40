variable "function_arn" {
  type        = string
  description = "ARN of the function that checks."
}

variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

# Checked every five minutes.
resource "availability_cadence_bucket" "every_5_minutes" {
  table_name = var.table_name
  name       = "5min"
  cadence    = { minutes = 5 }
  target     = { arn = var.function_arn }
}

# Checked every ten minutes while people book, and with more of it set.
resource "availability_cadence_bucket" "daytime" {
  table_name  = var.table_name
  name        = "daytime"
  description = "Day-use passes"
  cron        = "0/10 13-23 * * ? *" # UTC
  shards      = 4
  tags        = { team = "reservations" }

  target = {
    arn                       = var.function_arn
    maximum_event_age_seconds = 600
    maximum_retry_attempts    = 10
  }

  checks = {
    concurrency           = 64
    lease_seconds         = 120
    max_attempts          = 8
    write_budget          = 200
    max_staleness_minutes = 720
  }
}
