package simulation

import (
	"math/rand/v2"
	"time"
)

// cadence is the time between two ticks of the bucket.
const cadence = 5 * time.Minute

// mostBookings is how many a pool has at most on one day.
const mostBookings = 4

// pools is how many a day has.
const pools = 2

// Deed is what a process does in one step.
type Deed uint8

// The deeds.
const (
	// Of an application: it books and then flips, in one of these ways, or leaves
	// it to the stream.
	BookBlind Deed = iota
	BookCoalesced
	BookJoined
	BookTransacted
	BookUntold
	// Of the schedule: it triggers a run, or two of them.
	Tick
	TickTwice
	// Of Terraform: it applies a change, and destroys or creates anew.
	OtherPattern
	OtherBucket
	Shorter
	Longer
	Destroy
	Recreate
	OtherShards
	// Of somebody at a console: the signal is deleted, or made nobody's.
	DeleteByHand
	Disown
	// Of the platform: the day that is kept by the stream is taken back, or offered.
	Withdraw
	Offer
	// Of a reader.
	Look
)

// Step is one of a process's.
type Step struct {
	// Wait is how long it waits before.
	Wait time.Duration
	// Ambush: and then for a claim of the day, if one comes soon.
	Ambush bool
	Deed   Deed
	// Day is which day it is about, Pool which of its pools.
	Day, Pool int
}

// Role is what a process is.
type Role string

// The roles.
const (
	Application Role = "application"
	Schedule    Role = "schedule"
	Terraform   Role = "terraform"
	Console     Role = "console"
	Platform    Role = "platform"
	Reader      Role = "reader"
)

// Actor is a process, or a line of them that take over from one another.
type Actor struct {
	Role Role
	// Number tells it from the others.
	Number int
	Skew   time.Duration
	Steps  []Step
}

// Weather is what goes wrong.
type Weather struct {
	// IndexLag, ReadLag and Visibility are the most that an index, an eventually
	// consistent read and the next item of a transaction are behind.
	IndexLag, ReadLag, Visibility time.Duration
	// TTL is whether it deletes.
	TTL bool
	// Lost, Late, Refused and Slow are the probabilities of lost answers, of
	// requests that arrive late or once more, of errors, throttling and conflicts,
	// and of slow requests.
	Lost, Late, Refused, Slow float64
	// Crash is the probability of a crash before or after a request.
	Crash float64
	// Held is how often others go on between an execution and its answer.
	Held float64
}

// Plan is a run.
type Plan struct {
	// Seed decides what is left to chance: the order of calls, and which of them
	// meet the weather.
	Seed uint64
	Weather
	// Days is how many signals there are.
	Days int
	// Midnight: the first of them ends soon after the start.
	Midnight bool
	// Tiered, or else exact.
	Tiered bool
	// Valued: signals start with a value, and dirty.
	Valued bool
	// Foreign: the signals are nobody's, and called clean, until Terraform takes
	// them.
	Foreign bool
	// Kept: the last day is kept by the stream.
	Kept bool
	// Lag is how far the source is behind, for which checks settle.
	Lag time.Duration
	// Audits: clean values are audited.
	Audits bool
	// Unheld: runs do not get hold of their bucket, and overlap.
	Unheld bool
	// Lease is for how long a claim is left alone by others.
	Lease time.Duration
	// Concurrency is how many checks a run makes at once.
	Concurrency int
	Actors      []Actor
}

// NewPlan draws the plan of a seed.
func NewPlan(seed uint64) Plan {
	d := drawing{rand.New(rand.NewPCG(seed, 1)), map[[2]int]int{}}
	p := Plan{
		Seed: seed, Days: 1 + d.IntN(2), Concurrency: 1 + d.IntN(3),
		Midnight: d.oneIn(6), Tiered: d.oneIn(4), Valued: d.oneIn(3), Foreign: d.oneIn(10), Kept: d.oneIn(6),
		Audits: d.oneIn(8), Unheld: d.oneIn(2), Lease: 120 * time.Second,
	}
	if d.oneIn(2) {
		p.Lease = time.Second
	}
	p.Weather = d.weather()
	if d.oneIn(6) {
		p.Lag = time.Duration(1+d.IntN(30)) * time.Second
	}
	for range 1 + d.IntN(3) {
		p.Actors = append(p.Actors, d.application(p))
	}
	for range 1 + d.IntN(2) {
		p.Actors = append(p.Actors, d.schedule())
	}
	if p.Foreign || d.oneIn(2) {
		p.Actors = append(p.Actors, d.terraform(p))
	}
	for _, other := range []struct {
		role  Role
		deeds []Deed
		is    bool
	}{
		{Console, []Deed{DeleteByHand, DeleteByHand, Disown}, d.oneIn(8)},
		{Platform, []Deed{Withdraw, Offer}, p.Kept},
		{Reader, []Deed{Look}, d.oneIn(4)},
	} {
		if other.is {
			p.Actors = append(p.Actors, d.actor(other.role, p.Days, 3, other.deeds...))
		}
	}
	for i := range p.Actors {
		p.Actors[i].Number = i
	}
	if d.oneIn(2) {
		for i := range p.Actors {
			p.Actors[i].Skew = time.Duration(d.IntN(601)-300) * time.Second
		}
	}
	return p
}

// drawing draws parts of a plan.
type drawing struct {
	*rand.Rand
	booked map[[2]int]int
}

func (d drawing) oneIn(n int) bool { return d.IntN(n) == 0 }

func (d drawing) weather() Weather {
	sometimes := func(most float64) float64 {
		if d.oneIn(2) {
			return 0
		}
		return most * d.Float64()
	}
	w := Weather{
		Lost: sometimes(0.06), Late: sometimes(0.04), Refused: sometimes(0.06), Slow: sometimes(0.04),
		Crash: sometimes(0.02), Held: 0.3 * d.Float64(), TTL: d.oneIn(2),
	}
	if d.oneIn(2) {
		w.IndexLag = time.Duration(d.IntN(61)) * time.Second
	}
	if d.oneIn(2) {
		w.ReadLag = time.Second
	}
	if d.oneIn(2) {
		w.Visibility = time.Duration(d.IntN(2000)) * time.Millisecond
	}
	return w
}

// wait is until something else happens as well, in most cases: then calls meet.
func (d drawing) wait() time.Duration {
	w := time.Duration(d.IntN(3)) * cadence
	switch d.IntN(4) {
	case 0:
		w += time.Duration(d.IntN(20_000)) * time.Millisecond
	case 1:
		w += time.Duration(d.IntN(50)) * time.Millisecond
	}
	return w
}

func (d drawing) application(p Plan) Actor {
	a := Actor{Role: Application}
	untold := d.oneIn(4)
	for range 1 + d.IntN(3) {
		s := Step{Wait: d.wait() / 2, Ambush: d.oneIn(2), Deed: Deed(d.IntN(4)), Day: d.IntN(p.Days), Pool: d.IntN(pools)}
		if untold {
			s.Deed = BookUntold
		}
		cells := [][2]int{{s.Day, s.Pool}}
		if s.Deed == BookTransacted || s.Deed == BookJoined {
			// Both pools.
			cells = [][2]int{{s.Day, 0}, {s.Day, 1}}
		}
		if !d.book(cells) {
			continue
		}
		a.Steps = append(a.Steps, s)
	}
	return a
}

func (d drawing) book(cells [][2]int) bool {
	for _, c := range cells {
		if d.booked[c] == mostBookings {
			return false
		}
	}
	for _, c := range cells {
		d.booked[c]++
	}
	return true
}

func (d drawing) schedule() Actor {
	a := Actor{Role: Schedule}
	for i := range 2 + d.IntN(2) {
		s := Step{Wait: cadence, Deed: Tick}
		if i == 0 {
			s.Wait = 0
		}
		if d.oneIn(3) {
			s.Wait += time.Duration(d.IntN(2000)) * time.Millisecond
		}
		if d.oneIn(6) {
			s.Deed = TickTwice
		}
		a.Steps = append(a.Steps, s)
	}
	return a
}

func (d drawing) terraform(p Plan) Actor {
	return d.actor(Terraform, p.Days, 3, OtherPattern, OtherPattern, OtherBucket, Shorter, Longer, Destroy, Recreate, Recreate, OtherShards)
}

func (d drawing) actor(role Role, days, most int, deeds ...Deed) Actor {
	a := Actor{Role: role}
	for range 1 + d.IntN(most) {
		a.Steps = append(a.Steps, Step{Wait: d.wait() / 2, Ambush: d.oneIn(3), Deed: deeds[d.IntN(len(deeds))], Day: d.IntN(days)})
	}
	return a
}
