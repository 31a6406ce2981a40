aws lambda put-function-concurrency --function-name "$FUNCTION" --reserved-concurrent-executions 0
