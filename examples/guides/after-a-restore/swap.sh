backup=$(aws dynamodb create-backup \
  --table-name "$TABLE-restored" \
  --backup-name "$TABLE-restored" \
  --query BackupDetails.BackupArn --output text)
until [ "$(aws dynamodb describe-backup --backup-arn "$backup" \
  --query BackupDescription.BackupDetails.BackupStatus --output text)" = AVAILABLE ]; do sleep 5; done

aws dynamodb delete-table --table-name "$TABLE"
aws dynamodb wait table-not-exists --table-name "$TABLE"
aws dynamodb restore-table-from-backup --target-table-name "$TABLE" --backup-arn "$backup"
aws dynamodb wait table-exists --table-name "$TABLE"
