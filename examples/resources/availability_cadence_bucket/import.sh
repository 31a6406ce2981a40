# <table_name>/<name>, each percent-escaped where need be
terraform import availability_cadence_bucket.every_5_minutes 'reservations/5min'
