package simulator

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const maxBatchWrites = 25

// batchWrite is a BatchWriteItem that is written item by item.
type batchWrite struct {
	in       *dynamodb.BatchWriteItemInput
	requests []batchedWrite
	out      dynamodb.BatchWriteItemOutput
	spent    map[string][]charge
	done     int
}

type batchedWrite struct {
	table   string
	request types.WriteRequest
	write   writeRequest
}

// startBatchWrite checks a BatchWriteItem, before anything is written.
func (db *DB) startBatchWrite(in *dynamodb.BatchWriteItemInput) (*batchWrite, error) {
	collectionMetrics(in.ReturnItemCollectionMetrics, "BatchWriteItem")
	w := &batchWrite{in: in, spent: map[string][]charge{}}
	for _, name := range sortedKeys(in.RequestItems) {
		seen := map[address]bool{}
		for _, request := range in.RequestItems[name] {
			b := batchedWrite{table: name, request: request, write: writeRequest{table: &name}}
			switch {
			case request.PutRequest != nil && request.DeleteRequest == nil:
				b.write.verb, b.write.item = verbPut, request.PutRequest.Item
			case request.DeleteRequest != nil && request.PutRequest == nil:
				b.write.verb, b.write.key = verbDelete, request.DeleteRequest.Key
			default:
				return nil, invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
			}
			p, err := db.prepare(&b.write)
			if err != nil {
				return nil, err
			}
			if seen[p.at] {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			seen[p.at] = true
			w.requests = append(w.requests, b)
		}
	}
	if len(w.requests) == 0 || len(w.requests) > maxBatchWrites {
		return nil, invalid("1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length less than or equal to %d, Member must have length greater than or equal to 1", maxBatchWrites)
	}
	db.random.Shuffle(len(w.requests), func(i, j int) { w.requests[i], w.requests[j] = w.requests[j], w.requests[i] })
	w.out.UnprocessedItems = map[string][]types.WriteRequest{}
	return w, nil
}

// put makes one write of a batch, or leaves it unprocessed.
func (db *DB) put(client int, w *batchWrite, b *batchedWrite, leave bool) error {
	p, err := db.prepare(&b.write)
	if err != nil {
		return err
	}
	charges := p.charges(nil, 1)
	if leave || p.conflict || !db.admits(p.table, charges) {
		w.out.UnprocessedItems[b.table] = append(w.out.UnprocessedItems[b.table], b.request)
		return nil
	}
	w.done++
	db.bill(client, charges)
	w.spent[b.table] = append(w.spent[b.table], charges...)
	db.commit(&p.write, false)
	return nil
}

func (db *DB) finishBatchWrite(w *batchWrite) (*dynamodb.BatchWriteItemOutput, error) {
	if w.done == 0 {
		t := db.tables[w.requests[0].table]
		return nil, throttled(t, charge{in: t.collection, units: Units{Write: 1}})
	}
	for _, name := range sortedKeys(w.in.RequestItems) {
		if c := db.tables[name].consumed(w.in.ReturnConsumedCapacity, w.spent[name]); c != nil {
			w.out.ConsumedCapacity = append(w.out.ConsumedCapacity, *c)
		}
	}
	return &w.out, nil
}
