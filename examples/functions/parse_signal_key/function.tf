locals {
  product = provider::availability::parse_signal_key("availabilitySignal::mockPark1::backcountryCamp::1::1")
}

# backcountryCamp/1
output "activity" {
  value = "${local.product.activity_type}/${local.product.activity_id}"
}
