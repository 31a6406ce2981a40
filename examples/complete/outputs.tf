output "policies" {
  description = "For the platform's roles: what reads values, and what flips signals."
  value       = { for role, policy in aws_iam_policy.application : role => policy.arn }
}

output "package" {
  description = "Version of the function's package."
  value       = data.availability_runtime_package.this.version
}

output "dates" {
  description = "How many dates have a signal."
  value       = sum([for r in availability_signal_range.product : r.dates])
}
