# One folder, a workspace and a file for each environment.
terraform workspace select -or-create "$ENVIRONMENT"
terraform apply -var-file="$ENVIRONMENT.tfvars"
