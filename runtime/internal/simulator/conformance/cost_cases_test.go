package conformance_test

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// costCases are the published rules of capacity units. The simulator's own tests
// have the failed requests, whose answers do not say what they cost.
func costCases() []testCase {
	const indexes = types.ReturnConsumedCapacityIndexes
	u := func(table float64, more ...any) map[string]float64 {
		out := map[string]float64{"table": table}
		for i := 0; i < len(more); i += 2 {
			out[more[i].(string)] = more[i+1].(float64)
		}
		return out
	}
	kib := func(n int) string { return strings.Repeat("x", n<<10) }
	signal := func(more ...any) attributes {
		return item(append([]any{"sk", "a", "gsipk", "own:b", "gsisk", "clean"}, more...)...)
	}
	update := func(name, expression string, given attributes, values attributes, want map[string]float64) testCase {
		return testCase{
			name: "cost/update, " + name, given: []attributes{given},
			do: func(s *subject) outcome {
				in := &dynamodb.UpdateItemInput{
					Key: s.at("a"), TableName: &s.table, UpdateExpression: &expression, ExpressionAttributeValues: values,
					ExpressionAttributeNames: names(aliasesIn(expression)...), ReturnConsumedCapacity: indexes,
				}
				out, err := s.api.UpdateItem(s.Context(), in)
				if err != nil {
					return failure(err)
				}
				return outcome{Units: units(out.ConsumedCapacity)}
			},
			want: outcome{Units: want},
		}
	}
	put := func(name string, given, put attributes, want map[string]float64) testCase {
		c := testCase{
			name: "cost/put, " + name,
			do: func(s *subject) outcome {
				o := s.put(&dynamodb.PutItemInput{Item: put, ReturnConsumedCapacity: indexes})
				return outcome{Code: o.Code, Units: o.Units}
			},
			want: outcome{Units: want},
		}
		if given != nil {
			c.given = []attributes{given}
		}
		return c
	}
	get := func(name string, given attributes, strong bool, want float64) testCase {
		c := testCase{
			name: "cost/get, " + name,
			do: func(s *subject) outcome {
				o := s.get(&dynamodb.GetItemInput{Key: s.at("a"), ConsistentRead: &strong, ReturnConsumedCapacity: indexes})
				return outcome{Code: o.Code, Units: o.Units}
			},
			want: outcome{Units: u(want)},
		}
		if given != nil {
			c.given = []attributes{given}
		}
		return c
	}
	query := func(name string, given []attributes, ask func(*subject) *dynamodb.QueryInput, want map[string]float64) testCase {
		return testCase{
			name: "cost/query, " + name, waits: true, given: given,
			do: func(s *subject) outcome {
				in := ask(s)
				in.ReturnConsumedCapacity = indexes
				o := s.query(in)
				return outcome{Code: o.Code, Units: o.Units}
			},
			want: outcome{Units: want},
		}
	}
	set := func(v types.AttributeValue) attributes { return attributes{":v": v} }
	return []testCase{
		put("a small item", nil, item("sk", "a"), u(1.0)),
		put("just over a KiB", nil, item("sk", "a", "n", kib(1)), u(2.0)),
		put("over a larger item", item("sk", "a", "n", kib(3)), item("sk", "a"), u(4.0)),
		put("into an index", nil, item("sk", "a", "gsipk", "b", "gsisk", "clean"), u(1.0, cadenceIndex, 1.0)),
		put("into two indexes", nil, item("sk", "a", "gsipk", "b", "gsisk", "clean", "globalId", "g"), u(1.0, cadenceIndex, 1.0, globalIDIndex, 1.0)),
		put("without a part of the index's key", nil, item("sk", "a", "gsisk", "clean"), u(1.0)),
		put("a large item with a small entry", nil, item("sk", "a", "gsipk", "b", "gsisk", "clean", "n", kib(3)), u(4.0, cadenceIndex, 1.0)),
		put("a large entry", nil, item("sk", "a", "gsipk", "b", "gsisk", "clean", "dirtySince", kib(3)), u(4.0, cadenceIndex, 4.0)),
		update("no index", "SET n = :v", item("sk", "a"), set(number("1")), u(1.0)),
		update("nothing that an index has", "SET n = :v", signal(), set(number("1")), u(1.0)),
		update("a projected attribute", "SET dirtySince = :v", signal(), set(str("x")), u(1.0, cadenceIndex, 1.0)),
		update("a projected attribute to what it is", "SET dirtySince = :v", signal("dirtySince", "x"), set(str("x")), u(1.0)),
		update("an index's key", "SET gsisk = :v", signal(), set(str("dirty")), u(1.0, cadenceIndex, 2.0)),
		update("an index's key to what it is", "SET gsisk = :v", signal(), set(str("clean")), u(1.0)),
		update("into an index", "SET gsipk = :v", item("sk", "a", "gsisk", "clean"), set(str("b")), u(1.0, cadenceIndex, 1.0)),
		update("out of an index", "REMOVE gsipk", signal(), nil, u(1.0, cadenceIndex, 1.0)),
		update("anything where everything is projected", "SET n = :v", item("sk", "a", "ipk", "own:i", "isk", 1), set(number("1")), u(1.0, allIndex, 1.0)),
		update("that makes a large item small", "SET n = :v", item("sk", "a", "n", kib(2)), set(str("")), u(3.0)),
		{
			name: "cost/delete, with its entries", given: []attributes{signal("globalId", "own:g")},
			do: func(s *subject) outcome {
				o := s.remove(&dynamodb.DeleteItemInput{ReturnConsumedCapacity: indexes})
				return outcome{Code: o.Code, Units: o.Units}
			},
			want: outcome{Units: u(1.0, cadenceIndex, 1.0, globalIDIndex, 1.0)},
		},
		{
			name: "cost/delete, of no item",
			do: func(s *subject) outcome {
				o := s.remove(&dynamodb.DeleteItemInput{ReturnConsumedCapacity: indexes})
				return outcome{Code: o.Code, Units: o.Units}
			},
			want: outcome{Units: u(1.0)},
		},
		get("consistent", item("sk", "a"), true, 1),
		get("eventually consistent", item("sk", "a"), false, 0.5),
		get("just over 4 KiB", item("sk", "a", "n", kib(4)), true, 2),
		get("of no item", nil, true, 1),
		query("rounded over the page", []attributes{item("sk", "a", "n", kib(3)), item("sk", "b", "n", kib(3))}, func(s *subject) *dynamodb.QueryInput {
			return s.ofPartition("", nil)
		}, u(2.0)),
		query("of many small items", days("a", "b", "c", "d", "e"), func(s *subject) *dynamodb.QueryInput { return s.ofPartition("", nil) }, u(1.0)),
		query("a projection saves nothing", []attributes{item("sk", "a", "n", kib(5))}, func(s *subject) *dynamodb.QueryInput {
			in := s.ofPartition("", nil)
			in.ProjectionExpression = text("sk")
			return in
		}, u(2.0)),
		query("of nothing in an index", nil, func(s *subject) *dynamodb.QueryInput { return s.dirty("none") }, u(0, cadenceIndex, 0.5)),
		query("of an index, by its entries", []attributes{item("sk", "a", "gsipk", "own:b", "gsisk", "dirty", "n", kib(9))}, func(s *subject) *dynamodb.QueryInput {
			return s.dirty("b")
		}, u(0, cadenceIndex, 0.5)),
		{
			name: "cost/transaction, twice the table's units and once the index's", given: []attributes{signal(), item("sk", "b")},
			do: func(s *subject) outcome {
				o := s.transact(&dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: indexes, TransactItems: []types.TransactWriteItem{
					{Update: &types.Update{Key: s.at("a"), UpdateExpression: text("SET gsisk = :v"), ExpressionAttributeValues: set(str("dirty"))}},
					{ConditionCheck: &types.ConditionCheck{Key: s.at("b"), ConditionExpression: text("attribute_exists(pk)")}},
				}})
				return outcome{Code: o.Code, Units: o.Units}
			},
			want: outcome{Units: u(4.0, cadenceIndex, 2.0)},
		},
		{
			name: "cost/statement, an insert and a delete", given: days("b"),
			do: func(s *subject) outcome {
				o := s.statements(s.insert(item("sk", "a")), s.deletion("b", ""))
				return outcome{Code: o.Code, Units: o.Units}
			},
			want: outcome{Units: u(2.0)},
		},
	}
}

// aliasesIn are the attributes that an expression names by an alias.
func aliasesIn(expression string) (out []string) {
	for _, word := range strings.Fields(expression) {
		if name, ok := strings.CutPrefix(strings.Trim(word, ","), "#"); ok {
			out = append(out, name)
		}
	}
	return out
}
