import {
  to = availability_signal_range.season
  id = "reservations/mockPark1/backcountryCamp/1/1/c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"
}
