package simulator

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// scan reads a page of everything.
func (db *DB) scan(client int, in *dynamodb.ScanInput) (*dynamodb.ScanOutput, error) {
	legacy(in.ScanFilter != nil || in.AttributesToGet != nil || in.ConditionalOperator != "", "Scan")
	l := &listing{
		texts: expressions{filter: in.FilterExpression, projection: in.ProjectionExpression},
		names: in.ExpressionAttributeNames, values: in.ExpressionAttributeValues,
	}
	prog, b, err := db.list(l, in.TableName, in.IndexName, in.Limit, in.Select, in.ConsistentRead)
	if err != nil {
		return nil, err
	}
	segment, segments := uint64(0), uint64(1)
	if (in.Segment == nil) != (in.TotalSegments == nil) {
		return nil, invalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	}
	if in.Segment != nil {
		if *in.TotalSegments < 1 || *in.Segment < 0 || *in.Segment >= *in.TotalSegments {
			return nil, invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments")
		}
		segment, segments = uint64(*in.Segment), uint64(*in.TotalSegments)
	}
	if err := l.after(in.ExclusiveStartKey); err != nil {
		return nil, err
	}
	parts, rows := l.scanStart()
	for more := true; more; parts = l.from.order.next(parts) {
		p, ok := l.from.order.get(parts)
		if !ok {
			break
		}
		if p.hash%segments != segment {
			continue
		}
		at := p.rows.first()
		if rows != nil {
			at, rows = *rows, nil
		}
		for more {
			r, ok := p.rows.get(at)
			if !ok {
				break
			}
			more = db.take(l, p, r, prog, b)
			at = p.rows.next(at)
		}
	}
	charges := l.charges(nil)
	if err := db.admit(l.table, charges); err != nil {
		return nil, err
	}
	db.bill(client, charges)
	return &dynamodb.ScanOutput{
		Items: l.items, Count: l.matched, ScannedCount: l.scanned,
		LastEvaluatedKey: l.next(),
		ConsumedCapacity: l.table.consumed(in.ReturnConsumedCapacity, charges),
	}, nil
}

// scanStart is the partition that a scan starts in, and the place in it, where it
// is not the first.
func (l *listing) scanStart() (place, *place) {
	if l.last == nil {
		return l.from.order.first(), nil
	}
	p := l.from.partition(l.last.pk)
	parts, _ := l.from.order.seek(p)
	rows, found := p.rows.seek(l.last)
	if found {
		rows = p.rows.next(rows)
	}
	return parts, &rows
}
