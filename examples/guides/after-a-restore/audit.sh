operator audit -function "$FUNCTION" 5min
operator check -function "$FUNCTION" 5min
