// Package doctor examines all that a table's signals depend on: the clock of whoever
// looks, table and indexes, registry, rules and targets, the function and its stream,
// and the signals themselves. It writes nothing: what it tries out is refused by its
// condition.
//
// It reads the whole table once, for which a table of a million signals costs some
// tens of thousands of read units. A call that is denied is a finding too, and the
// rest is examined all the same.
package doctor
