# availabilitySignal::mockPark1::backcountryCamp::1::1
output "key" {
  value = provider::availability::signal_key("mockPark1", "backcountryCamp", 1, 1)
}
