package check_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The lease is the bucket's and the time-out the function's: only a run sees both.
func TestRun_leaseTooShortForTheSource(t *testing.T) {
	const advice = "the bucket's lease_seconds is 30 and the source's time-out 40 s: checks that take longer than 20s are cut off, and tried again later; " +
		"set lease_seconds to 60 or more, or give the source a time-out of 30 s less"
	for name, test := range map[string]struct {
		lease, timeout time.Duration
		want           []string
	}{
		"too short": {30 * time.Second, 40 * time.Second, []string{advice}},
		"too short for a batch": {50 * time.Second, 40 * time.Second, []string{
			"the bucket's lease_seconds is 50 and the source's time-out 40 s: checks that take longer than 40s are cut off, and tried again later; " +
				"set lease_seconds to 60 or more, or give the source a time-out of 10 s less",
		}},
		"just long enough":    {60 * time.Second, 40 * time.Second, nil},
		"time-out is unknown": {30 * time.Second, 0, nil},
		"neither is long":     {15 * time.Second, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Lease = test.lease
				w.runner.SourceTimeout = test.timeout
				// In each run, not only in the first.
				for range 2 {
					if diff := cmp.Diff(test.want, w.run().Warnings); diff != "" {
						t.Errorf("warnings (-want +got):\n%s", diff)
					}
				}
				lines := w.logged("lease too short for the source")
				if len(lines) != 2*len(test.want) {
					t.Fatalf("%d lines, want %d: %s", len(lines), 2*len(test.want), w.logs.String())
				}
				for _, line := range lines {
					if line["level"] != "WARN" || line["bucket"] != "cadenceBucket::5min" || line["reason"] != test.want[0] {
						t.Errorf("line %v", line)
					}
				}
			})
		})
	}
}

// What is slower than the lease allows, and quicker than the source's time-out, is
// nobody's fault but the setting's: it is never quarantined for it.
func TestRun_leaseTooShortIsNotTheSignalsFault(t *testing.T) {
	for name, test := range map[string]struct {
		timeout time.Duration
		want    check.Counts
	}{
		"lease too short": {40 * time.Second, check.Counts{Seen: 1, Due: 1, Claimed: 1, BackedOff: 1}},
		// The source itself had given up by then.
		"lease long enough": {10 * time.Second, check.Counts{Seen: 1, Due: 1, Claimed: 1, Failed: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Lease = 30 * time.Second
				w.runner.SourceTimeout = test.timeout
				w.previousRun(5*time.Minute, 100, 0, 0)
				key := w.seed("2026-07-01")
				w.takes(30 * time.Second)
				report := w.runFor(15 * time.Minute)
				w.wantCounts(report, test.want)
				if took := time.Duration(report.DurationMS) * time.Millisecond; took != 20*time.Second {
					t.Errorf("cut off after %s, want 10 s before the lease ends", took)
				}
				item := w.table.item(key)
				if item[signal.AttrAttempts].Exists() != (test.want.Failed > 0) || !item[signal.AttrNotBefore].Exists() || !w.free(key) {
					t.Errorf("item %v", item)
				}
				if text := w.logs.String(); !strings.Contains(text, "cut off 20s after the claim") {
					t.Errorf("log: %s", text)
				}
			})
		})
	}
}

// Nor is the source excused by it: where every check is cut off, the run ends.
func TestRun_endsWhereEveryCheckIsCutOff(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.bucket.Checks.Lease, w.runner.SourceTimeout = 30*time.Second, 40*time.Second
		w.seedMany(40)
		w.takes(time.Hour)
		w.wantCounts(w.run(), check.Counts{Seen: 40, Due: 40, Claimed: 20, BackedOff: 20, Remaining: 20})
	})
}

// A lease that is too short excuses what it has cut off, and nothing else.
func TestRun_leaseTooShortExcusesNoAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Lease, w.runner.SourceTimeout = 30*time.Second, 40*time.Second
		w.previousRun(5*time.Minute, 100, 0, 0)
		key := w.seed("2026-07-01")
		w.estimate = failing(errDown)
		w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Failed: 1})
		if n := w.table.item(key).Int(signal.AttrAttempts); n != 1 {
			t.Errorf("%d attempts, want the one that the source has answered", n)
		}
	})
}
