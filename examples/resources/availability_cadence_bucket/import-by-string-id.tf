import {
  to = availability_cadence_bucket.every_5_minutes
  id = "reservations/5min"
}
