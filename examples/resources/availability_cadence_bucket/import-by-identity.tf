import {
  to = availability_cadence_bucket.every_5_minutes
  identity = {
    table_name = "reservations"
    name       = "5min"
  }
}
