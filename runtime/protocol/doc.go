// Package protocol is how a signal is seeded, flipped, claimed and finished
// without ever losing a change, as pure values: what is read, what is
// conditional, what is written.
//
// Every operation is one conditional write on one item. The same values drive
// DynamoDB (package dynamo) and the explorations in this package's tests, so that
// what is verified is what runs. Nothing here does I/O or reads a clock.
package protocol
