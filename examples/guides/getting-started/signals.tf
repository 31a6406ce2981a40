resource "availability_cadence_bucket" "five_minutes" {
  name    = "5min"
  cadence = { minutes = 5 }
  target  = { arn = aws_lambda_function.runtime.arn }
}

resource "availability_signal_range" "july" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = 1
  product_id     = 1
  start_date     = "2027-07-01"
  end_date       = "2027-07-31"
  cadence_bucket = availability_cadence_bucket.five_minutes.name
  initial_state  = "dirty" # the first tick computes them all

  availability_estimation_pattern = { estimation_mode = "exact" }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Some dates are not seeded yet: ${join(", ", self.missing_dates)}. Run terraform apply again."
    }
  }
}
