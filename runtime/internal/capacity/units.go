package capacity

import (
	"math"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Units are capacity units of the table and its indexes.
type Units struct{ Read, Write float64 }

func (u Units) times(n float64) Units { return Units{u.Read * n, u.Write * n} }

func (u Units) plus(v Units) Units { return Units{u.Read + v.Read, u.Write + v.Write} }

// cost is what an operation takes: of the table, and of the cadence index. What a
// globalId index with projection ALL takes is the table's writes once more.
type cost struct{ read, table, index float64 }

// sized is a cost, told for items below a kilobyte, of items of the platform's size.
func (p Platform) sized(c cost) cost {
	c.read *= math.Ceil(p.ItemBytes / 4096)
	c.table *= p.writeUnits()
	if p.AllCadence {
		c.index *= p.writeUnits()
	}
	return c
}

// writeUnits are those of one write of a whole item.
func (p Platform) writeUnits() float64 { return math.Ceil(p.ItemBytes / 1024) }

// The costs of the protocol.
func (p Platform) flipClean() cost {
	switch p.Way {
	case Blind:
		return p.sized(cost{0, 1, 2})
	case Transaction:
		// And once the transaction has answered, it is read.
		return p.sized(cost{1, 2, 2})
	}
	return p.sized(cost{1, 1, 2})
}

func (p Platform) flipDirty() cost {
	var c cost
	switch p.Way {
	case Blind:
		c = cost{0, 1, 0}
	case Transaction:
		c = cost{1, 2, 0}
	default:
		return p.sized(cost{1, 0, 0})
	}
	if p.AllCadence {
		c.index++
	}
	return p.sized(c)
}

func (p Platform) check() cost {
	if p.AllCadence {
		return p.sized(cost{0, 2, 3})
	}
	return p.sized(cost{0, 2, 2})
}

// audited is a value that was found to be right: read, compared with the source,
// and dated.
func (p Platform) audited() cost {
	c := p.sized(cost{1, 1, 0})
	if p.AllCadence {
		c = p.sized(cost{1, 1, 1})
	}
	c.read += ofSource
	return c
}

// units are those of a cost that so many writes make: each is one more to a globalId
// index that has all attributes.
func (p Platform) units(c cost, writes float64) Units {
	u := Units{c.read, c.table + c.index}
	if p.AllGlobalID {
		u.Write += writes * p.writeUnits()
	}
	return u
}

const (
	// entryBytes is the size of a dirty signal's entry in the cadence index of the
	// recommended projection, as the benchmarks count it.
	entryBytes = 145
	// halfRead is what an eventually consistent read takes in one unit.
	halfRead = 8192
	// ofSource is what the inventory of a date costs to count: a strongly consistent
	// query of one partition, of up to four kilobytes.
	ofSource = 1
	// renewal is after how many seconds a run renews its hold of its bucket.
	renewal = 15
	// auditPass is the part of max_staleness that a pass of the audit takes: then the
	// next one begins.
	auditPass = 0.75
	// auditPage is how many signals are audited from one note of how far the audit is
	// to the next.
	auditPage = 128
)

func (p Platform) entryBytes() float64 {
	if p.AllCadence {
		return p.ItemBytes
	}
	return entryBytes
}

// Load is a part of the units, by the second.
type Load struct {
	What string
	Units
}

// Loads are what takes units, each a second on average.
func (p Platform) Loads() []Load {
	ticks := float64(p.Buckets) / p.tick()
	first := p.Dirty() / p.tick()
	again := max(0, p.Bookings-first)
	dirtyWrites := 1.0
	if p.flipDirty().table == 0 {
		dirtyWrites = 0
	}
	loads := []Load{
		{"flips", p.units(p.flipClean(), 1).times(first).plus(p.units(p.flipDirty(), dirtyWrites).times(again))},
		{"checks", p.units(p.check(), 2).times(first)},
		{"source, read by checks", Units{Read: ofSource}.times(first)},
		{"queries for what is dirty", Units{Read: 0.5 * signal.MaxShards}.times(ticks).plus(Units{Read: p.entryBytes() / halfRead}.times(first))},
		{"registry and run items", Units{Read: 1, Write: 2 + math.Floor(p.RunSeconds()/renewal)}.times(ticks)},
	}
	if p.StalenessHours > 0 {
		// Entries are read twice: counted when a pass begins, and walked over.
		walk := Units{Read: 2 * p.entryBytes() / halfRead}
		loads = append(loads, Load{"audit", p.units(p.audited(), 1).plus(walk).times(p.audits()).plus(p.cursors().times(ticks))})
	}
	return append(loads, Load{"calendar views", Units{Read: p.view()}.times(p.Views)})
}

// audits are how many signals are audited in a second.
func (p Platform) audits() float64 {
	if p.StalenessHours == 0 {
		return 0
	}
	return p.Signals / (p.StalenessHours * 3600 * auditPass)
}

// cursors are what it takes to know how far the audit of a bucket is, each tick: one
// query, and a note after each page of a shard.
func (p Platform) cursors() Units {
	shards := float64(min(p.Shards(), signal.MaxShards))
	ofShard := p.audits() * p.tick() / float64(p.Buckets) / shards
	return Units{Read: 1, Write: math.Ceil(ofShard/auditPage) * shards}
}

// view is what one view of a product's dates reads: one eventually consistent
// query.
func (p Platform) view() float64 { return halves(float64(p.Dates) * p.ItemBytes) }

// Total is the sum of loads.
func Total(loads []Load) Units {
	var sum Units
	for _, l := range loads {
		sum = sum.plus(l.Units)
	}
	return sum
}
