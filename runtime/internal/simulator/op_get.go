package simulator

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func yes(b *bool) bool { return b != nil && *b }

func (db *DB) getItem(client int, in *dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
	legacy(in.AttributesToGet != nil, "GetItem")
	t, err := db.table(in.TableName)
	if err != nil {
		return nil, err
	}
	prog, b, err := db.bind(expressions{projection: in.ProjectionExpression}, in.ExpressionAttributeNames, nil)
	if err != nil {
		return nil, err
	}
	at, err := t.tableKey(in.Key)
	if err != nil {
		return nil, err
	}
	it, charges := db.readOne(t, at, yes(in.ConsistentRead))
	if err := db.admit(t, charges); err != nil {
		return nil, err
	}
	db.bill(client, charges)
	out := &dynamodb.GetItemOutput{ConsumedCapacity: t.consumed(in.ReturnConsumedCapacity, charges)}
	if it != nil {
		out.Item = prog.projected(it, b)
	}
	return out, nil
}

// readOne reads one item of a table. What it costs is valid until the next bind.
func (db *DB) readOne(t *table, at address, strong bool) (item, []charge) {
	it := db.read(t.find(at), strong)
	units := Units{Read: readUnits(it.bytes()) * consistency(strong)}
	db.scratch.charges = append(db.scratch.charges[:0], charge{t.collection, t.partition(at.pk), units})
	return it, db.scratch.charges
}

// The most that batches take and give.
const (
	maxBatchReads = 100
	maxBatchBytes = 16 << 20
)

// batchGet is a BatchGetItem that is read key by key.
type batchGet struct {
	in   *dynamodb.BatchGetItemInput
	keys []batchKey
	out  dynamodb.BatchGetItemOutput
	// spent are the charges of each table.
	spent map[string][]charge
	bytes int
	done  int
}

type batchKey struct {
	table string
	key   map[string]types.AttributeValue
	at    address
}

// startBatchGet checks a BatchGetItem, before anything is read.
func (db *DB) startBatchGet(in *dynamodb.BatchGetItemInput) (*batchGet, error) {
	g := &batchGet{in: in, spent: map[string][]charge{}}
	for _, name := range sortedKeys(in.RequestItems) {
		asked := in.RequestItems[name]
		legacy(asked.AttributesToGet != nil, "BatchGetItem")
		t, err := db.table(&name)
		if err != nil {
			return nil, err
		}
		if _, _, err := db.bind(expressions{projection: asked.ProjectionExpression}, asked.ExpressionAttributeNames, nil); err != nil {
			return nil, err
		}
		seen := map[address]bool{}
		for _, key := range asked.Keys {
			at, err := t.tableKey(key)
			if err != nil {
				return nil, err
			}
			if seen[at] {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			seen[at] = true
			g.keys = append(g.keys, batchKey{name, key, at})
		}
	}
	if len(g.keys) == 0 {
		return nil, invalid("1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1")
	}
	if len(g.keys) > maxBatchReads {
		return nil, invalid("Too many items requested for the BatchGetItem call")
	}
	// The service reads in no particular order.
	db.random.Shuffle(len(g.keys), func(i, j int) { g.keys[i], g.keys[j] = g.keys[j], g.keys[i] })
	g.out.Responses = map[string][]map[string]types.AttributeValue{}
	for name := range in.RequestItems {
		g.out.Responses[name] = []map[string]types.AttributeValue{}
	}
	g.out.UnprocessedKeys = map[string]types.KeysAndAttributes{}
	return g, nil
}

// get reads one key of a batch, or leaves it unprocessed.
func (db *DB) get(client int, g *batchGet, k batchKey, leave bool) error {
	asked := g.in.RequestItems[k.table]
	t, err := db.table(&k.table)
	if err != nil {
		return err
	}
	prog, b, err := db.bind(expressions{projection: asked.ProjectionExpression}, asked.ExpressionAttributeNames, nil)
	if err != nil {
		return err
	}
	it, charges := db.readOne(t, k.at, yes(asked.ConsistentRead))
	if leave || g.bytes+it.bytes() > maxBatchBytes || !db.admits(t, charges) {
		left := g.out.UnprocessedKeys[k.table]
		if left.Keys == nil {
			left = asked
			left.Keys = nil
		}
		left.Keys = append(left.Keys, k.key)
		g.out.UnprocessedKeys[k.table] = left
		return nil
	}
	g.done++
	g.bytes += it.bytes()
	db.bill(client, charges)
	g.spent[k.table] = append(g.spent[k.table], charges...)
	if it != nil {
		g.out.Responses[k.table] = append(g.out.Responses[k.table], prog.projected(it, b))
	}
	return nil
}

// finish is the answer to a batch.
func (db *DB) finishBatchGet(g *batchGet) (*dynamodb.BatchGetItemOutput, error) {
	if g.done == 0 {
		t := db.tables[g.keys[0].table]
		return nil, throttled(t, charge{in: t.collection, units: Units{Read: 1}})
	}
	for _, name := range sortedKeys(g.in.RequestItems) {
		if c := db.tables[name].consumed(g.in.ReturnConsumedCapacity, g.spent[name]); c != nil {
			g.out.ConsumedCapacity = append(g.out.ConsumedCapacity, *c)
		}
	}
	return &g.out, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
