variable "table_name" {
  type        = string
  description = "Name of the table of the signals."
}

# A month of a product.
data "availability_signals" "july" {
  table_name    = var.table_name
  collection_id = "mockPark1"
  activity_type = "backcountryCamp"
  activity_id   = 1
  product_id    = 1
  start_date    = "2027-07-01"
  end_date      = "2027-07-31"
}

# What the next tick will check.
data "availability_signals" "waiting" {
  table_name     = var.table_name
  cadence_bucket = "15min"
  state          = "dirty"
  limit          = 100
}

output "calendar" {
  value = { for s in data.availability_signals.july.signals : s.date => s.value }
}

output "waiting" {
  value = length(data.availability_signals.waiting.signals)
}
