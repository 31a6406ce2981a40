// Package source is where availability comes from: what a comprehensive check of
// a signal asks.
package source
