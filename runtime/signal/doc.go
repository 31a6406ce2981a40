// Package signal is the domain: what an AvailabilitySignal is, how its keys,
// shards, estimation pattern, cached value, dates and expiry are formed, and
// what its attributes are called.
//
// It knows neither AWS nor Terraform and does no I/O. Every other package takes
// key formats, attribute names and ownership from here, so that they exist once.
package signal
