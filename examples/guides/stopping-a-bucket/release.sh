aws lambda delete-function-concurrency --function-name "$FUNCTION"
