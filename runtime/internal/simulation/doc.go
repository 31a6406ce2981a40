// Package simulation runs whole systems on the simulator, many thousands of them,
// each from a seed: applications that book and flip in every way there is, a
// stream that tells of what they leave untold, functions that overlap and crash,
// Terraform that seeds, changes and destroys, and readers, in bad weather. The code
// of all of them is production's own.
//
// A seed is a Plan: who takes part, what each does, and the weather. Run carries it
// out and says which invariants it broke, by a judge that sees every change as it
// is made and knows the true inventory. The same plan gives the same history. One
// that breaks an invariant can be made smaller (Shrink) and told in words (Run with
// Told).
//
// Rules bend what the processes do, where their requests leave them: a protocol
// that lacks a condition, or reads too early. A simulation that does not notice is
// not one for this protocol.
//
// # The value tells what was read
//
// A booking never lowers what is available but raises it, by one in the first pool
// and by five in the second, and at most four times for each. So an exact value says
// which bookings its reading of the inventory has seen, and a tier of the pattern
// that is used here as well, for each has a hundredth.
package simulation
