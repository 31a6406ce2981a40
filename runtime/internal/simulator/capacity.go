package simulator

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Units are capacity units.
type Units struct{ Read, Write float64 }

func (u Units) plus(v Units) Units { return Units{u.Read + v.Read, u.Write + v.Write} }

// total is what AWS reports as CapacityUnits; nothing both reads and writes.
func (u Units) total() float64 { return u.Read + u.Write }

// readUnits are what reading so many bytes costs, strongly consistent: one for
// every 4 KiB begun, and one for finding nothing.
func readUnits(bytes int) float64 { return float64(max((bytes+4095)/4096, 1)) }

// consistency is what a read costs more or less than a strongly consistent one.
func consistency(strong bool) float64 {
	if strong {
		return 1
	}
	return 0.5
}

// transactional is what a transaction costs more than plain writes and reads.
const transactional = 2

// writeUnits are what writing so many bytes costs: one for every KiB begun, and
// one for writing nothing.
func writeUnits(bytes int) float64 { return float64(max((bytes+1023)/1024, 1)) }

// spending is the units of a table or index, or of one partition, by the number
// of the client.
type spending []Units

func (s *spending) add(client int, u Units) {
	if client >= len(*s) {
		*s = append(*s, make(spending, client+1-len(*s))...)
	}
	(*s)[client] = (*s)[client].plus(u)
}

// charge is what a request costs in one partition.
type charge struct {
	in    *collection
	at    *partition
	units Units
}

// Usage is what one client has spent in one partition.
type Usage struct {
	Client, Table string
	// Index is the index's name, or "" for the table itself.
	Index string
	// Partition is the value of the partition key.
	Partition string
	Units
}

// Everything is a Scope's Index for the table and its indexes together.
const Everything = "*"

// Scope is what to add up. A zero Client, Table or Partition stands for all of
// them.
type Scope struct {
	Client, Table string
	// Index is an index's name, "" for the table itself, or Everything.
	Index     string
	Partition string
}

// Units adds up what was spent. Only a Scope without a Partition is quick.
func (db *DB) Units(s Scope) Units {
	db.mu.Lock()
	defer db.mu.Unlock()
	var sum Units
	for _, t := range db.tables {
		if s.Table != "" && s.Table != t.name {
			continue
		}
		for _, c := range t.collections {
			if s.Index != Everything && s.Index != c.name {
				continue
			}
			if s.Partition == "" {
				sum = sum.plus(c.total.of(db, s.Client))
				continue
			}
			if p, ok := c.partitions[s.Partition]; ok {
				sum = sum.plus(p.load.spent.of(db, s.Client))
			}
		}
	}
	return sum
}

// of is one client's spending, or everybody's for "".
func (s spending) of(db *DB, client string) Units {
	var sum Units
	for number, u := range s {
		if client == "" || db.clients[number] == client {
			sum = sum.plus(u)
		}
	}
	return sum
}

// Usage lists what was spent, in order of its fields.
func (db *DB) Usage() []Usage {
	db.mu.Lock()
	defer db.mu.Unlock()
	var list []Usage
	for _, t := range db.tables {
		for _, c := range t.collections {
			for _, p := range c.partitions {
				for number, u := range p.load.spent {
					if u != (Units{}) {
						list = append(list, Usage{db.clients[number], t.name, c.name, p.key, u})
					}
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Usage) int {
		return cmp.Or(
			cmp.Compare(a.Client, b.Client), cmp.Compare(a.Table, b.Table),
			cmp.Compare(a.Index, b.Index), cmp.Compare(a.Partition, b.Partition))
	})
	return list
}

// Peak is the most that was spent in one partition within one second of the
// clock; index is "" for the table itself.
func (db *DB) Peak(table, index, partition string) Units {
	db.mu.Lock()
	defer db.mu.Unlock()
	if t, ok := db.tables[table]; ok {
		for _, c := range t.collections {
			if p, ok := c.partitions[partition]; ok && c.name == index {
				return p.load.peak
			}
		}
	}
	return Units{}
}

// ResetUsage sets everything spent, and the peaks, to nothing. Throttling does not
// forget.
func (db *DB) ResetUsage() {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, t := range db.tables {
		for _, c := range t.collections {
			c.total = nil
			for _, p := range c.partitions {
				p.load.spent, p.load.within, p.load.peak = nil, Units{}, Units{}
			}
		}
	}
}

// bill counts what a request has cost.
func (db *DB) bill(client int, charges []charge) {
	for _, c := range charges {
		c.in.total.add(client, c.units)
		c.at.load.add(client, c.units, db.now)
		if c.in.name == "" {
			db.running.table = db.running.table.plus(c.units)
		} else {
			db.running.indexes = db.running.indexes.plus(c.units)
		}
	}
}

// consumed is the bill as an answer shows it, if it was asked for.
func (t *table) consumed(asked types.ReturnConsumedCapacity, charges []charge) *types.ConsumedCapacity {
	if asked == "" || asked == types.ReturnConsumedCapacityNone {
		return nil
	}
	var sum, own float64
	indexes := map[string]types.Capacity{}
	for _, c := range charges {
		if !slices.Contains(t.collections, c.in) {
			continue
		}
		units := c.units.total()
		sum += units
		if c.in.name == "" {
			own += units
			continue
		}
		if had := indexes[c.in.name].CapacityUnits; had != nil {
			units += *had
		}
		indexes[c.in.name] = types.Capacity{CapacityUnits: &units}
	}
	out := &types.ConsumedCapacity{TableName: &t.name, CapacityUnits: &sum}
	if asked == types.ReturnConsumedCapacityIndexes {
		out.Table = &types.Capacity{CapacityUnits: &own}
		if len(indexes) > 0 {
			out.GlobalSecondaryIndexes = indexes
		}
	}
	return out
}
