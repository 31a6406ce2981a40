package check

import (
	"slices"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
)

// namedFailures is how many failures a report names.
const namedFailures = 20

// tally counts what comes of the signals of a run. The zero value is ready.
type tally struct {
	mu          sync.Mutex
	counts      Counts
	failures    []Failure
	sourceError string
}

func (t *tally) count(f func(*Counts)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.counts)
}

func (t *tally) dirtyFor(age time.Duration) {
	t.count(func(c *Counts) { c.OldestDirtyAgeSeconds = max(c.OldestDirtyAgeSeconds, int64(age/time.Second)) })
}

// failed names a signal that could not be checked.
func (t *tally) failed(key, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Failed++
	if len(t.failures) < namedFailures {
		t.failures = append(t.failures, Failure{Key: key, Reason: reason})
	}
}

// sourceFailed returns whether it is the source's first error in this run.
func (t *tally) sourceFailed(reason string) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sourceError != "" {
		return false
	}
	t.sourceError = reason
	return true
}

// ended counts a check's end.
func (t *tally) ended(result protocol.Result) {
	t.count(func(c *Counts) {
		switch result {
		case protocol.Cleaned:
			c.Cleaned++
		case protocol.Raced:
			c.Raced++
		case protocol.BackedOff:
			c.BackedOff++
		case protocol.Released:
			c.Released++
		case protocol.NotClaimed:
			c.Refused++
		case protocol.ExpiredMeanwhile:
			c.Expired++
		case protocol.Superseded:
			c.Superseded++
		case protocol.Abandoned:
			c.Abandoned++
		}
	})
}

func (t *tally) report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Report{Counts: t.counts, Failures: slices.Clone(t.failures), SourceError: t.sourceError}
}
