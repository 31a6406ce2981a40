terraform destroy -target=availability_cadence_bucket.five_minutes
terraform state rm aws_dynamodb_table.signals
terraform import -var "table_name=$TABLE-restored" aws_dynamodb_table.signals "$TABLE-restored"
terraform apply -var "table_name=$TABLE-restored"
