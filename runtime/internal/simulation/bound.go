package simulation

import (
	"slices"
	"time"
)

// pending is a change that does not show yet.
type pending struct {
	change vector
	until  time.Time
}

// shows strikes out what shows by now.
func (j *judge) shows(f *dayFile, day int) {
	var v vector
	if !v.read(f.is.value, modeOfValue(f.is.value)) {
		return
	}
	f.waiting = slices.DeleteFunc(f.waiting, func(p pending) bool {
		if !v.covers(p.change) {
			return false
		}
		if j.now.After(p.until) {
			j.breach(BoundedStaleness, "day %d shows %v %s after it had to", day, p.change, j.now.Sub(p.until))
		}
		return true
	})
}

// bound is how long a change may take to show if nothing goes wrong.
func (j *judge) bound() time.Duration {
	const jitter = 2 * time.Second
	b := cadence + jitter + j.plan.IndexLag + 2*invocation + 2*j.skew
	if s := j.plan.settle(); s > 0 {
		b += s + cadence
	}
	return b
}

// due is when a change must show whose flip completes now: later if the signal is
// put off, or claimed by somebody who may have crashed.
func (j *judge) due(f *dayFile) time.Time {
	at := j.now.Add(j.bound())
	if left := f.is.notBefore.Sub(j.now); left > 0 {
		at = at.Add(left + cadence + 2*j.skew)
	}
	if f.is.claim != "" {
		at = at.Add(j.plan.Lease + cadence + 2*j.skew)
	}
	return at
}

// excuse allows all that waits more time, for a run that went badly.
func (j *judge) excuse(d time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.days {
		j.allow(&j.days[i], d)
	}
}

func (j *judge) allow(f *dayFile, d time.Duration) {
	for i := range f.waiting {
		f.waiting[i].until = f.waiting[i].until.Add(d + 2*j.skew)
	}
}

// unscheduled says that runs are no longer triggered in time.
func (j *judge) unscheduled() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now, j.idle = time.Now(), true
	for day := range j.days {
		f := &j.days[day]
		for _, p := range f.waiting {
			if f.is.there && j.now.After(p.until) && (f.is.expiry.IsZero() || j.now.Before(f.is.expiry)) {
				j.breach(BoundedStaleness, "day %d does not show %v, %s after it had to", day, p.change, j.now.Sub(p.until))
			}
		}
		f.waiting = nil
	}
}
