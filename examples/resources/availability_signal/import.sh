# <table_name>/<collection_id>/<activity_type>/<activity_id>/<product_id>/<date>, each percent-escaped where need be
terraform import availability_signal.campground 'reservations/mockPark1/backcountryCamp/1/1/2027-07-01'
