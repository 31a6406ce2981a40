# <table_name>/<collection_id>/<activity_type>/<activity_id>/<product_id>/<range_id>, each percent-escaped where need be;
# range_id is what follows terraform: in the seededBy of the range's signals
terraform import availability_signal_range.season 'reservations/mockPark1/backcountryCamp/1/1/c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b'
