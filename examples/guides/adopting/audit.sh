operator audit -function "$FUNCTION" 5min
