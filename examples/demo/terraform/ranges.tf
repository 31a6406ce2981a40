# A whole season of a product is one resource: a signal for each of its dates.
resource "availability_signal_range" "this" {
  for_each = local.products

  collection_id = each.value.collectionId
  activity_type = each.value.activityType
  activity_id   = each.value.activityId
  product_id    = each.value.productId
  start_date    = each.value.rangeStart
  end_date      = each.value.rangeEnd
  time_zone     = each.value.timezone

  # Not the name itself: the bucket must be there before its signals, and go after.
  cadence_bucket = availability_cadence_bucket.this[each.value.bucket].name

  availability_estimation_pattern = {
    estimation_mode = each.value.availabilityEstimationPattern.estimationMode
    tiers = try([
      for t in each.value.availabilityEstimationPattern.tiers : {
        id             = t.id
        label          = try(t.label, null)
        max_percentage = t.maxPercentage
      }
    ], null)
  }

  # So that the first tick computes all of them.
  initial_state = "dirty"

  lifecycle {
    # A date that could not be seeded is a warning, so that the next apply goes on
    # where this one stopped. Here it is to fail the apply.
    postcondition {
      condition     = length(self.missing_dates) == 0
      error_message = "Not every date was seeded: ${join(", ", self.missing_dates)}. Apply again."
    }
  }
}
