variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

data "availability_signal" "canada_day" {
  table_name    = var.table_name
  collection_id = "mockPark1"
  activity_type = "backcountryCamp"
  activity_id   = 1
  product_id    = 1
  date          = "2027-07-01"
}

# The same one by the UUID of its seeding.
data "availability_signal" "same" {
  table_name = var.table_name
  global_id  = data.availability_signal.canada_day.global_id
}

output "left" {
  value = data.availability_signal.same.stale ? "unsure" : data.availability_signal.same.value
}
