// Package flip marks signals dirty: it is what an application calls when
// availability has changed.
//
// A flip must start after the change has been committed. From then on the signal
// is dirty, or its value comes from an inventory read that began after the
// commit. A flip made before the commit proves nothing: a check in between would
// clean the signal with the old value.
//
// # Which one
//
// After the commit, [Client.Flip]. It is the cheapest: it reads the signal,
// strongly consistent, and writes only what is not known already, and callers of
// one process that change the same date at the same time share one flip. A
// process that dies between commit and flip leaves a gap, which the bucket's
// audit closes.
//
// Where that gap is too much, also put [Client.TransactItem] into the
// application's own TransactWriteItems, and still call Flip after it has
// answered. The entry alone is not enough: others see a transaction's items
// change one by one, so that a check may find the flip and still the old
// inventory. [Advise] says what to do when such a transaction is cancelled. The
// signal is then a point of conflict between all bookings of its date: fine below
// about ten a second.
//
// [Client.Blind] is a single write and nothing else, for those who may not read
// the table or must not share, and the form to copy into other languages. It
// costs a write even where the signal is dirty already.
//
// Where nothing in the application may change, the table's stream can flip
// instead, at the price of the stream's lag.
//
// # Outcome of the commit unknown
//
// Repeat the commit under the same token, or read back, until it is known, then
// flip. If it stays unknown, flip all the same: a flip too many costs one check.
//
// # A flip that fails
//
// It is to be logged and counted, never thrown into the booking: the booking
// stands, and the audit finds the signal within the bucket's max_staleness. A
// signal that does not exist (any more) is no failure.
package flip
