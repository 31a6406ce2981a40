from boto3.dynamodb.conditions import Key


def read_range(table, pk, first, last):
    """The signals of a product from one date to another, in order."""
    names = ["sk", "value", "lastUpdatedAt", "gsisk", "dirtySince", "expiry"]
    query = {
        "KeyConditionExpression": Key("pk").eq(pk) & Key("sk").between(first, last),
        "ProjectionExpression": ", ".join(f"#{name}" for name in names),
        "ExpressionAttributeNames": {f"#{name}": name for name in names},
    }
    while True:
        page = table.query(**query)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        query["ExclusiveStartKey"] = page["LastEvaluatedKey"]
