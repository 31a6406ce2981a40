aws dynamodb scan --table-name "$TABLE" --select COUNT --query Count \
  --filter-expression 'begins_with(#pk, :signals) OR begins_with(#pk, :buckets)' \
  --expression-attribute-names '{"#pk": "pk"}' \
  --expression-attribute-values '{":signals": {"S": "availabilitySignal::"}, ":buckets": {"S": "cadenceBucket::"}}'
aws events list-rules --name-prefix "availability-$TABLE-" --query 'Rules[].Name'
