aws dynamodb put-item --table-name "$TABLE" --item '{
  "pk": {"S": "inventoryPool::mockPark1::backcountryCamp::1::1::2027-07-01"},
  "sk": {"S": "main"},
  "availability": {"N": "37"},
  "capacity": {"N": "60"}
}'
