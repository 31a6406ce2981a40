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
	mu           sync.Mutex
	counts       Counts
	failures     []Failure
	inQuarantine []string
	sourceError  string
	warnings     []string
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

// quarantined names a signal that has failed too often.
func (t *tally) quarantined(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Quarantined++
	if len(t.inQuarantine) < namedFailures {
		t.inQuarantine = append(t.inQuarantine, key)
	}
}

// recovered takes back that a signal is in quarantine.
func (t *tally) recovered(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Quarantined--
	t.inQuarantine = slices.DeleteFunc(t.inQuarantine, func(k string) bool { return k == key })
}

// answered is whether the source has answered in this run at all.
func (t *tally) answered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts.Computed > 0 || t.counts.Audited > 0
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

// warn takes note of a setting that does not fit.
func (t *tally) warn(warning string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.warnings = append(t.warnings, warning)
}

// ended counts a check's end.
func (t *tally) ended(result protocol.Result) {
	t.count(func(c *Counts) {
		switch result {
		case protocol.Cleaned:
			c.Cleaned++
		case protocol.Raced:
			c.Raced++
		case protocol.Settling:
			c.Settling++
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
	return Report{
		Counts: t.counts, Failures: slices.Clone(t.failures), InQuarantine: slices.Clone(t.inQuarantine),
		SourceError: t.sourceError, Warnings: slices.Clone(t.warnings),
	}
}
