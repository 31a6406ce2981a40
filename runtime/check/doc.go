// Package check is a run of a bucket: find the dirty signals, oldest first, claim
// each, have its availability computed, and finish it.
//
// Every step of a check is protocol.Check's; this package sends it. Nothing here
// is needed for safety: a run may be killed anywhere, overlap another or be
// delivered twice.
package check
