package simulation

import (
	"slices"
	"time"
)

// mostChances is how many seeds a smaller plan is tried with: with less in it, all
// calls come in another order.
const mostChances = 15

// Shrink makes a plan that fails smaller, as long as it fails: without some of its
// actors, their steps, and the weather.
func Shrink(p Plan, fails func(Plan) bool) Plan {
	for {
		next, found := p.anySmaller(fails)
		if !found {
			return p
		}
		p = next
	}
}

func (p Plan) anySmaller(fails func(Plan) bool) (smaller Plan, found bool) {
	for _, candidate := range p.smaller() {
		for chance := range uint64(mostChances) {
			candidate.Seed = p.Seed + chance
			if fails(candidate) {
				return candidate, true
			}
		}
	}
	return Plan{}, false
}

// smaller are the plans that are a little less than this one, the least first.
func (p Plan) smaller() []Plan {
	var plans []Plan
	for i := range p.Actors {
		q := p
		q.Actors = slices.Delete(slices.Clone(p.Actors), i, i+1)
		plans = append(plans, q)
	}
	for i, a := range p.Actors {
		for n := range a.Steps {
			plans = append(plans, p.with(i, func(a *Actor) { a.Steps = slices.Delete(a.Steps, n, n+1) }))
		}
	}
	for i, a := range p.Actors {
		if a.Skew != 0 {
			plans = append(plans, p.with(i, func(a *Actor) { a.Skew = 0 }))
		}
		for n, s := range a.Steps {
			if s.Ambush {
				plans = append(plans, p.with(i, func(a *Actor) { a.Steps[n].Ambush = false }))
			}
			if s.Wait%cadence != 0 {
				plans = append(plans, p.with(i, func(a *Actor) { a.Steps[n].Wait = s.Wait.Truncate(cadence) }))
			}
		}
	}
	for _, less := range []func(*Plan){
		func(q *Plan) { q.Crash = 0 },
		func(q *Plan) { q.Lost = 0 },
		func(q *Plan) { q.Late = 0 },
		func(q *Plan) { q.Refused = 0 },
		func(q *Plan) { q.Slow = 0 },
		func(q *Plan) { q.Held = 0 },
		func(q *Plan) { q.IndexLag = 0 },
		func(q *Plan) { q.ReadLag = 0 },
		func(q *Plan) { q.Visibility = 0 },
		func(q *Plan) { q.TTL = false },
		func(q *Plan) { q.Midnight = false },
		func(q *Plan) { q.Tiered = false },
		func(q *Plan) { q.Valued = false },
		func(q *Plan) { q.Kept = false },
		func(q *Plan) { q.Foreign = false },
		func(q *Plan) { q.Audits = false },
		func(q *Plan) { q.Unheld = false },
		func(q *Plan) { q.Lease = 120 * time.Second },
		func(q *Plan) { q.Lag = 0 },
		func(q *Plan) { q.Lag = min(q.Lag, time.Second) },
		func(q *Plan) { q.Concurrency = 1 },
		func(q *Plan) { q.fewerDays() },
	} {
		q := p
		if less(&q); !p.same(q) {
			plans = append(plans, q)
		}
	}
	return plans
}

// with is the plan with another i-th actor.
func (p Plan) with(i int, change func(*Actor)) Plan {
	p.Actors = slices.Clone(p.Actors)
	p.Actors[i].Steps = slices.Clone(p.Actors[i].Steps)
	change(&p.Actors[i])
	return p
}

// fewerDays leaves one day of two, and on it what may be booked.
func (p *Plan) fewerDays() {
	if p.Days == 1 {
		return
	}
	p.Days, p.Kept = 1, false
	actors := p.Actors
	p.Actors = nil
	for _, a := range actors {
		a.Steps = slices.DeleteFunc(slices.Clone(a.Steps), func(s Step) bool { return s.Day > 0 })
		p.Actors = append(p.Actors, a)
	}
}

// same is whether two plans differ in nothing but their actors, of which there are
// as many days.
func (p Plan) same(q Plan) bool {
	p.Actors, q.Actors = nil, nil
	return p.words() == q.words()
}
