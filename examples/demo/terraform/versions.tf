terraform {
  required_version = ">= 1.8"

  required_providers {
    availability = {
      source = "availability-signal/availability"
    }
  }
}

# Region, credentials and endpoint come from the environment.
provider "availability" {
  table_name = var.table_name
}
