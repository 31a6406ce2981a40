# python3 delete_signals.py TABLE: deletes every signal and every bucket's item.
import sys

import boto3
from boto3.dynamodb.conditions import Attr

table = boto3.resource("dynamodb").Table(sys.argv[1])
ours = Attr("pk").begins_with("availabilitySignal::") | Attr("pk").begins_with("cadenceBucket::")
scan = {"FilterExpression": ours, "ProjectionExpression": "#pk, #sk", "ExpressionAttributeNames": {"#pk": "pk", "#sk": "sk"}}
deleted = 0
with table.batch_writer() as batch:
    while True:
        page = table.scan(**scan)
        for key in page["Items"]:
            batch.delete_item(Key=key)
            deleted += 1
        if "LastEvaluatedKey" not in page:
            break
        scan["ExclusiveStartKey"] = page["LastEvaluatedKey"]
print(deleted, "deleted")
