// Package read is what an application calls to show availability: the cached
// value of each signal, as of when it is, and what is to be thought of it.
//
//	readings, err := read.New(client, "reservations").Range(ctx, product, first, last)
//
// The values are for showing and searching. They must never decide a booking:
// whoever sells looks at the inventory itself.
//
// # What a reading says
//
// A value is text: a decimal count ("37"), the id of a tier ("high"), or "none"
// for a date that has no inventory at all, which is not the same as 0. Beside it
// stand four flags, of which none set is the normal state:
//
//   - Pending: something has changed and the next check will look at it. The
//     value is that of before.
//   - Stale: the checks themselves are not keeping up: the bucket has not run for
//     three cadences, is not registered, or the change is older than that. A value
//     that has not changed for long is not stale: a quiet signal is right and old.
//   - Unknown: there is no value yet.
//   - Expired: the date is over. There is no value either.
//
// # Cost
//
// A range costs one Query, half a read unit for each 4 KB of signals (about ten
// dates), and every ten seconds two items for each bucket that is met, of which a
// Reader remembers the state. Reads are eventually consistent unless
// WithConsistentReads is given.
package read
