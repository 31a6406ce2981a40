package conformance_test

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func (s *subject) batchGet(projection *string, aliases map[string]string, keys ...attributes) outcome {
	out, err := s.api.BatchGetItem(s.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		s.table: {Keys: keys, ConsistentRead: yes(), ProjectionExpression: projection, ExpressionAttributeNames: aliases},
	}})
	if err != nil {
		return failure(err)
	}
	return indexed(outcome{Items: plainItems(out.Responses[s.table]), More: len(out.UnprocessedKeys) > 0})
}

func (s *subject) batchWrite(requests ...types.WriteRequest) outcome {
	out, err := s.api.BatchWriteItem(s.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{s.table: requests}})
	if err != nil {
		return s.after(failure(err))
	}
	return s.after(outcome{More: len(out.UnprocessedItems) > 0})
}

func putRequest(it attributes) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: it}}
}

func deleteRequest(key attributes) types.WriteRequest {
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}}
}

func batchCases() []testCase {
	return []testCase{
		{
			name: "batch get/what is there", given: days("a", "b", "c"),
			do:   func(s *subject) outcome { return s.batchGet(nil, nil, s.at("a"), s.at("c"), s.at("x")) },
			want: outcome{Items: found("a", "c")},
		},
		{
			name: "batch get/a projection", given: []attributes{item("sk", "a", "value", 1, "n", 2)},
			do: func(s *subject) outcome {
				return s.batchGet(text("sk, #value"), names("value"), s.at("a"))
			},
			want: outcome{Items: []plain{{"sk": "a", "value": num("1")}}},
		},
		{
			name: "batch get/refused, a key twice", given: days("a"),
			do:   func(s *subject) outcome { return s.batchGet(nil, nil, s.at("a"), s.at("a")) },
			want: outcome{Code: validation},
		},
		{
			name: "batch get/refused, 101 keys",
			do: func(s *subject) outcome {
				keys := make([]attributes, 101)
				for i := range keys {
					keys[i] = s.at(fmt.Sprint(i))
				}
				return s.batchGet(nil, nil, keys...)
			},
			want: outcome{Code: validation},
		},
		{
			name: "batch write/puts and deletes", given: days("a", "b"),
			do: func(s *subject) outcome {
				return s.batchWrite(putRequest(s.at("c")), deleteRequest(s.at("a")), deleteRequest(s.at("x")), putRequest(s.here(item("sk", "b", "n", 1))))
			},
			want: outcome{Stored: []plain{{"sk": "b", "n": num("1")}, {"sk": "c"}}},
		},
		{
			name: "batch write/refused, an item twice", given: days("a"),
			do:   func(s *subject) outcome { return s.batchWrite(putRequest(s.at("b")), deleteRequest(s.at("b"))) },
			want: outcome{Code: validation, Stored: found("a")},
		},
		{
			name: "batch write/refused, 26 items",
			do: func(s *subject) outcome {
				requests := make([]types.WriteRequest, 26)
				for i := range requests {
					requests[i] = putRequest(s.at(fmt.Sprint(i)))
				}
				return s.batchWrite(requests...)
			},
			want: outcome{Code: validation, Stored: []plain{}},
		},
		{
			name: "batch write/refused, an empty key, and nothing else is written",
			do:   func(s *subject) outcome { return s.batchWrite(putRequest(s.at("a")), putRequest(s.at(""))) },
			want: outcome{Code: validation, Stored: []plain{}},
		},
	}
}

// insert and remove are statements as the seeder makes them.
func (s *subject) insert(it attributes) types.BatchStatementRequest {
	statement := fmt.Sprintf(`INSERT INTO "%s" VALUE {'pk': ?, 'sk': ?, 'value': ?}`, s.table)
	value, ok := it["value"]
	if !ok {
		value = str("x")
	}
	return types.BatchStatementRequest{Statement: &statement, Parameters: []types.AttributeValue{str(s.pk), it["sk"], value}}
}

func (s *subject) deletion(sk, more string, parameters ...types.AttributeValue) types.BatchStatementRequest {
	statement := fmt.Sprintf(`DELETE FROM "%s" WHERE "pk" = ? AND "sk" = ?%s`, s.table, more)
	return types.BatchStatementRequest{
		Statement: &statement, Parameters: append([]types.AttributeValue{str(s.pk), str(sk)}, parameters...),
		ReturnValuesOnConditionCheckFailure: allOld,
	}
}

func statementCases() []testCase {
	owned := []attributes{item("sk", "a", "schema", "s", "owner", "me"), item("sk", "b", "schema", "s")}
	return []testCase{
		{
			name: "statement/inserts", given: days("b"),
			do: func(s *subject) outcome {
				return s.statements(s.insert(item("sk", "a")), s.insert(item("sk", "b")), s.insert(item("sk", "c", "value", 7)))
			},
			want: outcome{
				Codes:  []string{"", "DuplicateItem", ""},
				Stored: []plain{{"sk": "a", "value": "x"}, {"sk": "b"}, {"sk": "c", "value": num("7")}},
			},
		},
		{
			name: "statement/a delete whose condition holds", given: owned,
			do: func(s *subject) outcome {
				return s.statements(s.deletion("a", ` AND "schema" = ? AND "owner" = ?`, str("s"), str("me")))
			},
			want: outcome{Codes: []string{""}, Stored: []plain{{"sk": "b", "schema": "s"}}},
		},
		{
			name: "statement/a delete whose condition does not hold", given: owned,
			do: func(s *subject) outcome {
				return s.statements(s.deletion("a", ` AND "owner" = ?`, str("you")))
			},
			want: outcome{
				Codes: []string{"ConditionalCheckFailed"}, Olds: []plain{{"sk": "a", "schema": "s", "owner": "me"}},
				Stored: []plain{{"sk": "a", "schema": "s", "owner": "me"}, {"sk": "b", "schema": "s"}},
			},
		},
		{
			name: "statement/a delete that wants an attribute missing", given: owned,
			do: func(s *subject) outcome {
				o := s.statements(s.deletion("a", ` AND "owner" IS MISSING`), s.deletion("b", ` AND "owner" IS MISSING`))
				o.Olds = nil
				return o
			},
			want: outcome{Codes: []string{"ConditionalCheckFailed", ""}, Stored: []plain{{"sk": "a", "schema": "s", "owner": "me"}}},
		},
		{
			name: "statement/a delete of no item", given: owned,
			do: func(s *subject) outcome {
				return s.statements(s.deletion("x", ""), s.deletion("y", ` AND "owner" = ?`, str("me")))
			},
			want: outcome{Codes: []string{"", ""}},
		},
		{
			name: "statement/one that is wrong does not stop the others",
			do: func(s *subject) outcome {
				return s.statements(s.insert(item("sk", "")), s.insert(item("sk", "b")))
			},
			want: outcome{Codes: []string{"ValidationError", ""}, Stored: []plain{{"sk": "b", "value": "x"}}},
		},
		{
			name: "statement/too few parameters",
			do: func(s *subject) outcome {
				st := s.insert(item("sk", "a"))
				st.Parameters = st.Parameters[:2]
				return s.statements(st)
			},
			want: outcome{Codes: []string{"ValidationError"}, Stored: []plain{}},
		},
		{
			name: "statement/no equality on the key", given: owned,
			do: func(s *subject) outcome {
				statement := fmt.Sprintf(`DELETE FROM "%s" WHERE "pk" = ?`, s.table)
				return s.statements(types.BatchStatementRequest{Statement: &statement, Parameters: []types.AttributeValue{str(s.pk)}})
			},
			want: outcome{Codes: []string{"ValidationError"}},
		},
		{
			name: "statement/a table that is not there",
			do: func(s *subject) outcome {
				return s.statements(types.BatchStatementRequest{
					Statement: text(`INSERT INTO "no-such-table" VALUE {'pk': ?, 'sk': ?}`), Parameters: []types.AttributeValue{str("a"), str("b")},
				})
			},
			want: outcome{Codes: []string{"ResourceNotFound"}},
		},
		{
			name: "statement/refused, 26 of them",
			do: func(s *subject) outcome {
				var all []types.BatchStatementRequest
				for i := range 26 {
					all = append(all, s.insert(item("sk", fmt.Sprint(i))))
				}
				return s.statements(all...)
			},
			want: outcome{Code: validation, Stored: []plain{}},
		},
	}
}

const cancelled = "TransactionCanceledException"

func transactionCases() []testCase {
	put := func(s *subject, sk string, condition *string) types.TransactWriteItem {
		p := &types.Put{Item: s.at(sk), ConditionExpression: condition, ReturnValuesOnConditionCheckFailure: allOld}
		return types.TransactWriteItem{Put: p}
	}
	add := func(s *subject, sk, n string, condition *string) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{
			Key: s.at(sk), UpdateExpression: text("ADD n :n"), ConditionExpression: condition,
			ExpressionAttributeValues: attributes{":n": number(n)}, ReturnValuesOnConditionCheckFailure: allOld,
		}}
	}
	do := func(s *subject, items ...types.TransactWriteItem) outcome {
		return s.transact(&dynamodb.TransactWriteItemsInput{TransactItems: items})
	}
	absent, exists := text("attribute_not_exists(pk)"), text("attribute_exists(pk)")
	counted := func(sk, n string) plain { return plain{"sk": sk, "n": num(n)} }
	given := []attributes{item("sk", "a", "n", 1), item("sk", "b", "n", 2)}
	return []testCase{
		{
			name: "transaction/all of it", given: given,
			do: func(s *subject) outcome {
				return do(s, add(s, "a", "-1", exists), put(s, "c", absent),
					types.TransactWriteItem{Delete: &types.Delete{Key: s.at("b")}},
					types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{Key: s.at("d"), ConditionExpression: absent}})
			},
			want: outcome{Stored: []plain{counted("a", "0"), {"sk": "c"}}},
		},
		{
			name: "transaction/nothing of it", given: given,
			do: func(s *subject) outcome {
				return do(s, add(s, "a", "-1", nil), put(s, "b", absent), put(s, "c", nil), add(s, "d", "1", exists))
			},
			want: outcome{
				Code: cancelled, Codes: []string{"None", "ConditionalCheckFailed", "None", "ConditionalCheckFailed"},
				Olds:   []plain{nil, counted("b", "2"), nil, nil},
				Stored: []plain{counted("a", "1"), counted("b", "2")},
			},
		},
		{
			name: "transaction/a condition check that fails", given: given,
			do: func(s *subject) outcome {
				return do(s, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{Key: s.at("d"), ConditionExpression: exists}}, put(s, "c", nil))
			},
			want: outcome{Code: cancelled, Codes: []string{"ConditionalCheckFailed", "None"}, Stored: []plain{counted("a", "1"), counted("b", "2")}},
		},
		{
			name: "transaction/an update that the item does not allow", given: []attributes{item("sk", "a", "n", "x")},
			do:   func(s *subject) outcome { return do(s, put(s, "c", nil), add(s, "a", "1", nil)) },
			want: outcome{Code: cancelled, Codes: []string{"None", "ValidationError"}, Stored: []plain{{"sk": "a", "n": "x"}}},
		},
		{
			name: "transaction/repeated under its token", given: given,
			do: func(s *subject) outcome {
				in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: text(token(s)), TransactItems: []types.TransactWriteItem{add(s, "a", "1", nil)}}
				if o := s.transact(in); o.Code != "" {
					return o
				}
				return s.transact(in)
			},
			want: outcome{Stored: []plain{counted("a", "2"), counted("b", "2")}},
		},
		{
			name: "transaction/another one under its token", given: given,
			do: func(s *subject) outcome {
				in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: text(token(s)), TransactItems: []types.TransactWriteItem{add(s, "a", "1", nil)}}
				if o := s.transact(in); o.Code != "" {
					return o
				}
				in.TransactItems = []types.TransactWriteItem{add(s, "a", "2", nil)}
				return s.transact(in)
			},
			want: outcome{Code: "IdempotentParameterMismatchException", Stored: []plain{counted("a", "2"), counted("b", "2")}},
		},
		{
			name: "transaction/again without a token", given: given,
			do: func(s *subject) outcome {
				if o := do(s, add(s, "a", "1", nil)); o.Code != "" {
					return o
				}
				return do(s, add(s, "a", "1", nil))
			},
			want: outcome{Stored: []plain{counted("a", "3"), counted("b", "2")}},
		},
		{
			name: "transaction/refused, an item twice", given: given,
			do:   func(s *subject) outcome { return do(s, add(s, "a", "1", nil), put(s, "a", nil)) },
			want: outcome{Code: validation, Stored: []plain{counted("a", "1"), counted("b", "2")}},
		},
		{
			name: "transaction/refused, 101 items",
			do: func(s *subject) outcome {
				var all []types.TransactWriteItem
				for i := range 101 {
					all = append(all, put(s, fmt.Sprint(i), nil))
				}
				return do(s, all...)
			},
			want: outcome{Code: validation, Stored: []plain{}},
		},
		{
			name: "transaction/100 items",
			do: func(s *subject) outcome {
				var all []types.TransactWriteItem
				for i := range 100 {
					all = append(all, put(s, fmt.Sprint(i), nil))
				}
				o := do(s, all...)
				return outcome{Code: o.Code, Count: int32(len(o.Stored))}
			},
			want: outcome{Count: 100},
		},
		{
			name: "transaction/refused, a reserved word", given: given,
			do: func(s *subject) outcome {
				return do(s, put(s, "c", nil), types.TransactWriteItem{Update: &types.Update{
					Key: s.at("a"), UpdateExpression: text("SET value = :n"), ExpressionAttributeValues: attributes{":n": number("1")},
				}})
			},
			want: outcome{Code: validation, Stored: []plain{counted("a", "1"), counted("b", "2")}},
		},
		{
			name: "transaction/refused, redundant parentheses", given: given,
			do: func(s *subject) outcome {
				return do(s, put(s, "c", text("((attribute_not_exists(pk)))")))
			},
			want: outcome{Code: validation, Stored: []plain{counted("a", "1"), counted("b", "2")}},
		},
		{
			name: "transaction/refused, two operations in one entry",
			do: func(s *subject) outcome {
				both := put(s, "c", nil)
				both.Delete = &types.Delete{TableName: &s.table, Key: s.at("d")}
				return do(s, both)
			},
			want: outcome{Code: validation, Stored: []plain{}},
		},
	}
}
