environment         = "production"
table_name          = "signals"
platform_table_name = "reservations"
time_zone           = "America/Vancouver"

buckets = {
  "5min" = { minutes = 5, shards = 2 }
  "1h"   = { hours = 1 }
}

products = {
  "north loop" = {
    collection_id = "mockPark1"
    activity_type = "backcountryCamp"
    activity_id   = "1"
    product_id    = "1"
    bucket        = "5min"
    start_date    = "2027-05-01"
    end_date      = "2027-10-31"
    except_dates  = ["2027-06-14", "2027-06-15"] # closed for repairs
    mode          = "exact"
  }
  "day pass" = {
    collection_id = "mockPark1"
    activity_type = "dayUse"
    activity_id   = "7"
    product_id    = "1"
    bucket        = "1h"
    start_date    = "2027-05-01"
    end_date      = "2027-10-31"
  }
}
