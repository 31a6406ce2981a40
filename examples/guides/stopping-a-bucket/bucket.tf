resource "availability_cadence_bucket" "five_minutes" {
  name    = "5min"
  cadence = { minutes = 5 }
  target  = { arn = var.function_arn }
  enabled = false # stopped on 30 June: the source is down
}
