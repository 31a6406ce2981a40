operator check -function "$FUNCTION" 5min
