# One signal that matters, and a season of them.
resource "aws_dynamodb_table_item" "canada_day" {
  table_name = var.table_name
  hash_key   = "pk"
  range_key  = "sk"

  item = jsonencode({
    pk                            = { S = "availabilitySignal::mockPark1::dayUse::7::1" }
    sk                            = { S = "2027-07-01" }
    schema                        = { S = "availabilitySignal" }
    gsipk                         = { S = "cadenceBucket::1h" }
    gsisk                         = { S = "clean" }
    value                         = { S = "37" }
    expiry                        = { S = "2027-07-02T07:00:00.000Z" }
    availabilityEstimationPattern = { M = { estimationMode = { S = "exact" } } }
  })
}

resource "aws_dynamodb_table_item" "campground" {
  count = 184 # 1 May to 31 October

  table_name = var.table_name
  hash_key   = "pk"
  range_key  = "sk"

  item = jsonencode({
    pk                            = { S = "availabilitySignal::mockPark1::backcountryCamp::1::1" }
    sk                            = { S = formatdate("YYYY-MM-DD", timeadd("2027-05-01T00:00:00Z", "${24 * count.index}h")) }
    schema                        = { S = "availabilitySignal" }
    gsipk                         = { S = "cadenceBucket::1h" }
    gsisk                         = { S = "clean" }
    value                         = { S = "12" }
    expiry                        = { S = timeadd("2027-05-02T07:00:00.000Z", "${24 * count.index}h") }
    availabilityEstimationPattern = { M = { estimationMode = { S = "exact" } } }
  })
}
