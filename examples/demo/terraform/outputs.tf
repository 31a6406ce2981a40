output "buckets" {
  description = "The buckets and their schedules."
  value       = { for name, b in availability_cadence_bucket.this : name => b.schedule_expression }
}

output "dates" {
  description = "How many dates have a signal."
  value       = sum([for r in availability_signal_range.this : r.dates])
}
