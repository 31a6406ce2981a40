package simulator

import (
	"cmp"
	"strings"
)

// row is an item in a table, or an entry in an index.
type row struct {
	address
	// order is how rows of one sort key are ordered in an index: arbitrary, as
	// far as anybody may know. 0 in a table, where there is only one.
	order uint64
	// base is the address of the entry's item in the table.
	base address
	// item is nil for an item that is gone and that a stale read may still see.
	item item
	size int
	// older are what stale reads may still see, the oldest first.
	older []version
	// deadline is the time for which TTL's deletion is planned, in seconds.
	deadline int64
}

// version is an item as it was until a time.
type version struct {
	item  item
	until int64
}

func (r *row) compare(other *row) int {
	if c := strings.Compare(r.sk, other.sk); c != 0 || r.order == 0 && other.order == 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(r.order, other.order),
		strings.Compare(r.base.pk, other.base.pk),
		strings.Compare(r.base.sk, other.base.sk))
}

// partition is the rows of one partition key, which is what throughput is limited
// by.
type partition struct {
	key string
	// hash is where a scan meets it.
	hash uint64
	rows sorted[*row]
	load load
}

func (p *partition) compare(other *partition) int {
	return cmp.Or(cmp.Compare(p.hash, other.hash), strings.Compare(p.key, other.key))
}

// collection is the rows of a table or of an index.
type collection struct {
	schema
	// name is the index's, or "" for the table's own.
	name       string
	seed       uint64
	partitions map[string]*partition
	order      sorted[*partition]
	total      spending
	// probe is what lookups compare with; it spares them an allocation.
	probe row
}

func newCollection(name string, hash, ranged Key, seed uint64) *collection {
	return &collection{
		schema:     schema{hash: hash.typed(), ranged: ranged.typed()},
		name:       name,
		seed:       seed,
		partitions: map[string]*partition{},
	}
}

// partition returns the partition of a key, which it makes if it is new.
func (c *collection) partition(key string) *partition {
	if p, ok := c.partitions[key]; ok {
		return p
	}
	p := &partition{key: key, hash: hash(c.seed, key)}
	c.partitions[key] = p
	at, _ := c.order.seek(p)
	c.order.insert(at, p)
	return p
}

// shared is the address with the text of the partition's own key, if there is one:
// texts in one place are compared at once.
func (c *collection) shared(a address) address {
	if p, ok := c.partitions[a.pk]; ok {
		a.pk = p.key
	}
	return a
}

// find returns the row of a table at an address, or nil.
func (c *collection) find(a address) *row {
	p, ok := c.partitions[a.pk]
	if !ok {
		return nil
	}
	c.probe.address = a
	r, _ := p.find(&c.probe)
	return r
}

func (p *partition) find(probe *row) (*row, place) {
	at, found := p.rows.seek(probe)
	if !found {
		return nil, at
	}
	r, _ := p.rows.get(at)
	return r, at
}

// remove takes a row out, if it is there.
func (p *partition) remove(probe *row) {
	if r, at := p.find(probe); r != nil {
		p.rows.remove(at)
	}
}
