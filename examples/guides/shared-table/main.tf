variable "function_arn" {
  type        = string
  description = "ARN of the function that checks."
}

variable "table_name" {
  type        = string
  default     = "reservations"
  description = "Name of the platform's table."
}

terraform {
  required_providers {
    availability = { source = "availability-signal/availability" }
  }
}

provider "availability" {
  table_name           = var.table_name
  cadence_index_name   = "gsi-index"
  global_id_index_name = "globalId-index"
}

resource "availability_cadence_bucket" "five_minutes" {
  name    = "5min"
  cadence = { minutes = 5 }
  target  = { arn = var.function_arn }
  checks  = { write_budget = 100 } # a check costs one index unit more here
}

resource "availability_signal_range" "july" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = 1
  product_id     = 1
  start_date     = "2027-07-01"
  end_date       = "2027-07-31"
  time_zone      = "America/Vancouver"
  cadence_bucket = availability_cadence_bucket.five_minutes.name
  initial_state  = "dirty"

  availability_estimation_pattern = { estimation_mode = "tiered" }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Some dates are not seeded yet: ${join(", ", self.missing_dates)}. Run terraform apply again."
    }
  }
}
