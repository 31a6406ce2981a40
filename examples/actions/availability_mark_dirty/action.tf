# Invoke one by hand: terraform apply -invoke=action.availability_mark_dirty.july

# One signal.
action "availability_mark_dirty" "canada_day" {
  config {
    collection_id = "mockPark1"
    activity_type = "backcountryCamp"
    activity_id   = 1
    product_id    = 1
    date          = "2027-07-01"
  }
}

# A product's dates, after its inventory was loaded anew.
action "availability_mark_dirty" "july" {
  config {
    collection_id = "mockPark1"
    activity_type = "backcountryCamp"
    activity_id   = 1
    product_id    = 1
    start_date    = "2027-07-01"
    end_date      = "2027-07-31"
  }
}

# All signals of a bucket, after the table was restored.
action "availability_mark_dirty" "everything" {
  config {
    cadence_bucket = "15min"
  }
}
