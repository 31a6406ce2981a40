removed {
  from = aws_dynamodb_table_item.campground

  lifecycle {
    destroy = false
  }
}

resource "availability_signal_range" "campground" {
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = 1
  product_id     = 1
  start_date     = "2027-05-01"
  end_date       = "2027-10-31"
  cadence_bucket = availability_cadence_bucket.hourly.name
  adopt_existing = true
  initial_state  = "dirty" # for dates that have no item yet

  availability_estimation_pattern = { estimation_mode = "exact" }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Some dates could not be adopted: ${join(", ", self.missing_dates)}. Run terraform apply again."
    }
  }
}
