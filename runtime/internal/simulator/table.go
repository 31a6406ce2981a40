package simulator

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// table is a table with its indexes.
type table struct {
	*collection
	name    string
	ttl     string
	indexes []*index
	// collections are the table's own and the indexes'.
	collections []*collection
	// held are the items that a transaction is under way on.
	held map[address]struct{}
}

func newTable(t Table, seed uint64) *table {
	own := newCollection("", t.Hash, t.Range, hash(seed, t.Name))
	out := &table{
		collection:  own,
		name:        t.Name,
		ttl:         t.TTL,
		collections: []*collection{own},
		held:        map[address]struct{}{},
	}
	for _, ix := range t.Indexes {
		made := newIndex(ix, own.schema, hash(seed, t.Name, ix.Name))
		out.indexes = append(out.indexes, made)
		out.collections = append(out.collections, made.collection)
	}
	return out
}

// index returns the index of a name, or nil.
func (t *table) index(name string) *index {
	for _, ix := range t.indexes {
		if ix.name == name {
			return ix
		}
	}
	return nil
}

// write is a change of one item, worked out and not yet made.
type write struct {
	table    *table
	at       address
	old, new item
	oldSize  int
	newSize  int
	entries  []entryChange
	ownUnits float64
}

// plan works out what a change of an item costs and does to the indexes. Where
// the item stays as it is, new is old.
func (db *DB) plan(t *table, at address, old, new item, oldSize int) write {
	w := write{table: t, at: at, old: old, new: new, oldSize: oldSize, newSize: new.bytes()}
	w.ownUnits = writeUnits(max(w.oldSize, w.newSize))
	for _, ix := range t.indexes {
		if change, changed := ix.change(at, old, new); changed {
			w.entries = append(w.entries, change)
		}
	}
	return w
}

// charges are what a write costs; factor is for the table's own units.
func (w *write) charges(to []charge, factor float64) []charge {
	to = append(to, charge{w.table.collection, w.table.partition(w.at.pk), Units{Write: factor * w.ownUnits}})
	for i := range w.entries {
		to = w.entries[i].charges(to)
	}
	return to
}

// commit makes a write.
func (db *DB) commit(w *write, byTTL bool) {
	p := w.table.partition(w.at.pk)
	w.table.probe.address = w.at
	r, at := p.find(&w.table.probe)
	switch {
	case (r == nil || r.item == nil) && w.new == nil:
		return
	case r == nil:
		r = &row{address: w.at, base: w.at}
		p.rows.insert(at, r)
	}
	switch {
	case db.config.ReadLag != nil:
		r.remember(version{item: r.item, until: db.now}, db.now-maxReadLag)
		if w.new == nil {
			db.agenda.add(db.now+maxReadLag, true, func() { p.bury(r) })
		}
	case w.new == nil:
		p.remove(r)
	}
	r.item, r.size = w.new, w.newSize
	for i := range w.entries {
		db.index(&w.entries[i])
	}
	db.planTTL(w.table, r)
	// What leaves an item as it is, is no change to a stream.
	if db.config.OnChange != nil && !w.old.equal(w.new) {
		db.config.OnChange(Change{
			Table: w.table.name, At: time.Unix(0, db.now).UTC(), ByTTL: byTTL,
			Old: w.old.export(), New: w.new.export(), Client: db.author(byTTL),
		})
	}
}

// maxReadLag is the oldest that a stale read may be. Delays are drawn at the read,
// long after what they may show has been overwritten.
const maxReadLag = int64(5 * time.Minute)

// bury takes out the row of an item that is gone for good, unless that has been
// done and the item has come back in another.
func (p *partition) bury(r *row) {
	if at, _ := p.find(r); at == r && r.item == nil {
		p.remove(r)
	}
}

// remember keeps what a stale read may see, and forgets what none can any more.
func (r *row) remember(v version, oldest int64) {
	first := slices.IndexFunc(r.older, func(v version) bool { return v.until >= oldest })
	if first < 0 {
		first = len(r.older)
	}
	r.older = append(r.older[first:], v)
}

// read is the item in a row, as a read of that consistency finds it.
func (db *DB) read(r *row, strong bool) item {
	if r == nil {
		return nil
	}
	if strong || len(r.older) == 0 {
		return r.item
	}
	since := db.now - int64(db.draw(db.config.ReadLag))
	first := slices.IndexFunc(r.older, func(v version) bool { return v.until >= since })
	if first < 0 {
		return r.item
	}
	choice := first + db.random.IntN(len(r.older)-first+1)
	if choice == len(r.older) {
		return r.item
	}
	return r.older[choice].item
}

// Change is an item that has changed: what a stream of the table would tell, in
// the order of the changes. A stream promises that order only within one key.
type Change struct {
	Table string
	At    time.Time
	// Old and New are the item before and after; nil is none.
	Old, New map[string]types.AttributeValue
	// ByTTL is set if TTL deleted it.
	ByTTL bool
	// Client is the name of the client whose request it was, "" for TTL's.
	Client string
}

// author is the name of the client whose request is being executed.
func (db *DB) author(byTTL bool) string {
	if byTTL || db.running == nil {
		return ""
	}
	return db.clients[db.running.client]
}
