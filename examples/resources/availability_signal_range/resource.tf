variable "function_arn" {
  type        = string
  description = "ARN of the function that checks."
}

variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

resource "availability_cadence_bucket" "every_15_minutes" {
  table_name = var.table_name
  name       = "15min"
  cadence    = { minutes = 15 }
  target     = { arn = var.function_arn }
}

# A season of one campground: a signal for every date, as one resource.
resource "availability_signal_range" "season" {
  table_name     = var.table_name
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = 1
  product_id     = 1
  start_date     = "2027-05-01"
  end_date       = "2027-10-31"
  time_zone      = "America/Vancouver"
  cadence_bucket = availability_cadence_bucket.every_15_minutes.name
  initial_state  = "dirty" # the first tick computes them all

  # full 0, low 0.25, medium 0.75, high 1
  availability_estimation_pattern = { estimation_mode = "tiered" }

  timeouts = { create = "10m" }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Some dates could not be seeded: ${join(", ", self.missing_dates)}. Run terraform apply again."
    }
  }
}
