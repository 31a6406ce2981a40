// Package simulator is a DynamoDB in memory, for tests and benchmarks: it has the
// SDK's own method signatures, no network, a clock of its own, and is
// deterministic from a seed. Nothing in production imports it.
//
// It does what DynamoDB does where this project could be hurt by it: conditions
// and updates to the letter, refused requests with the service's own errors,
// indexes that lag and show what is no longer there, pages that end, stale
// reads, capacity units and the throttling of hot partitions, transactions whose
// items become visible one by one, TTL, and a network that loses answers, repeats
// requests and delivers them late.
//
// It knows the requests and expressions that this project uses. What AWS would
// refuse, it refuses as AWS does; what AWS would take but the simulator does not
// know makes it panic with a *NotSimulatedError that names it.
//
// # Databases and clients
//
// New makes a DB with a clock that stands still until it is told to move; DB.Client
// makes a Client of it, which stands for one process with its SDK client: it
// repeats calls as the SDK does, is what capacity is counted by, and can crash.
// It can be handed to whatever takes a *dynamodb.Client through an interface.
//
// # Worlds
//
// Run makes a World: a DB and any number of processes in a bubble of
// testing/synctest, in which time stands still while anything can go on, and jumps
// to the next timer when nothing can. Every call to the DB waits until a scheduler
// lets it through; the scheduler waits until every goroutine in the bubble is
// blocked and then lets one through, chosen at random by the seed. So production
// code runs as it is, with its goroutines, timers and deadlines, and calls
// interleave in ways that a seed reproduces.
//
// Between two calls, goroutines run as Go runs them: what a process decides
// must not depend on which of its own goroutines is faster, nor on the order of a
// map, or a seed will not reproduce it. A goroutine that makes a call while it
// holds a mutex that another one waits for stops the bubble.
//
// # Values
//
// Attribute values handed in and out are shared, not copied: do not change one
// after handing it over.
package simulator
