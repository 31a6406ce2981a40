# python3 delete_signals.py TABLE: deletes every signal that there is.
import sys

import boto3
from boto3.dynamodb.conditions import Attr

table = boto3.resource("dynamodb").Table(sys.argv[1])
scan = {
    "FilterExpression": Attr("pk").begins_with("availabilitySignal::") & Attr("schema").eq("availabilitySignal"),
    "ProjectionExpression": "#pk, #sk",
    "ExpressionAttributeNames": {"#pk": "pk", "#sk": "sk"},
}
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
