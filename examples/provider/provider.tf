terraform {
  required_providers {
    availability = {
      source = "availability-signal/availability"
    }
  }
}

# Credentials, and whatever else is not set here, come from the environment and
# the shared files, as in every AWS tool.
provider "availability" {
  region     = "ca-central-1"
  table_name = "reservations"
  time_zone  = "America/Vancouver"
}
