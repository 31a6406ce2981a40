variable "end_date" {
  type        = string
  default     = "2027-10-31"
  description = "Last day of the season."
}

locals {
  products = {
    "north loop" = { activity_type = "backcountryCamp", activity_id = 1, product_id = 1, bucket = "5min", mode = "tiered" }
    "south loop" = { activity_type = "backcountryCamp", activity_id = 1, product_id = 2, bucket = "5min", mode = "tiered" }
    "day pass"   = { activity_type = "dayUse", activity_id = 7, product_id = 1, bucket = "30min", mode = "exact" }
  }
}

resource "availability_signal_range" "season" {
  for_each = local.products

  collection_id  = "mockPark1"
  activity_type  = each.value.activity_type
  activity_id    = each.value.activity_id
  product_id     = each.value.product_id
  start_date     = "2027-05-01"
  end_date       = var.end_date
  except_dates   = ["2027-06-14", "2027-06-15"] # closed for repairs
  time_zone      = "America/Vancouver"
  cadence_bucket = availability_cadence_bucket.every[each.value.bucket].name
  initial_state  = "dirty"

  availability_estimation_pattern = {
    estimation_mode = each.value.mode
    tiers = each.value.mode == "exact" ? null : [
      { id = "full", label = "Full", max_percentage = 0 },
      { id = "few", label = "A few left", max_percentage = 0.1 },
      { id = "many", label = "Available", max_percentage = 1 },
    ]
  }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Some dates of ${each.key} are not seeded yet: ${join(", ", self.missing_dates)}. Run terraform apply again."
    }
  }
}
