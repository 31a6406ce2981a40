resource "availability_signal_range" "product" {
  for_each = var.products

  collection_id  = each.value.collection_id
  activity_type  = each.value.activity_type
  activity_id    = each.value.activity_id
  product_id     = each.value.product_id
  start_date     = each.value.start_date
  end_date       = each.value.end_date
  except_dates   = each.value.except_dates
  cadence_bucket = availability_cadence_bucket.this[each.value.bucket].name
  initial_state  = "dirty" # the first tick computes them all

  availability_estimation_pattern = { estimation_mode = each.value.mode }

  lifecycle {
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Some dates of ${each.key} are not seeded yet: ${join(", ", self.missing_dates)}. Run terraform apply again."
    }
  }
}
