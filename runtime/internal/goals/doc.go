// Package goals holds the tests of what the runtime promises in numbers: how fast
// it is, what it costs, and what it does while others fail. Each is measured on the
// simulator, in its time and its capacity units; the names of the tests are those of
// the goals.
package goals
