import {
  to = availability_signal.campground
  id = "reservations/mockPark1/backcountryCamp/1/1/2027-07-01"
}
