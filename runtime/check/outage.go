package check

import "sync"

const (
	// errorsInARow is how many errors of the source, without a success in between,
	// make a run ask whether it is the source or the signals.
	errorsInARow = 10
	// mostProbes is how many other signals it asks the source for.
	mostProbes = 10
)

// outage tells a source that is gone from signals that it fails for. The zero
// value is a source that works.
type outage struct {
	mu sync.Mutex
	// errors have come in a row.
	errors int
	// probing is closed when the present probing is over; nil if there is none.
	probing chan struct{}
	gone    bool
}

func (o *outage) success() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.errors = 0
}

func (o *outage) failure() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.errors++
}

// suspected is whether so many errors have come in a row that the source may be
// gone.
func (o *outage) suspected() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.errors >= errorsInARow
}

func (o *outage) isGone() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.gone
}

// enter is called before a claim. While the source is suspected, one caller is
// told to probe, and the others to wait until that has ended.
func (o *outage) enter() (ended <-chan struct{}, probe bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.probing != nil:
		return o.probing, false
	case o.errors < errorsInARow:
		return nil, false
	}
	o.probing = make(chan struct{})
	return nil, true
}

// leave ends the probing.
func (o *outage) leave(gone bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone = gone
	close(o.probing)
	o.probing = nil
	o.errors = 0
}

// probe asks the source for some of the other due signals, at random and one at a
// time. One success is enough to go on: then it is not the source. Without any,
// what is claimed is released, and the run ends.
func (d *drain) probe() {
	asked := 0
	for asked < mostProbes && d.outage.suspected() && d.timeLeft() {
		next, ok := d.pick()
		if !ok {
			break
		}
		if d.check(next) {
			asked++
		}
	}
	// A probing for which there were no others, or no time, has shown nothing.
	gone := asked > 0 && d.outage.suspected() && d.timeLeft()
	if gone {
		d.log.WarnContext(d.writing, "the source fails for every signal that was probed, too: the run ends, and leaves the rest to the next", "probed", asked)
		d.release()
	}
	d.outage.leave(gone)
}
