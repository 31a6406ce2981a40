import {
  to = availability_signal_range.season
  identity = {
    table_name    = "reservations"
    collection_id = "mockPark1"
    activity_type = "backcountryCamp"
    activity_id   = "1"
    product_id    = "1"
    range_id      = "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"
  }
}
