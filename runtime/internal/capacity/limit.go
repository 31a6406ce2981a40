package capacity

import (
	"fmt"
	"math"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What AWS allows, by default where it can be raised.
const (
	partitionWrites = 1000
	tableUnits      = 40_000
	mostRules       = 300
	mostConcurrent  = 1000
	longestRun      = 900
)

// Limit is what there may be no more of.
type Limit struct {
	What      string
	Use, Most float64
	Unit      string
	// Then is what to do when it is reached.
	Then string
}

// Share is how much of it is in use.
func (l Limit) Share() float64 { return l.Use / l.Most }

// Shards is how many each bucket needs, so that a run ends within half a cadence
// and no index partition is over its rate while flips go on. It may be more than a
// bucket can have.
func (p Platform) Shards() int {
	forTime := p.perBucket() / (float64(p.WriteBudget) * p.tick() / 2)
	room := partitionWrites - p.check().index*float64(p.WriteBudget)
	if room <= 0 {
		return signal.MaxShards + 1
	}
	forFlips := p.flipIndexUnits() / float64(p.Buckets) / room
	return max(1, int(math.Ceil(max(forTime, forFlips))))
}

func (p Platform) perBucket() float64 { return p.Dirty() / float64(p.Buckets) }

// flipIndexUnits are what flips take of the cadence index a second.
func (p Platform) flipIndexUnits() float64 {
	first := p.Dirty() / p.tick()
	return first*p.flipClean().index + max(0, p.Bookings-first)*p.flipDirty().index
}

func (p Platform) flipTableUnits() float64 {
	first := p.Dirty() / p.tick()
	return first*p.flipClean().table + max(0, p.Bookings-first)*p.flipDirty().table
}

// checkRate is how many checks a second one run makes.
func (p Platform) checkRate() float64 {
	shards := float64(min(p.Shards(), signal.MaxShards))
	return min(float64(p.WriteBudget)*shards, float64(p.Concurrency)*1000/p.CheckMS)
}

// RunSeconds is how long a run takes for its checks.
func (p Platform) RunSeconds() float64 { return p.perBucket() / p.checkRate() }

// Limits are what AWS allows and how much of it is used when all buckets run at
// once, the most used first.
func (p Platform) Limits() []Limit {
	buckets, shards := float64(p.Buckets), float64(min(p.Shards(), signal.MaxShards))
	rate := p.checkRate() * buckets
	ofOne := p.flipIndexUnits()/buckets/shards + p.check().index*p.checkRate()/shards
	const raise = "ask AWS to raise the table's quota; spread the buckets' cadences; or give signals more tables"
	limits := []Limit{
		{"write units a second of the table, all buckets running", p.flipTableUnits() + p.check().table*rate, tableUnits, "units/s", raise},
		{"write units a second of the cadence index, all buckets running", p.flipIndexUnits() + p.check().index*rate, tableUnits, "units/s", raise},
		{"write units a second of one shard of the index", ofOne, partitionWrites, "units/s", "more shards, a lower write budget, or more buckets"},
		{"shards of a bucket", float64(p.Shards()), signal.MaxShards, "", "more buckets, or a longer cadence"},
		{"a run's time within its cadence", p.RunSeconds(), p.tick(), "s", "more shards and concurrency, or more buckets: what is not reached is the next run's"},
		{"a run's time within a Lambda's", p.RunSeconds(), longestRun, "s", "more shards and concurrency, or more buckets: what is not reached is the next run's"},
		{"functions at once", buckets, mostConcurrent, "", "ask AWS to raise the account's concurrency"},
		{"rules of the event bus", buckets, mostRules, "", "fewer buckets, or ask AWS to raise the quota"},
	}
	slices.SortStableFunc(limits, func(a, b Limit) int {
		switch {
		case a.Share() > b.Share():
			return -1
		case a.Share() < b.Share():
			return 1
		}
		return 0
	})
	return limits
}

// Headroom is how many times the bookings, the signals and the active ones can be
// before a limit is reached, at most 1,000 times, and which limit that is. Below 1,
// it is over already.
func (p Platform) Headroom() (times float64, first Limit) {
	const most = 1000.0
	over := func(k float64) bool { return p.times(k).Limits()[0].Share() > 1 }
	low, high := 0.0, most
	if !over(high) {
		return most, p.times(most).Limits()[0]
	}
	for high-low > low/1000 && high > 1e-3 {
		if middle := (low + high) / 2; over(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low, p.times(high).Limits()[0]
}

// times is so many times the platform, in as many buckets.
func (p Platform) times(k float64) Platform {
	p.Bookings *= k
	p.Signals *= k
	p.Active *= k
	return p
}

// Verdict says in a sentence what limits first.
func (p Platform) Verdict() string {
	times, first := p.Headroom()
	if times < 1 {
		return fmt.Sprintf("Too much, at %.2f of this load already: %s. Then: %s.", times, first.What, first.Then)
	}
	return fmt.Sprintf("First to be reached, at %.1f times this load: %s. Then: %s.", times, first.What, first.Then)
}
