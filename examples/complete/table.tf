# The signals have a table of their own, beside the platform's.
resource "aws_dynamodb_table" "signals" {
  name         = var.table_name
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "pk"
  range_key    = "sk"

  dynamic "attribute" {
    for_each = ["pk", "sk", "gsipk", "gsisk", "globalId"]

    content {
      name = attribute.value
      type = "S"
    }
  }

  global_secondary_index {
    name               = "cadence-index"
    hash_key           = "gsipk"
    range_key          = "gsisk"
    projection_type    = "INCLUDE"
    non_key_attributes = ["dirtySince", "ttl", "notBefore"]
  }

  global_secondary_index {
    name            = "globalId-index"
    hash_key        = "globalId"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }
}

data "aws_dynamodb_table" "platform" {
  name = var.platform_table_name
}
