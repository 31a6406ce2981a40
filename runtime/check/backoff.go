package check

import "time"

const (
	// longestBackOff is the most that a signal is put off.
	longestBackOff = time.Hour
	// quarantine is the time between two checks of one that has failed too often.
	quarantine = 6 * time.Hour
)

// backOff is how long a signal waits after that many failed checks in a row: the
// cadence, doubled with each. random in [0, 1) takes up to a quarter off, so that
// what failed together is not tried together again.
func backOff(cadence time.Duration, attempts int64, random float64) time.Duration {
	wait := cadence
	for n := int64(1); n < attempts && wait < longestBackOff; n++ {
		wait *= 2
	}
	wait = min(wait, longestBackOff)
	return wait - time.Duration(random*float64(wait/4))
}

// backOffByAge is how long a signal waits after the source failed: half of the
// time that it has been dirty, between the cadence and the most.
func backOffByAge(cadence, dirty time.Duration) time.Duration {
	return min(max(dirty/2, cadence), longestBackOff)
}
