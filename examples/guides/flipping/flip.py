from datetime import datetime, timezone


def flip(table, pk, sk):
    """Marks a signal dirty. Call it once the change has committed."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    try:
        table.update_item(
            Key={"pk": pk, "sk": sk},
            ConditionExpression="attribute_exists(#pk)",
            UpdateExpression="SET #gsisk = :dirty, #dirtySince = if_not_exists(#dirtySince, :now) ADD #rev :one",
            ExpressionAttributeNames={"#pk": "pk", "#gsisk": "gsisk", "#dirtySince": "dirtySince", "#rev": "rev"},
            ExpressionAttributeValues={":dirty": "dirty", ":now": now.replace("+00:00", "Z"), ":one": 1},
        )
    except table.meta.client.exceptions.ConditionalCheckFailedException:
        pass  # there is no such signal
