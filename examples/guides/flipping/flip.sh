aws dynamodb update-item \
  --table-name "$TABLE" \
  --key '{"pk": {"S": "availabilitySignal::mockPark1::backcountryCamp::1::1"}, "sk": {"S": "2027-07-01"}}' \
  --condition-expression 'attribute_exists(#pk)' \
  --update-expression 'SET #gsisk = :dirty, #dirtySince = if_not_exists(#dirtySince, :now) ADD #rev :one' \
  --expression-attribute-names '{"#pk": "pk", "#gsisk": "gsisk", "#dirtySince": "dirtySince", "#rev": "rev"}' \
  --expression-attribute-values '{":dirty": {"S": "dirty"}, ":now": {"S": "'"$(date -u +%Y-%m-%dT%H:%M:%S.000Z)"'"}, ":one": {"N": "1"}}'
