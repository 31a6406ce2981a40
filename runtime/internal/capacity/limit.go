package capacity

import (
	"math"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What AWS allows, by default where it can be raised.
const (
	partitionWrites = 1000
	partitionReads  = 3000
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
	room := p.room()
	if room <= 0 {
		return signal.MaxShards + 1
	}
	forFlips := p.flipIndexUnits() / float64(p.Buckets) / room
	return max(1, int(min(math.Ceil(max(forTime, forFlips)), math.MaxInt32)))
}

// room is what a run at its budget leaves of an index partition's writes a second.
func (p Platform) room() float64 {
	return partitionWrites - p.check().index*float64(p.WriteBudget)
}

func (p Platform) perBucket() float64 { return p.Dirty() / float64(p.Buckets) }

// flipIndexUnits are what flips take of the cadence index a second.
func (p Platform) flipIndexUnits() float64 {
	first := p.Dirty() / p.tick()
	return first*p.flipClean().index + max(0, p.Bookings-first)*p.flipDirty().index
}

// flipTable are what flips take of the table a second.
func (p Platform) flipTable() Units {
	first := p.Dirty() / p.tick()
	again := max(0, p.Bookings-first)
	clean, dirty := p.flipClean(), p.flipDirty()
	return Units{clean.read, clean.table}.times(first).plus(Units{dirty.read, dirty.table}.times(again))
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
	// A run that has less to do than it may in a second is over before that.
	ofRun := min(p.checkRate(), p.perBucket())
	rate := ofRun * buckets
	ofOne := p.flipIndexUnits()/buckets/shards + p.check().index*ofRun/shards
	flips := p.flipTable()
	reads := flips.Read + rate*ofSource + p.audits()*p.audited().read + p.view()*p.Views
	const (
		raise = "ask AWS to raise the table's quota; spread the buckets' cadences; or give signals more tables"
		cache = "ask AWS to raise the table's quota; keep for some seconds what calendars show, near those who look; or give signals more tables"
	)
	wider := p.wider()
	limits := []Limit{
		{"write units a second of the table, all buckets running", flips.Write + p.check().table*rate, tableUnits, "units/s", raise},
		{"read units a second of the table, all buckets running", reads, tableUnits, "units/s", cache},
		{"write units a second of the cadence index, all buckets running", p.flipIndexUnits() + p.check().index*rate, tableUnits, "units/s", raise},
		{"write units a second of one shard of the index", ofOne, partitionWrites, "units/s", "more shards, a lower write budget, or more buckets"},
		p.hottest(),
		p.shardLimit(),
		{"a run's time within its cadence", p.RunSeconds(), p.tick(), "s", wider},
		{"a run's time within a Lambda's", p.RunSeconds(), longestRun, "s", wider},
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

// wider is what makes runs shorter, by what holds them up.
func (p Platform) wider() string {
	then := ""
	switch shards := p.Shards(); {
	case p.checkRate() < float64(p.WriteBudget)*float64(min(shards, signal.MaxShards)):
		then = "more concurrency, or "
	case shards < signal.MaxShards:
		then = "more shards, or "
	case p.WriteBudget < signal.DefaultChecks().WriteBudget:
		then = "a higher write budget, or "
	}
	return then + "more buckets: what is not reached is the next run's"
}

// shardLimit is how many shards a bucket can have.
func (p Platform) shardLimit() Limit {
	then := "more buckets, or a longer cadence"
	if p.WriteBudget < signal.DefaultChecks().WriteBudget {
		then = "a higher write budget, " + then
	}
	if p.room() <= 0 {
		then = "a lower write budget: at this one, a run leaves flips no room in a partition"
	}
	return Limit{"shards of a bucket", float64(p.Shards()), signal.MaxShards, "", then}
}

// hottest is what the flips of one signal take of its partition in the table: by
// their reads or by their writes, whatever is more of what there is.
func (p Platform) hottest() Limit {
	const what = "units a second of the flips of one signal"
	const then = "let more callers share a client, as those of one process join their flips; or let the stream flip, once for each of its batches"
	flips, dirty := p.Bookings/p.active(), p.flipDirty()
	reads := Limit{what, flips * dirty.read, partitionReads, "units/s", then}
	writes := Limit{what, flips * dirty.table, partitionWrites, "units/s", then}
	if writes.Share() > reads.Share() {
		return writes
	}
	return reads
}
