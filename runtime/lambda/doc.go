// Package lambda is the wiring of the runtime's Lambda function: its settings, its
// clients and what it does with an event. The bootstrap is this package with the
// sources that a setting chooses from; a binary with a source of its own is this
// package with that source.
//
// # Settings of the source
//
// They are environment variables. One that is wrong, or that belongs to another
// source than the chosen one, is named by the error of every invocation.
//
// AVAILABILITY_SOURCE is inventory-pool, the default, inventory-units, lambda or
// http. All others begin with AVAILABILITY_SOURCE_ as well:
//
//	inventory-pool, inventory-units
//	  KEY_TEMPLATE               inventoryPool::... or inventory::{collectionId}::{activityType}::{activityId}::{productId}::{date}
//	  PARTITION_KEY_ATTRIBUTE    pk
//	  SORT_KEY_ATTRIBUTE         sk
//	inventory-pool
//	  AVAILABLE_ATTRIBUTE        availability
//	  CAPACITY_ATTRIBUTE         capacity
//	inventory-units
//	  STATUS_ATTRIBUTE           allocationStatus
//	  AVAILABLE_STATUSES         available; several are separated by commas
//	  RETIRED_STATUSES           retired; not part of the capacity
//	lambda
//	  FUNCTION                   name or ARN; required
//	  QUALIFIER                  version or alias; may be part of FUNCTION
//	http
//	  URL                        https, or http to this machine itself; required
//	  BEARER_TOKEN               either this
//	  SIGNING_SERVICE            or this: SigV4 for execute-api, lambda, ...
//	  SIGNING_REGION             AWS_REGION
//	lambda, http
//	  TIMEOUT_SECONDS            15, of each request; a bucket's lease_seconds are to be 20 more at least,
//	                             or each of its runs says so, and cuts what is slower off
//	  ATTEMPTS                   3, how often a request is sent in all
//	  BATCH_SIZE                 25 signals in a request at most
//	  BATCH_LINGER_MILLISECONDS  10, for which a signal waits for others at most
//	  CONCURRENCY                4 requests at once at most
//
// # Settings of the stream
//
// An event source mapping may hand the function the records of the table that
// AVAILABILITY_INVENTORY_TABLE_NAME says. Keys of inventory are read as the source's
// KEY_TEMPLATE, PARTITION_KEY_ATTRIBUTE and SORT_KEY_ATTRIBUTE say, if it has all four
// parts of a product and the date in it, and as the contract has them (see package
// stream). For dates and products without a pattern, or without a cadence:
//
//	AVAILABILITY_DEFAULT_PATTERN  JSON as items have it, such as {"estimationMode": "tiered"}
//	AVAILABILITY_DEFAULT_BUCKET   a bucket's name; else the one that the pattern's cadence names
//
// # Endpoints
//
// AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_LAMBDA go before AWS_ENDPOINT_URL.
package lambda
