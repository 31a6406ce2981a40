package simulator

import (
	"math/rand/v2"
	"time"
)

// Call is one sending of a request: a call that is repeated is several.
type Call struct {
	// Client is the name that capacity is counted by, and Process which of the
	// clients of that name it is, from 1.
	Client  string
	Process int
	// Operation is the SDK's method, such as "UpdateItem". The parts of a batch
	// and of a transaction are calls of their own to a World's scheduler, such as
	// "TransactWriteItems, item".
	Operation string
	// Table, Index, Partition and Sort say what it is about, as far as it is one
	// thing: the values of the key.
	Table, Index, Partition, Sort string
	// Attempt counts the sendings of one call, from 1.
	Attempt int
	// Number counts all sendings of this process, from 1.
	Number int
	// Input is the SDK's input. It is not to be changed.
	Input any

	writes  bool
	content string
}

// Writes is whether the operation changes anything.
func (c *Call) Writes() bool { return c.writes }

// Rejection is how a request fails without being executed.
type Rejection uint8

// The rejections. The SDK repeats all but Conflicting, and that one too where the
// caller asks for it.
const (
	// Executed: not rejected.
	Executed Rejection = iota
	// Throttling is a ProvisionedThroughputExceededException.
	Throttling
	// ServerError is an InternalServerError with status 500.
	ServerError
	// NeverSent is a connection that broke before the request was through.
	NeverSent
	// Conflicting is a conflict with somebody's transaction; only writes can.
	Conflicting
)

// Fault is what goes wrong with one request. The zero Fault is nothing.
type Fault struct {
	// Reject makes the request fail unexecuted.
	Reject Rejection
	// LoseAnswer executes the request and loses the answer: the SDK repeats it,
	// if it may.
	LoseAnswer bool
	// Late loses the request as it seems, and executes it so much later, when
	// nobody waits for it any more.
	Late time.Duration
	// Again executes the request, answers, and executes it once more so much
	// later.
	Again time.Duration
	// Delay is how long the request takes to arrive, and AnswerDelay its answer.
	Delay, AnswerDelay time.Duration
	// HoldAnswer lets the other calls of a World go on between the execution and
	// the answer.
	HoldAnswer bool
	// Torn reads a page of a Query in two halves, between which others write.
	Torn bool
	// Leave leaves every entry of a batch unprocessed, or unexecuted, with that
	// probability.
	Leave float64
	// CrashBefore and CrashAfter crash the process before and after the request
	// is executed.
	CrashBefore, CrashAfter bool
}

// Faults decides what goes wrong with a request. It is called from one goroutine
// at a time and must not call the DB.
type Faults func(*rand.Rand, *Call) Fault

// Rates are the probabilities of faults, each by itself.
type Rates struct {
	Throttling, ServerError, NeverSent, Conflicting float64
	LoseAnswer, Late, Again                         float64
	Slow, HoldAnswer, Torn, Leave                   float64
	CrashBefore, CrashAfter                         float64
	// Latest is the longest that a late or repeated request takes, and Slowest
	// the longest of a slow one; by default a minute and ten seconds.
	Latest, Slowest time.Duration
}

// Faults draws faults at these rates.
func (r Rates) Faults() Faults {
	if r.Latest == 0 {
		r.Latest = time.Minute
	}
	if r.Slowest == 0 {
		r.Slowest = 10 * time.Second
	}
	return func(random *rand.Rand, c *Call) Fault {
		happens := func(rate float64) bool { return rate > 0 && random.Float64() < rate }
		soon := func(most time.Duration) time.Duration { return 1 + time.Duration(random.Int64N(int64(most))) }
		var f Fault
		switch {
		case happens(r.Throttling):
			f.Reject = Throttling
		case happens(r.ServerError):
			f.Reject = ServerError
		case happens(r.NeverSent):
			f.Reject = NeverSent
		case c.writes && happens(r.Conflicting):
			f.Reject = Conflicting
		case happens(r.LoseAnswer):
			f.LoseAnswer = true
		case c.writes && happens(r.Late):
			f.Late = soon(r.Latest)
		case c.writes && happens(r.Again):
			f.Again = soon(r.Latest)
		}
		if happens(r.Slow) {
			f.Delay = soon(r.Slowest)
		}
		if happens(r.Slow) {
			f.AnswerDelay = soon(r.Slowest)
		}
		f.HoldAnswer = happens(r.HoldAnswer)
		f.Torn = happens(r.Torn)
		if happens(r.Leave) {
			f.Leave = random.Float64()
		}
		f.CrashBefore = happens(r.CrashBefore)
		f.CrashAfter = happens(r.CrashAfter)
		return f
	}
}

// Outcome is a request that has ended.
type Outcome struct {
	*Call
	At    time.Time
	Fault Fault
	// Err is what the client got, or nil; for a request that was executed late,
	// which nobody waited for, what it would have got.
	Err error
	// Late is set for that.
	Late bool
	// Table and Indexes are what it has cost by then.
	Table, Indexes Units
}
