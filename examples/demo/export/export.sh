#!/bin/sh
# Exports a platform's own products and inventory pools into a folder for the demo:
# TABLE=reservations DATA=season examples/demo/export/export.sh && make demo DATA=season
#
# It reads, and writes nothing but that folder: dynamodb:Scan of the table is all that
# it needs. Two scans of the whole table cost half a read unit for each 4 KB of it.
set -eu

mkdir -p "$DATA"
folder=$(cd "$DATA" && pwd)

scan() {
  aws dynamodb scan --output json --table-name "$TABLE" --filter-expression 'begins_with(pk, :prefix)' \
    --expression-attribute-values "{\":prefix\": {\"S\": \"$1\"}}"
}

scan product:: >"$folder/products.json"
scan inventoryPool:: >"$folder/pools.json"
go run -C "$(dirname "$0")" . "$folder"
