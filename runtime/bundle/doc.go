// Package bundle holds the runtime's Lambda packages: how they are made, and those
// that a provider carries in itself.
//
// They are embedded with the build tag bundle, for which `make zips` must have made
// them (`make build` does both). Without the tag a program has none, and says so.
package bundle
