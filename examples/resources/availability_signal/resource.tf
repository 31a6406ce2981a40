variable "function_arn" {
  type        = string
  description = "ARN of the function that checks."
}

variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

resource "availability_cadence_bucket" "hourly" {
  table_name = var.table_name
  name       = "1h"
  cadence    = { hours = 1 }
  target     = { arn = var.function_arn }
}

# The number of sites that are left, checked every hour.
resource "availability_signal" "campground" {
  table_name     = var.table_name
  collection_id  = "mockPark1"
  activity_type  = "backcountryCamp"
  activity_id    = 1
  product_id     = 1
  date           = "2027-07-01"
  time_zone      = "America/Vancouver"
  cadence_bucket = availability_cadence_bucket.hourly.name
  initial_state  = "dirty" # the first tick computes it

  availability_estimation_pattern = { estimation_mode = "exact" }
}

# How full it is, in the park's own words, shown as plenty until the first check.
resource "availability_signal" "day_use" {
  table_name     = var.table_name
  collection_id  = "mockPark1"
  activity_type  = "dayuse"
  activity_id    = 2
  product_id     = 1
  date           = "2027-07-01"
  expiry         = "2027-07-01T20:00:00-07:00" # the gate closes
  cadence_bucket = availability_cadence_bucket.hourly.name
  initial_value  = "plenty"
  initial_state  = "dirty"

  availability_estimation_pattern = {
    estimation_mode = "tiered"
    tiers = [
      { id = "soldOut", label = "Sold out", max_percentage = 0 },
      { id = "few", label = "A few left", max_percentage = 0.1 },
      { id = "plenty", label = "Plenty", max_percentage = 1 },
    ]
  }
}
