aws dynamodb restore-table-to-point-in-time \
  --source-table-name "$TABLE" \
  --target-table-name "$TABLE-restored" \
  --restore-date-time "$WHEN"
aws dynamodb wait table-exists --table-name "$TABLE-restored"
