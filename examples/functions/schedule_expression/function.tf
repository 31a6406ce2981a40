# rate(1 minute)
output "every_minute" {
  value = provider::availability::schedule_expression({ minutes = 1 })
}

# rate(5 minutes)
output "every_5_minutes" {
  value = provider::availability::schedule_expression({ minutes = 5 })
}
