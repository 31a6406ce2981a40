package simulator

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type verb uint8

const (
	verbPut verb = iota
	verbUpdate
	verbDelete
	// verbCheck is a transaction's condition on an item that it does not write.
	verbCheck
)

// writeRequest is a write of one item as a request has it.
type writeRequest struct {
	verb  verb
	table *string
	// item is what a put writes; key is what the others go by.
	item, key map[string]types.AttributeValue
	texts     expressions
	names     map[string]string
	values    map[string]types.AttributeValue
	// allOld asks for the item that a condition did not hold for.
	allOld types.ReturnValuesOnConditionCheckFailure
}

// prepared is a write that was looked at and not yet made.
type prepared struct {
	write
	// conflict is set if a transaction is under way on the item, refused if the
	// condition does not hold.
	conflict, refused bool
	// touched are the names that an update writes.
	touched []string
}

// prepare works out what a write would do.
func (db *DB) prepare(r *writeRequest) (p prepared, err error) {
	t, err := db.table(r.table)
	if err != nil {
		return p, err
	}
	prog, b, err := db.bind(r.texts, r.names, r.values)
	if err != nil {
		return p, err
	}
	return db.work(t, r, prog, b)
}

// work is prepare with the expressions read.
func (db *DB) work(t *table, r *writeRequest, prog *program, b *bound) (p prepared, err error) {
	var (
		put item
		at  address
	)
	if r.verb == verbPut {
		put, at, err = t.incoming(r.item)
	} else {
		at, err = t.tableKey(r.key)
	}
	if err != nil {
		return p, err
	}
	if prog.update != nil {
		if err := prog.update.check(t.schema, b, prog.targets); err != nil {
			return p, err
		}
	}
	at = t.shared(at)
	var old item
	oldSize := 0
	if row := t.find(at); row != nil && row.item != nil {
		old, oldSize = row.item, row.size
	}
	_, p.conflict = t.held[at]
	p.refused = prog.condition != nil && !prog.condition.holds(old, b)
	next := old
	switch r.verb {
	case verbPut:
		next = put
	case verbDelete:
		next = nil
	case verbUpdate:
		next, err = t.updated(prog, b, old, r.key)
	}
	if p.conflict || p.refused {
		// An update that cannot even be worked out is refused all the same.
		p.write = write{table: t, at: at, old: old, new: old, oldSize: oldSize, ownUnits: writeUnits(max(oldSize, next.bytes()))}
		return p, nil
	}
	if err != nil {
		// What is wrong is the item, not the request: a transaction tells them
		// apart.
		p.write = write{table: t, at: at, old: old, new: old, oldSize: oldSize, ownUnits: writeUnits(oldSize)}
		return p, err
	}
	p.write = db.plan(t, at, old, next, oldSize)
	if r.verb == verbUpdate {
		for _, o := range prog.targets {
			p.touched = append(p.touched, b.name(o))
		}
	}
	return p, nil
}

// incoming is an item to be put, with its address.
func (t *table) incoming(in map[string]types.AttributeValue) (item, address, error) {
	it, err := importItem(in)
	if err != nil {
		return nil, address{}, err
	}
	at, err := t.itemKey(it)
	if err != nil {
		return nil, at, err
	}
	if it.bytes() > maxItemBytes {
		return nil, at, invalid("Item size has exceeded the maximum allowed size")
	}
	return it, at, t.checkIndexes(it)
}

func (t *table) checkIndexes(it item) error {
	for _, ix := range t.indexes {
		if err := ix.checkIndexed(it, ix.name); err != nil {
			return err
		}
	}
	return nil
}

// updated is an item after an update.
func (t *table) updated(prog *program, b *bound, old item, key map[string]types.AttributeValue) (item, error) {
	var base item
	if old == nil {
		var err error
		if base, err = importItem(key); err != nil {
			return nil, err
		}
	}
	u := prog.update
	if u == nil {
		u = &update{}
	}
	next, err := u.apply(old, base, b)
	if err != nil {
		return nil, err
	}
	if next.bytes() > maxItemBytes {
		return nil, invalid("Item size to update has exceeded the maximum allowed size")
	}
	return next, t.checkIndexes(next)
}

// single makes a write of one item that is a request of its own, and returns what
// it cost.
func (db *DB) single(client int, r *writeRequest) (prepared, []charge, error) {
	p, err := db.prepare(r)
	if err != nil {
		return p, nil, err
	}
	charges := p.charges(db.scratch.charges[:0], 1)
	db.scratch.charges = charges
	if err := db.admit(p.table, charges); err != nil {
		return p, nil, err
	}
	db.bill(client, charges)
	switch {
	case p.conflict:
		return p, nil, conflict()
	case p.refused:
		return p, nil, conditionFailed(r.failed(p.old))
	}
	db.commit(&p.write, false)
	return p, charges, nil
}

// failed is what a refusal shows of the item.
func (r *writeRequest) failed(old item) map[string]types.AttributeValue {
	if r.allOld != types.ReturnValuesOnConditionCheckFailureAllOld {
		return nil
	}
	return old.export()
}
