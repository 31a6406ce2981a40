aws dynamodb query \
  --table-name "$TABLE" \
  --key-condition-expression '#pk = :pk AND #sk BETWEEN :first AND :last' \
  --projection-expression '#sk, #value, #lastUpdatedAt, #gsisk, #dirtySince, #expiry' \
  --expression-attribute-names '{"#pk": "pk", "#sk": "sk", "#value": "value", "#lastUpdatedAt": "lastUpdatedAt", "#gsisk": "gsisk", "#dirtySince": "dirtySince", "#expiry": "expiry"}' \
  --expression-attribute-values '{":pk": {"S": "availabilitySignal::mockPark1::backcountryCamp::1::1"}, ":first": {"S": "2027-07-01"}, ":last": {"S": "2027-07-31"}}'
