package simulator

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	maxTransactItems = 100
	// tokenLife is for how long a repeated ClientRequestToken is recognised.
	tokenLife = 10 * time.Minute
)

// token is a ClientRequestToken that was used.
type token struct {
	items []types.TransactWriteItem
	// complete is set once all of the transaction's items are visible.
	complete bool
	// reads is what a repetition costs.
	reads []charge
}

// transaction is one that has been decided for: its writes become visible one by
// one, in any order, and nothing stops them any more.
type transaction struct {
	in    *dynamodb.TransactWriteItemsInput
	left  []write
	token *token
	spent []charge
	tabs  []*table
}

// cancellation reasons.
const (
	reasonNone       = "None"
	reasonCondition  = "ConditionalCheckFailed"
	reasonConflict   = "TransactionConflict"
	reasonThroughput = "ProvisionedThroughputExceeded"
	reasonValidation = "ValidationError"
)

// begin decides about a transaction. A nil transaction without an error is one
// that was done before, under the same token. conflicting makes it meet another
// that is not there.
func (db *DB) begin(client int, in *dynamodb.TransactWriteItemsInput, conflicting bool) (*transaction, *dynamodb.TransactWriteItemsOutput, error) {
	collectionMetrics(in.ReturnItemCollectionMetrics, "TransactWriteItems")
	if n := len(in.TransactItems); n < 1 || n > maxTransactItems {
		return nil, nil, invalid("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d, Member must have length greater than or equal to 1", maxTransactItems)
	}
	used, out, err := db.known(client, in)
	if out != nil || err != nil {
		return nil, out, err
	}
	tx := &transaction{in: in}
	requests := make([]*writeRequest, len(in.TransactItems))
	writes := make([]prepared, len(in.TransactItems))
	reasons := make([]types.CancellationReason, len(in.TransactItems))
	cancelled := false
	for i, entry := range in.TransactItems {
		if requests[i], err = transactWrite(entry); err != nil {
			return nil, nil, err
		}
		reasons[i].Code = text(reasonNone)
		var bad error
		writes[i], bad = db.prepare(requests[i])
		p := &writes[i]
		switch {
		case bad != nil && p.table == nil:
			// Wrong whatever the items are.
			return nil, nil, bad
		case bad != nil:
			reasons[i] = reason(reasonValidation, apiMessage(bad), nil)
		case p.conflict || conflicting && i == 0:
			reasons[i] = reason(reasonConflict, "Transaction is ongoing for the item", nil)
		case p.refused:
			reasons[i] = reason(reasonCondition, "The conditional request failed", requests[i].failed(p.old))
		default:
			continue
		}
		cancelled = true
	}
	if err := distinct(writes); err != nil {
		return nil, nil, err
	}
	for i := range writes {
		first := len(tx.spent)
		tx.spent = writes[i].charges(tx.spent, transactional)
		tx.tabs = append(tx.tabs, writes[i].table)
		if cancelled {
			// Nothing reaches the indexes, nor costs there.
			tx.spent = tx.spent[:first+1]
		}
	}
	if i, err := db.admitAll(tx); err != nil {
		reasons[i] = reason(reasonThroughput, apiMessage(err), nil)
		return nil, nil, cancel(reasons)
	}
	db.bill(client, tx.spent)
	if cancelled {
		return nil, nil, cancel(reasons)
	}
	for i := range writes {
		w := &writes[i].write
		if requests[i].verb == verbCheck {
			continue
		}
		w.table.held[w.at] = struct{}{}
		tx.left = append(tx.left, *w)
	}
	if used != nil {
		tx.token = used
		used.reads = repetition(writes)
		db.tokens[*in.ClientRequestToken] = used
	}
	return tx, nil, nil
}

// known looks up the request's token: a repetition is answered without doing it
// again.
func (db *DB) known(client int, in *dynamodb.TransactWriteItemsInput) (*token, *dynamodb.TransactWriteItemsOutput, error) {
	if in.ClientRequestToken == nil {
		return nil, nil, nil
	}
	if n := len(*in.ClientRequestToken); n < 1 || n > 36 {
		return nil, nil, invalid("1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36, Member must have length greater than or equal to 1")
	}
	had, ok := db.tokens[*in.ClientRequestToken]
	if !ok {
		return &token{items: in.TransactItems}, nil, nil
	}
	switch {
	case content(had.items) != content(in.TransactItems):
		return nil, nil, &types.IdempotentParameterMismatchException{Message: text("The parameters of this request do not match those of an earlier one with the same token")}
	case !had.complete:
		return nil, nil, &types.TransactionInProgressException{Message: text("A transaction with this token is in progress")}
	}
	db.bill(client, had.reads)
	out := &dynamodb.TransactWriteItemsOutput{}
	return nil, out, nil
}

// repetition is what a repeated transaction costs: reading its items.
func repetition(writes []prepared) []charge {
	out := make([]charge, len(writes))
	for i := range writes {
		w := &writes[i].write
		units := Units{Read: transactional * readUnits(w.newSize)}
		out[i] = charge{w.table.collection, w.table.partition(w.at.pk), units}
	}
	return out
}

// admitAll is admit for a transaction over several tables; i is the entry that
// was too much.
func (db *DB) admitAll(tx *transaction) (i int, err error) {
	if db.limits == nil {
		return 0, nil
	}
	at := -1
	for n, c := range tx.spent {
		if c.in.name == "" {
			at++
		}
		if err := db.admit(tx.tabs[at], tx.spent[n:n+1]); err != nil {
			for _, taken := range tx.spent[:n] {
				taken.at.load.give(taken.units)
			}
			return at, err
		}
	}
	return 0, nil
}

// show makes one item of a transaction visible, and says whether there are more.
func (db *DB) show(tx *transaction) (more bool) {
	if len(tx.left) > 0 {
		i := db.random.IntN(len(tx.left))
		w := &tx.left[i]
		delete(w.table.held, w.at)
		db.commit(w, false)
		tx.left[i] = tx.left[len(tx.left)-1]
		tx.left = tx.left[:len(tx.left)-1]
	}
	if len(tx.left) > 0 {
		return true
	}
	if tx.token != nil {
		tx.token.complete = true
		db.agenda.add(db.now+int64(tokenLife), true, func() { delete(db.tokens, *tx.in.ClientRequestToken) })
	}
	return false
}

func (db *DB) finishTransaction(tx *transaction) *dynamodb.TransactWriteItemsOutput {
	out := &dynamodb.TransactWriteItemsOutput{}
	for _, name := range sortedKeys(db.tables) {
		t := db.tables[name]
		for _, used := range tx.tabs {
			if used != t {
				continue
			}
			if c := t.consumed(tx.in.ReturnConsumedCapacity, tx.spent); c != nil {
				out.ConsumedCapacity = append(out.ConsumedCapacity, *c)
			}
			break
		}
	}
	return out
}

func transactWrite(entry types.TransactWriteItem) (*writeRequest, error) {
	var found []*writeRequest
	if u := entry.Update; u != nil {
		found = append(found, &writeRequest{
			verb: verbUpdate, table: u.TableName, key: u.Key,
			texts: expressions{condition: u.ConditionExpression, update: u.UpdateExpression},
			names: u.ExpressionAttributeNames, values: u.ExpressionAttributeValues,
			allOld: u.ReturnValuesOnConditionCheckFailure,
		})
	}
	if p := entry.Put; p != nil {
		found = append(found, &writeRequest{
			verb: verbPut, table: p.TableName, item: p.Item,
			texts: expressions{condition: p.ConditionExpression},
			names: p.ExpressionAttributeNames, values: p.ExpressionAttributeValues,
			allOld: p.ReturnValuesOnConditionCheckFailure,
		})
	}
	if d := entry.Delete; d != nil {
		found = append(found, &writeRequest{
			verb: verbDelete, table: d.TableName, key: d.Key,
			texts: expressions{condition: d.ConditionExpression},
			names: d.ExpressionAttributeNames, values: d.ExpressionAttributeValues,
			allOld: d.ReturnValuesOnConditionCheckFailure,
		})
	}
	if c := entry.ConditionCheck; c != nil {
		found = append(found, &writeRequest{
			verb: verbCheck, table: c.TableName, key: c.Key,
			texts: expressions{condition: c.ConditionExpression},
			names: c.ExpressionAttributeNames, values: c.ExpressionAttributeValues,
			allOld: c.ReturnValuesOnConditionCheckFailure,
		})
	}
	if len(found) != 1 {
		return nil, invalid("TransactItems can only contain one of Check, Put, Update or Delete")
	}
	return found[0], nil
}

func distinct(writes []prepared) error {
	type target struct {
		table *table
		at    address
	}
	seen := map[target]bool{}
	for i := range writes {
		key := target{writes[i].table, writes[i].at}
		if seen[key] {
			return invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[key] = true
	}
	return nil
}

func reason(code, message string, item map[string]types.AttributeValue) types.CancellationReason {
	return types.CancellationReason{Code: text(code), Message: text(message), Item: item}
}

func cancel(reasons []types.CancellationReason) error {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = *r.Code
	}
	return &types.TransactionCanceledException{
		Message:             text("Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]"),
		CancellationReasons: reasons,
	}
}
