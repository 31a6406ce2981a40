package capacity

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

// Units are capacity units of the table and its indexes.
type Units struct{ Read, Write float64 }

func (u Units) times(n float64) Units { return Units{u.Read * n, u.Write * n} }

func (u Units) plus(v Units) Units { return Units{u.Read + v.Read, u.Write + v.Write} }

// cost is what an operation takes: of the table, and of the cadence index. What a
// globalId index with projection ALL takes is the table's writes once more.
type cost struct{ read, table, index float64 }

// The costs of the protocol, of items and entries below a kilobyte.
func (p Platform) flipClean() cost {
	switch p.Way {
	case Blind:
		return cost{0, 1, 2}
	case Transaction:
		// And once the transaction has answered, it is read.
		return cost{1, 2, 2}
	}
	return cost{1, 1, 2}
}

func (p Platform) flipDirty() cost {
	var c cost
	switch p.Way {
	case Blind:
		c = cost{0, 1, 0}
	case Transaction:
		c = cost{1, 2, 0}
	default:
		return cost{1, 0, 0}
	}
	if p.AllCadence {
		c.index++
	}
	return c
}

func (p Platform) check() cost {
	if p.AllCadence {
		return cost{0, 2, 3}
	}
	return cost{0, 2, 2}
}

// audited is a value that was found to be right: read, compared with the source,
// and dated.
func (p Platform) audited() cost {
	if p.AllCadence {
		return cost{2, 1, 1}
	}
	return cost{2, 1, 0}
}

// units are those of a cost that so many writes make: each is one more to a globalId
// index that has all attributes.
func (p Platform) units(c cost, writes float64) Units {
	u := Units{c.read, c.table + c.index}
	if p.AllGlobalID {
		u.Write += writes
	}
	return u
}

const (
	// entryBytes is the size of a dirty signal's entry in the cadence index of the
	// recommended projection, as the benchmarks count it.
	entryBytes = 145
	// halfRead is what an eventually consistent read takes in one unit.
	halfRead = 8192
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
		{"source, read by checks", Units{Read: 1}.times(first)},
		{"queries for what is dirty", Units{Read: 0.5 * signal.MaxShards}.times(ticks).plus(Units{Read: p.entryBytes() / halfRead}.times(first))},
		{"registry and run items", Units{Read: 1, Write: 2}.times(ticks)},
	}
	if p.StalenessHours > 0 {
		audits := p.Signals / (p.StalenessHours * 3600)
		walk := Units{Read: p.entryBytes() / halfRead}
		loads = append(loads, Load{"audit", p.units(p.audited(), 1).plus(walk).times(audits)})
	}
	return append(loads, Load{"calendar views", Units{Read: p.view()}.times(p.Views)})
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
