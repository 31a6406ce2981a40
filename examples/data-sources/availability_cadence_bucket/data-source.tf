variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

data "availability_cadence_bucket" "every_5_minutes" {
  table_name = var.table_name
  name       = "5min"
}

# How many signals the last run did not get to; null if there has been no run.
output "left_over" {
  value = try(data.availability_cadence_bucket.every_5_minutes.last_run.counts["remaining"], null)
}
