package simulator

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// listing is what queries and scans have in common: they read a page of a table
// or of an index.
type listing struct {
	table  *table
	index  *index
	from   *collection
	strong bool
	count  bool
	limit  int
	texts  expressions
	names  map[string]string
	values map[string]types.AttributeValue

	// last is the row that was read last, or that the request starts after, and
	// lastItem the item that was seen there.
	last     *row
	lastItem item
	// ended is set once there is no more to read, full once the page is.
	ended, full bool
	items       []map[string]types.AttributeValue
	matched     int32
	scanned     int32
	bytes       int
	// read are the bytes read of each partition, in order.
	read []partitionBytes
}

type partitionBytes struct {
	partition *partition
	bytes     int
}

// list checks what queries and scans have in common.
func (db *DB) list(l *listing, name, index *string, limit *int32, choose types.Select, consistent *bool) (*program, *bound, error) {
	var err error
	if l.table, err = db.table(name); err != nil {
		return nil, nil, err
	}
	l.strong, l.from = yes(consistent), l.table.collection
	if index != nil {
		if l.index = l.table.index(*index); l.index == nil {
			return nil, nil, invalid("The table does not have the specified index: %s", *index)
		}
		if l.strong {
			return nil, nil, invalid("Consistent reads are not supported on global secondary indexes")
		}
		l.from = l.index.collection
	}
	if limit != nil {
		if l.limit = int(*limit); l.limit < 1 {
			return nil, nil, invalid("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1", l.limit)
		}
	}
	prog, b, err := db.bind(l.texts, l.names, l.values)
	if err != nil {
		return nil, nil, err
	}
	return prog, b, l.choose(prog, b, choose)
}

// choose checks what is to be shown of each item.
func (l *listing) choose(prog *program, b *bound, s types.Select) error {
	switch s {
	case "":
	case types.SelectSpecificAttributes:
		if prog.projection == nil {
			return invalid("One or more parameter values were invalid: Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
		}
	case types.SelectCount, types.SelectAllAttributes, types.SelectAllProjectedAttributes:
		if prog.projection != nil {
			return invalid("Cannot specify the ProjectionExpression when choosing to get %s", s)
		}
		l.count = s == types.SelectCount
		if s == types.SelectAllAttributes && l.index != nil && !l.index.all {
			return invalid("One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL", l.index.name)
		}
		if s == types.SelectAllProjectedAttributes && l.index == nil {
			return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
		}
	}
	if l.index == nil {
		return nil
	}
	for _, o := range prog.projection {
		if name := b.name(o); !l.index.holds(name) {
			return invalid("One or more parameter values were invalid: Global secondary index %s does not project [%s]", l.index.name, name)
		}
	}
	return nil
}

// after makes a listing start behind the key that the page before ended with.
func (l *listing) after(key map[string]types.AttributeValue) error {
	if key == nil {
		return nil
	}
	bad := invalid("The provided starting key is invalid")
	it, err := importItem(key)
	if err != nil {
		return err
	}
	base, err := l.table.itemKey(it)
	if err != nil {
		return bad
	}
	r := &row{address: base, base: base}
	want := len(l.table.schema.names())
	if l.index != nil {
		for _, name := range l.from.names() {
			if !l.table.has(name) {
				want++
			}
		}
		at, err := l.from.itemKey(it)
		if err != nil {
			return bad
		}
		r.address, r.order = at, hash(l.from.seed, base.pk, base.sk)
	}
	if len(key) != want {
		return bad
	}
	l.last = r
	return nil
}

// take reads a row; more says whether the page goes on.
func (db *DB) take(l *listing, p *partition, r *row, prog *program, b *bound) (more bool) {
	it, size := r.item, r.size
	if l.index == nil {
		if seen := db.read(r, l.strong); !l.strong && len(r.older) > 0 {
			it, size = seen, seen.bytes()
		}
	}
	if it == nil {
		return true
	}
	if l.scanned > 0 && l.bytes+size > db.config.PageBytes {
		l.full = true
		return false
	}
	l.last, l.lastItem = r, it
	l.scanned++
	l.bytes += size
	if n := len(l.read); n == 0 || l.read[n-1].partition != p {
		l.read = append(l.read, partitionBytes{partition: p})
	}
	l.read[len(l.read)-1].bytes += size
	if prog.filter == nil || prog.filter.holds(it, b) {
		l.matched++
		if !l.count {
			l.items = append(l.items, prog.projected(it, b))
		}
	}
	l.full = l.limit > 0 && int(l.scanned) >= l.limit
	return !l.full
}

// charges are what the page costs: what was read in all, rounded once.
func (l *listing) charges(p *partition) []charge {
	units := readUnits(l.bytes) * consistency(l.strong)
	if p != nil {
		return []charge{{l.from, p, Units{Read: units}}}
	}
	if l.bytes == 0 {
		return []charge{{l.from, l.from.partition(""), Units{Read: units}}}
	}
	out := make([]charge, 0, len(l.read))
	for _, r := range l.read {
		out = append(out, charge{l.from, r.partition, Units{Read: units * float64(r.bytes) / float64(l.bytes)}})
	}
	return out
}

// next is the key that the next page starts after, if there is to be one.
func (l *listing) next() map[string]types.AttributeValue {
	if !l.full {
		return nil
	}
	names := l.table.schema.names()
	if l.index != nil {
		names = append(names, l.from.names()...)
	}
	return l.lastItem.only(names)
}

// query is a Query, which may be read in two halves.
type query struct {
	listing
	in      *dynamodb.QueryInput
	forward bool
	within  keyRange
	// program and bound are what the expressions say, until the next bind.
	program *program
	bound   *bound
}

func (db *DB) startQuery(in *dynamodb.QueryInput) (*query, error) {
	legacy(in.KeyConditions != nil || in.QueryFilter != nil || in.AttributesToGet != nil || in.ConditionalOperator != "", "Query")
	q := &query{in: in, forward: in.ScanIndexForward == nil || *in.ScanIndexForward}
	q.texts = expressions{key: in.KeyConditionExpression, filter: in.FilterExpression, projection: in.ProjectionExpression}
	q.names, q.values = in.ExpressionAttributeNames, in.ExpressionAttributeValues
	if in.KeyConditionExpression == nil {
		return nil, invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	prog, b, err := db.list(&q.listing, in.TableName, in.IndexName, in.Limit, in.Select, in.ConsistentRead)
	if err != nil {
		return nil, err
	}
	q.program, q.bound = prog, b
	if q.within, err = q.from.keyRange(prog.key, b); err != nil {
		return nil, err
	}
	if prog.filter != nil {
		if name, found := prog.filter.mentions(q.from.schema, b); found {
			return nil, invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", name)
		}
	}
	if err := q.after(in.ExclusiveStartKey); err != nil {
		return nil, err
	}
	if q.last != nil && !q.within.contains(q.last.address) {
		return nil, invalid("The provided starting key is outside query boundaries based on provided conditions")
	}
	return q, nil
}

// mentions is whether a condition tests an attribute of a key.
func (c *condition) mentions(s schema, b *bound) (name string, found bool) {
	for _, part := range c.parts {
		if name, found := part.mentions(s, b); found {
			return name, true
		}
	}
	if len(c.parts) > 0 {
		return "", false
	}
	for _, o := range c.operands[:c.test.operands()] {
		if !o.value && s.has(b.name(o)) {
			return b.name(o), true
		}
	}
	return "", false
}

// readQuery reads on, at most so many rows; 0 is to the end of the page.
func (db *DB) readQuery(q *query, most int32) {
	p := q.from.partition(q.within.partition)
	at := q.within.start(&p.rows, q.forward)
	if q.last != nil {
		at = q.resume(&p.rows)
	}
	step := p.rows.next
	if !q.forward {
		step = p.rows.previous
	}
	for read := q.scanned; most == 0 || q.scanned-read < most; at = step(at) {
		row, ok := p.rows.get(at)
		if !ok || q.within.ends(row.sk, q.forward) {
			q.ended = true
			return
		}
		if !db.take(&q.listing, p, row, q.program, q.bound) {
			return
		}
	}
}

// readRest reads the rest of a page, after others have made requests.
func (db *DB) readRest(q *query) (err error) {
	if q.full || q.ended {
		return nil
	}
	if q.program, q.bound, err = db.bind(q.texts, q.names, q.values); err != nil {
		return err
	}
	db.readQuery(q, 0)
	return nil
}

// resume is the place after the last row read, which may be gone by now.
func (q *query) resume(rows *sorted[*row]) place {
	at, found := rows.seek(q.last)
	switch {
	case !q.forward:
		return rows.previous(at)
	case found:
		return rows.next(at)
	}
	return at
}

func (db *DB) finishQuery(client int, q *query) (*dynamodb.QueryOutput, error) {
	charges := q.charges(q.from.partition(q.within.partition))
	if err := db.admit(q.table, charges); err != nil {
		return nil, err
	}
	db.bill(client, charges)
	return &dynamodb.QueryOutput{
		Items: q.items, Count: q.matched, ScannedCount: q.scanned,
		LastEvaluatedKey: q.next(),
		ConsumedCapacity: q.table.consumed(q.in.ReturnConsumedCapacity, charges),
	}, nil
}
