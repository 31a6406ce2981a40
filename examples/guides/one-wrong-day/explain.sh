operator explain -function "$FUNCTION" -shows 37 "mockPark1/backcountryCamp/1/1 2027-07-01"
