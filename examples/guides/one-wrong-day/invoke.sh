echo '{"task": "explain", "signal": "mockPark1/backcountryCamp/1/1 2027-07-01", "shows": "37"}' > task.json
aws lambda invoke --function-name "$FUNCTION" --payload fileb://task.json answer.json
cat answer.json
