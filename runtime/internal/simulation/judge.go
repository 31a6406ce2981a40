package simulation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/read"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The invariants.
const (
	NoLostChange     = "I1"
	NoGoingBack      = "I2"
	Progress         = "I3"
	BoundedStaleness = "I4"
	NoResurrection   = "I5"
	NothingExpired   = "I6"
	NoCrossing       = "I7"
)

const (
	// mostBreaches are noted of one run.
	mostBreaches = 5
	// sweepAfter is how long a signal has been expired before it is swept.
	sweepAfter = time.Hour
)

// judge knows the true inventory and holds what happens against the invariants.
type judge struct {
	plan  Plan
	story *story
	skew  time.Duration

	mu  sync.Mutex
	now time.Time
	// idle is whether runs are not triggered in time any more.
	idle   bool
	broken []Breach
	days   []dayFile
}

// dayFile is what the judge keeps of a day.
type dayFile struct {
	visible vector
	// past are the sums there have been, for a source that lags.
	past []sumAt
	// required is what clean values must include: what was visible when a flip
	// began that has completed.
	required vector
	// open is how many bookings are without their flip.
	open int
	is   look
	// claimed is closed at the next claim; nil if nobody waits for it.
	claimed chan struct{}
	// claims are the claims of the present incarnation.
	claims map[string]bool
	// waiting are the flips that have completed and whose changes do not show yet.
	waiting []pending
}

type sumAt struct {
	at  time.Time
	sum int64
}

func newJudge(p Plan, s *story) *judge {
	j := &judge{plan: p, story: s, skew: p.skew(), days: make([]dayFile, p.Days)}
	return j
}

func (j *judge) breach(invariant, format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	j.story.tell(j.now, "*** %s is broken: %s", invariant, words)
	if len(j.broken) < mostBreaches {
		j.broken = append(j.broken, Breach{invariant, words})
	}
}

// changed takes note of a change of an item.
func (j *judge) changed(c simulator.Change) {
	either := c.New
	if either == nil {
		either = c.Old
	}
	pk := textOf(either["pk"])
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now = c.At
	for day := range j.days {
		d := j.plan.day(day)
		switch {
		case pk == d.PoolPK():
			n, _ := strconv.Atoi(textOf(c.New["availability"]))
			pool := slices.Index([]string{"a", "b"}, textOf(either["sk"]))
			f := &j.days[day]
			f.visible[pool] = n / weight(pool)
			f.past = append(f.past, sumAt{c.At, f.visible.sum()})
		case pk == d.PK() && textOf(either["sk"]) == d.Date.String():
			j.signalChanged(day, c)
		}
	}
}

func (j *judge) signalChanged(day int, c simulator.Change) {
	f := &j.days[day]
	was, is := f.is, lookAt(c.New)
	f.is = is
	who := roleOf(c.Client)
	switch {
	case !was.there:
		j.created(f, is, who, day)
	case !is.there:
		j.deleted(f, was, c, day)
	default:
		if was.id != "" && was.id != is.id {
			j.breach(NoCrossing, "%s made incarnation %s of day %d into %s", who, was.id, day, is.id)
		}
		j.went(f, was, is, who, day)
	}
	if is.there {
		j.clean(f, day)
		j.shows(f, day)
	}
	if who == terraformName || !is.there || who == consumerName && was.mode != is.mode {
		f.waiting = nil
	}
}

func (j *judge) created(f *dayFile, is look, who string, day int) {
	seeder := who == setupName || who == terraformName || who == consumerName
	if !seeder || is.id == "" {
		j.breach(NoResurrection, "%s made day %d's signal, %q, out of nothing", who, day, is.id)
	}
	f.claims = map[string]bool{}
	f.waiting = nil
}

func (j *judge) deleted(f *dayFile, was look, c simulator.Change, day int) {
	overdue := was.expiry.Add(-j.skew)
	mine := true
	switch roleOf(c.Client) {
	case "":
		mine = !c.At.Before(was.expiry)
	case functionName:
		mine = !c.At.Before(overdue.Add(sweepAfter))
	case terraformName:
		mine = strings.HasPrefix(was.owner, "terraform:")
	case consumerName:
		mine = was.owner == "stream"
	}
	if !mine {
		j.breach(NoCrossing, "%q deleted day %d's signal of %q, which expires %s", c.Client, day, was.owner, was.expiry.Format(time.TimeOnly))
	}
	f.waiting = nil
}

// went looks at a change of a signal that stays.
func (j *judge) went(f *dayFile, was, is look, who string, day int) {
	if is.claim != "" && is.claim != was.claim {
		f.claims[is.claim] = true
		if f.claimed != nil {
			close(f.claimed)
			f.claimed = nil
		}
		if !is.expiry.IsZero() && !j.now.Add(-j.skew).Before(is.expiry) {
			j.breach(NothingExpired, "%s claimed day %d, which expired at %s", who, day, is.expiry.Format(time.TimeOnly))
		}
		if was.claim != "" {
			j.allow(f, j.plan.Lease+cadence)
		}
	}
	if was.claim != "" && is.claim == "" && !f.claims[was.claim] {
		j.breach(NoCrossing, "%s finished a claim of an incarnation of day %d before this one", who, day)
	}
	if is.notBefore != was.notBefore && !is.notBefore.IsZero() {
		j.allow(f, is.notBefore.Sub(j.now)+cadence)
	}
	var before, after vector
	if is.value != was.value && before.read(was.value, modeOfValue(was.value)) && after.read(is.value, modeOfValue(is.value)) &&
		!after.covers(before) && j.plan.Lag == 0 {
		j.breach(NoGoingBack, "day %d's value went back from %s to %s", day, was.value, is.value)
	}
}

// modeOfValue is the mode of which a value is.
func modeOfValue(value string) string {
	if strings.HasPrefix(value, "t") {
		return string(signal.Tiered)
	}
	return string(signal.Exact)
}

// clean holds a signal that is clean and has a value against what must be in it.
func (j *judge) clean(f *dayFile, day int) {
	if !f.is.there || f.is.dirty || f.is.value == "" || f.is.id == strangerID && f.is.owner == "" {
		return
	}
	var v vector
	switch {
	case !v.read(f.is.value, f.is.mode):
		j.breach(NoLostChange, "day %d is clean with %q, which is no value of its present pattern, %s", day, f.is.value, f.is.mode)
	case !v.covers(f.required):
		j.breach(NoLostChange, "day %d is clean with %s, which includes bookings %v, and %v have completed their flips", day, f.is.value, v, f.required)
	}
}

// nextClaim is closed when the signal of a day is claimed next.
func (j *judge) nextClaim(day int) <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	f := &j.days[day]
	if f.claimed == nil {
		// Of the bubble that waits for it.
		f.claimed = make(chan struct{})
	}
	return f.claimed
}

// visible is what the inventory of a day includes now.
func (j *judge) visible(day int) vector {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.days[day].visible
}

// required is what a clean value of a day must include by now.
func (j *judge) required(day int) vector {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.days[day].required
}

// sum is what a day's inventory amounted to at an instant.
func (j *judge) sum(day int, at time.Time) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	var sum int64
	for _, s := range j.days[day].past {
		if s.at.After(at) {
			break
		}
		sum = s.sum
	}
	return sum
}

// promise says that a booking of a day begins. Until its flip has completed, which
// is what the returned function says, there may be a gap that only an audit closes.
func (j *judge) promise(day int) (kept func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.days[day].open++
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.days[day].open--
	}
}

// flipped says that a flip has completed that began when the inventory included so
// much.
func (j *judge) flipped(day int, seen vector) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now = time.Now()
	f := &j.days[day]
	for pool := range f.required {
		f.required[pool] = max(f.required[pool], seen[pool])
	}
	j.story.tell(j.now, "a flip of day %d has completed, of bookings %v", day, seen)
	var shown vector
	if !j.idle && (!shown.read(f.is.value, modeOfValue(f.is.value)) || !shown.covers(seen)) {
		f.waiting = append(f.waiting, pending{seen, j.due(f)})
	}
	j.clean(f, day)
}

// served looks at what a reader was given.
func (j *judge) served(is read.Reading, day int, began time.Time, required []vector) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now = time.Now()
	if !is.Expiry.IsZero() && !is.Expiry.After(began) && (!is.Expired || is.Value != "" || is.Fresh()) {
		j.breach(NothingExpired, "a reader is given %q for day %d, which has expired", is.Value, day)
	}
	if is.Value == strangerValue {
		// Nobody vouches for it, and a reader cannot know.
		return
	}
	var v vector
	if is.Fresh() && (!v.read(is.Value, modeOfValue(is.Value)) || !v.covers(required[day])) {
		j.breach(NoLostChange, "a reader is given %q for day %d as fresh, and bookings %v have completed their flips", is.Value, day, required[day])
	}
}
