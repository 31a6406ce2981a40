# All buckets of the provider's table.
list "availability_cadence_bucket" "all" {
  provider = availability
}

# Those of another table, with all that their resources would have.
list "availability_cadence_bucket" "elsewhere" {
  provider         = availability
  include_resource = true

  config {
    table_name = var.table_name
  }
}
