operator sync -function "$FUNCTION" -collection mockPark1
