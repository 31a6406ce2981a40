operator check -function "$FUNCTION" "mockPark1/backcountryCamp/1/1 2027-07-01"
