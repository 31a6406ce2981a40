aws events disable-rule --name "availability-$TABLE-5min"
