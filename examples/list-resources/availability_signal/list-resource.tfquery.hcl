# The signals of a campground that no configuration manages yet, or that one of its
# own does: `terraform query -generate-config-out=signals.tf` writes imports of them.
list "availability_signal" "campground" {
  provider         = availability
  include_resource = true

  config {
    table_name    = "reservations"
    collection_id = "mockPark1"
    activity_type = "backcountryCamp"
    activity_id   = "1"
    product_id    = "1"
    start_date    = "2027-07-01"
    end_date      = "2027-07-31"
  }
}
