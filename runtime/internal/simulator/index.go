package simulator

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// index is a global secondary index. Its rows are what queries see; changes on
// their way to it are in the agenda.
type index struct {
	*collection
	all bool
	// projected are the names that entries hold, in order; without all.
	projected []string
	// coming is when the last change of an entry will have arrived, while it is
	// on its way: later ones of the same entry do not overtake it.
	coming map[entryID]int64
}

// entryID is an entry: the same item under another key is another one.
type entryID struct{ at, base address }

func newIndex(ix Index, base schema, seed uint64) *index {
	out := &index{
		collection: newCollection(ix.Name, ix.Hash, ix.Range, seed),
		all:        ix.Projection == types.ProjectionTypeAll,
		coming:     map[entryID]int64{},
	}
	names := slices.Concat(base.names(), out.names(), ix.Include)
	slices.Sort(names)
	out.projected = slices.Compact(names)
	return out
}

// project is the entry of an item.
func (ix *index) project(it item) item {
	if ix.all {
		return it
	}
	out := make(item, 0, len(ix.projected))
	i := 0
	for _, a := range it {
		for i < len(ix.projected) && ix.projected[i] < a.name {
			i++
		}
		if i < len(ix.projected) && ix.projected[i] == a.name {
			out = append(out, a)
		}
	}
	return out
}

// holds is whether entries have the attribute.
func (ix *index) holds(name string) bool {
	return ix.all || slices.Contains(ix.projected, name)
}

// differs is whether two items of one key have different entries.
func (ix *index) differs(old, new item) bool {
	if ix.all {
		return !old.equal(new)
	}
	for _, name := range ix.projected {
		if !equalValues(old.get(name), new.get(name)) {
			return true
		}
	}
	return false
}

// entryChange is what a change of an item does to one index.
type entryChange struct {
	index *index
	base  address
	// removed is the entry that goes, if removes.
	removed     address
	removes     bool
	removeUnits float64
	// put is the entry that comes or changes; entry is nil if there is none.
	put      address
	entry    item
	size     int
	putUnits float64
}

// change works out what a change of an item does to the index, and what it costs:
// one write for an entry that comes, goes or changes, two for one whose key
// changes, none otherwise.
func (ix *index) change(base address, old, new item) (c entryChange, changed bool) {
	from, was := ix.indexKey(old)
	to, is := ix.indexKey(new)
	stays := was && is && from == to
	if !was && !is || stays && !ix.differs(old, new) {
		return c, false
	}
	c.index, c.base = ix, base
	oldSize := 0
	if was {
		oldSize = ix.project(old).bytes()
	}
	if was && !stays {
		c.removes, c.removed, c.removeUnits = true, from, writeUnits(oldSize)
	}
	if is {
		c.put, c.entry = to, ix.project(new)
		c.size = c.entry.bytes()
		c.putUnits = writeUnits(c.size)
		if stays {
			c.putUnits = writeUnits(max(c.size, oldSize))
		}
	}
	return c, true
}

func (c *entryChange) charges(to []charge) []charge {
	if c.removes {
		to = append(to, charge{c.index.collection, c.index.partition(c.removed.pk), Units{Write: c.removeUnits}})
	}
	if c.entry != nil {
		to = append(to, charge{c.index.collection, c.index.partition(c.put.pk), Units{Write: c.putUnits}})
	}
	return to
}

// index sends a change on its way to an index. Removing an entry and putting one
// under another key are two changes, each with a delay of its own.
func (db *DB) index(c *entryChange) {
	ix, base := c.index, c.base
	if db.config.IndexLag == nil {
		if c.removes {
			ix.remove(c.removed, base)
		}
		if c.entry != nil {
			ix.put(c.put, base, c.entry, c.size)
		}
		return
	}
	if c.removes {
		removed := c.removed
		db.arrive(ix, entryID{removed, base}, func() { ix.remove(removed, base) })
	}
	if c.entry != nil {
		put, entry, size := c.put, c.entry, c.size
		db.arrive(ix, entryID{put, base}, func() { ix.put(put, base, entry, size) })
	}
}

func (db *DB) arrive(ix *index, id entryID, do func()) {
	before, busy := ix.coming[id]
	lag := db.config.IndexLag(db.random)
	if lag == 0 && !busy {
		do()
		return
	}
	at := max(db.now+int64(lag), before)
	ix.coming[id] = at
	db.agenda.add(at, false, func() {
		// The last one to arrive leaves nothing on its way.
		if ix.coming[id] == at {
			delete(ix.coming, id)
		}
		do()
	})
}

func (ix *index) at(a, base address) *row {
	ix.probe.address, ix.probe.base, ix.probe.order = a, base, hash(ix.seed, base.pk, base.sk)
	return &ix.probe
}

func (ix *index) put(a, base address, entry item, size int) {
	p := ix.partition(a.pk)
	r, at := p.find(ix.at(a, base))
	if r == nil {
		r = &row{address: address{p.key, a.sk}, base: base, order: ix.probe.order}
		p.rows.insert(at, r)
	}
	r.item, r.size = entry, size
}

func (ix *index) remove(a, base address) {
	ix.partition(a.pk).remove(ix.at(a, base))
}
