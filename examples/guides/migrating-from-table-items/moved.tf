resource "availability_signal" "canada_day" {
  collection_id  = "mockPark1"
  activity_type  = "dayUse"
  activity_id    = 7
  product_id     = 1
  date           = "2027-07-01"
  cadence_bucket = availability_cadence_bucket.hourly.name

  availability_estimation_pattern = { estimation_mode = "exact" }
}

moved {
  from = aws_dynamodb_table_item.canada_day
  to   = availability_signal.canada_day
}
