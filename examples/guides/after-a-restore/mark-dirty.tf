# terraform apply -invoke=action.availability_mark_dirty.five_minutes
action "availability_mark_dirty" "five_minutes" {
  config {
    cadence_bucket = "5min"
  }
}
