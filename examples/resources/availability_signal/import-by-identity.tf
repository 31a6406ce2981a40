import {
  to = availability_signal.campground
  identity = {
    table_name    = "reservations"
    collection_id = "mockPark1"
    activity_type = "backcountryCamp"
    activity_id   = "1"
    product_id    = "1"
    date          = "2027-07-01"
  }
}
