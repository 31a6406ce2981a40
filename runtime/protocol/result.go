package protocol

import "time"

// Result is how a check ended.
type Result string

// The results.
const (
	// Cleaned: the value is stored and the signal clean.
	Cleaned Result = "cleaned"
	// Raced: the value is stored; a flip came meanwhile, so it stays dirty.
	Raced Result = "raced"
	// Settling: the value is stored; it stays dirty until the source, which lags,
	// must have caught up.
	Settling Result = "settling"
	// Failed: the check failed, counted as an attempt.
	Failed Result = "failed"
	// BackedOff: the source failed; the signal is tried again later.
	BackedOff Result = "backed off"
	// Released: the claim was given back unused.
	Released Result = "released"
	// NotClaimed: somebody else has it, or there was nothing to do.
	NotClaimed Result = "not claimed"
	// ExpiredMeanwhile: the claim was refused because the signal has expired.
	ExpiredMeanwhile Result = "expired"
	// Superseded: another claim replaced this one, or the item is gone; nothing
	// was written.
	Superseded Result = "superseded"
	// Abandoned: the outcome could not be learned; the lease will run out.
	Abandoned Result = "abandoned"
)

// Outcome is what came of computing a claimed signal's availability.
type Outcome struct {
	// Value is what to store, and AsOf when the read behind it began.
	Value string
	AsOf  time.Time
	// Instead of a value: why there is none.
	Kind OutcomeKind
	// NotBefore is when to try again: for Fault and SourceFault, and, where the
	// source lags, for a value that has to settle.
	NotBefore time.Time
}

// OutcomeKind says whether there is a value.
type OutcomeKind uint8

// The kinds of outcome.
const (
	// Computed: there is a value.
	Computed OutcomeKind = iota
	// Fault: the signal cannot be checked; counts as an attempt.
	Fault
	// SourceFault: the source failed; does not count.
	SourceFault
	// NotStarted: there was no time left to compute, or so little that it shows
	// nothing.
	NotStarted
)
