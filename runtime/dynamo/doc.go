// Package dynamo is the protocol on DynamoDB: it renders the writes of package
// protocol into expressions, keeps the registry of buckets, and seeds signals.
//
// Every attribute name in every expression is aliased, because many of them are
// reserved words (value, ttl, schema, name...). Reads that decide anything are
// strongly consistent.
package dynamo
