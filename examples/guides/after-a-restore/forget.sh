python3 delete_signals.py "$TABLE-restored"
aws dynamodb delete-item --table-name "$TABLE-restored" \
  --key '{"pk": {"S": "cadenceBucket::5min"}, "sk": {"S": "cadenceBucket"}}'
