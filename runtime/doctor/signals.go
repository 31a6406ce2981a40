package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// signals says what is wrong with the signals themselves.
func (x *exam) signals() {
	if !x.census.complete {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(x.census.signals)) {
		p := x.census.signals[name]
		if name == "" {
			x.find(AreaSignals, Fault, "signals", p.all.of("has a gsipk that is no bucket's, so that nobody checks it", "have a gsipk that is no bucket's, so that nobody checks them"),
				"move them to a bucket where they were seeded")
			continue
		}
		if _, ok := x.census.registered[name]; !ok {
			x.find(AreaSignals, Fault, "bucket "+name, p.all.of("is in this bucket, which is not registered, so that nobody checks it", "are in this bucket, which is not registered, so that nobody checks them"),
				fmt.Sprintf("apply availability_cadence_bucket %q for this table, or move them to another bucket", name))
			continue
		}
		if p.never.n > 0 {
			x.find(AreaSignals, Warning, "bucket "+name, p.never.of("is clean and has never been computed: it reads as unknown until its first change, or the audit", "are clean and have never been computed: they read as unknown until their first change, or the audit"),
				"operator check, or the action availability_mark_dirty; seed with initial_state = \"dirty\"")
		}
		if p.quarantined.n > 0 {
			x.find(AreaSignals, Fault, "bucket "+name, p.quarantined.of("is in quarantine: its checks fail, and its value is old", "are in quarantine: their checks fail, and their values are old"),
				"operator explain says why; correct that, then operator check")
		}
	}
	if c := x.census; c.malformed.n > 0 {
		x.find(AreaSignals, Fault, "signals", c.malformed.of("has a bit that is neither dirty nor clean, or a ttl, notBefore, leaseUntil or expiry of a type that keeps it from ever being checked", "have a bit that is neither dirty nor clean, or a ttl, notBefore, leaseUntil or expiry of a type that keeps them from ever being checked"),
			"operator explain names the attribute; correct or remove it")
	}
	if c := x.census; c.left.n > 0 {
		x.find(AreaSignals, Warning, "signals", c.left.of("has been expired for more than four days and is still there", "have been expired for more than four days and are still there"),
			"see TTL above; operator sweep deletes those of a bucket or a product")
	}
}

// of is a sentence about some.
func (s some) of(one, many string) string {
	if s.n == 1 {
		return s.names[0] + " " + one
	}
	names := strings.Join(s.names, ", ")
	if s.n > len(s.names) {
		names += ", ..."
	}
	return fmt.Sprintf("%d signals %s: %s", s.n, many, names)
}

// runs says which buckets do not run, or do not keep up.
func (x *exam) runs() {
	for i := range x.report.Buckets {
		b := &x.report.Buckets[i]
		if p := x.census.signals[b.Name]; p != nil {
			b.Signals, b.Dirty, b.OldestDirty = p.total, p.dirty, p.oldest
			if b.interval > 0 && !p.oldest.IsZero() && x.now.Sub(p.oldest) > 3*b.interval {
				x.find(AreaRuns, Fault, "bucket "+b.Name, fmt.Sprintf("%s has been dirty since %s, which is more than three cadences", p.oldestKey, instant(p.oldest)),
					"operator explain says why for this one; if it is many, see remaining, throttles and failed in the log of its runs: more concurrency, shards or time-out")
			}
		}
		switch {
		case !b.Enabled:
			x.find(AreaRuns, Note, "bucket "+b.Name, "it is disabled: its signals are not checked", "set enabled = true and apply, if that is over")
		case b.unread:
		case b.LastRun.IsZero():
			x.find(AreaRuns, Fault, "bucket "+b.Name, "none of its runs has ever come to its end",
				"a new bucket's first tick comes after one interval; else see the rule and the function below and above, and the function's log")
		case b.stale:
			x.find(AreaRuns, Fault, "bucket "+b.Name, fmt.Sprintf("no run has come to its end since %s, for more than three cadences", instant(b.LastRun)),
				"see the findings about its rule and the function; the function's log says why a run failed")
		case b.Failed > 0 || b.Remaining > 0:
			x.find(AreaRuns, Warning, "bucket "+b.Name, fmt.Sprintf("its last run could not check %d signals, and did not reach %d", b.Failed, b.Remaining),
				"the function's log names them; operator explain says why for one")
		}
	}
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
