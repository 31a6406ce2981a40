package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// putOff is a notBefore. That of a quarantined signal is an odd number of
// milliseconds, every other an even one: the cadence index carries notBefore and
// not attempts, and a run must be able to count who is in quarantine without
// reading every signal that is put off. It is never before the instant asked for.
func putOff(until time.Time, quarantined bool) signal.Value {
	ms := until.UnixMilli()
	if until.UnixNano()%1e6 != 0 {
		ms++
	}
	if (ms%2 != 0) != quarantined {
		ms++
	}
	return signal.N(ms)
}

// Quarantined is whether a notBefore, of an item or of an entry of the index, is
// that of a signal which has failed max_attempts checks in a row or more.
func Quarantined(notBefore signal.Value) bool {
	ms, ok := notBefore.Int()
	return ok && ms%2 != 0
}
