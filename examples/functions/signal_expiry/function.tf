# 2027-07-02T07:00:00.000Z, when the 2nd begins in Vancouver
output "expiry" {
  value = provider::availability::signal_expiry("2027-07-01", "America/Vancouver")
}
