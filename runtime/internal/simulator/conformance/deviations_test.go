package conformance_test

// deviations are what the engines are known to answer otherwise than DynamoDB: by
// engine and case, with what they do instead.
func deviations() map[string]map[string]string {
	return map[string]map[string]string{
		"ministack": ministack(),
		"moto":      moto(),
		aws:         {},
	}
}

// known are cases that deviate for one reason.
func known(into map[string]string, reason string, cases ...string) {
	for _, c := range cases {
		into[c] = reason
	}
}

func ministack() map[string]string {
	d := map[string]string{}
	known(d, "does not look for paths that overlap: the last one wins",
		"refused/a path set twice", "refused/a path set and removed", "refused/a path under two aliases")
	known(d, "takes a section of an update twice", "refused/a section twice")
	known(d, "takes what it cannot compare for false",
		"refused/comparing with a boolean", "refused/comparing with a map", "refused/bounds of BETWEEN of two types")
	known(d, "leaves out an assignment that it cannot read", "refused/a literal for a value")
	known(d, "compares an attribute with itself", "refused/an attribute compared with itself")
	known(d, "leaves out a condition on the sort key that it does not know", "query/refused, OR", "query/refused, a sort key unequal")
	known(d, "filters by keys", "query/refused, a filter on the key")
	known(d, "leaves out what an index does not project, or reads it from the table",
		"index/refused, an attribute that is not projected", "index/refused, all attributes where not all are projected")
	known(d, "inserts empty keys by PartiQL", "statement/one that is wrong does not stop the others")
	known(d, "calls a bad expression a reason of the items", "transaction/refused, a reserved word")
	known(d, "executes the first of two operations", "transaction/refused, two operations in one entry")
	known(d, "does not round reads up beyond one unit",
		"cost/get, just over 4 KiB", "cost/query, rounded over the page", "cost/query, a projection saves nothing")
	known(d, "tells a batch's or a transaction's units in sum alone",
		"cost/transaction, twice the table's units and once the index's", "cost/statement, an insert and a delete")
	return d
}

func moto() map[string]string {
	d := map[string]string{}
	known(d, "answers 500 to comparing two types", "condition/below, other type", "refused/comparing with a map")
	known(d, "answers 500 to what it cannot read in an expression",
		"refused/an alias that is not defined", "refused/a condition cut off", "refused/a parenthesis left open",
		"refused/two conditions without a word between", "refused/attribute_exists of a value",
		"query/refused, OR", "query/refused, a sort key unequal")
	known(d, "answers 500 to a request that it has not checked",
		"query/refused, a limit of none", "query/refused, a start without a sort key")
	known(d, "takes empty maps and expressions for absent ones", "refused/an empty map of names", "refused/an empty condition")
	known(d, "does half of an update before it finds fault with the rest", "refused/adding to a string")
	known(d, "takes what it cannot compare for false",
		"refused/comparing with a boolean", "refused/a prefix that is a number",
		"refused/bounds of BETWEEN the wrong way round", "refused/bounds of BETWEEN of two types")
	known(d, "compares an attribute with itself", "refused/an attribute compared with itself")
	known(d, "takes any text for a number, and leaves it as it is",
		"refused/a value of no number", "refused/a number of 39 digits", "refused/a number too large",
		"value/number, zeros trimmed", "value/number, positive sign", "value/number, negative zero", "value/number, small", "value/nested")
	known(d, "takes values that are none",
		"refused/a null that is false", "refused/an empty set", "refused/a set with an element twice")
	known(d, "does not check the types of keys",
		"key/get, of another type", "key/put, index key of another type", "key/put, index key a string for a number",
		"key/update, index key of another type", "key/update, index key empty", "query/refused, a value of another type")
	known(d, "takes 400 KiB for too much", "value/an item of 400 KiB")
	known(d, "looks ahead whether there is another page", "query/a limit of just as many leaves it open whether there are more")
	known(d, "reads key conditions leniently",
		"query/refused, the sort key twice", "query/refused, redundant parentheses", "query/refused, a filter on the key",
		"query/refused, a start in another partition", "query/refused, a start outside the range")
	known(d, "calls a missing index a missing resource", "query/refused, an index that is not there")
	known(d, "leaves out what an index does not project", "index/refused, an attribute that is not projected")
	known(d, "does not check batches", "batch write/refused, an item twice", "batch write/refused, 26 items")
	known(d, "answers 500 to PartiQL with parameters",
		"statement/inserts", "statement/a delete whose condition holds", "statement/a delete whose condition does not hold",
		"statement/a delete that wants an attribute missing", "statement/a delete of no item",
		"statement/one that is wrong does not stop the others", "statement/too few parameters",
		"statement/no equality on the key", "statement/a table that is not there", "statement/refused, 26 of them",
		"cost/statement, an insert and a delete")
	known(d, "calls what an item does not allow a bad request", "transaction/an update that the item does not allow")
	known(d, "does not know a transaction's token again", "transaction/repeated under its token", "transaction/another one under its token")
	known(d, "counts one unit for any put, and nothing else",
		"cost/put, just over a KiB", "cost/put, over a larger item", "cost/put, into an index", "cost/put, into two indexes",
		"cost/put, a large item with a small entry", "cost/put, a large entry",
		"cost/update, no index", "cost/update, nothing that an index has", "cost/update, a projected attribute",
		"cost/update, a projected attribute to what it is", "cost/update, an index's key", "cost/update, an index's key to what it is",
		"cost/update, into an index", "cost/update, out of an index", "cost/update, anything where everything is projected",
		"cost/update, that makes a large item small", "cost/delete, with its entries",
		"cost/get, consistent", "cost/get, just over 4 KiB", "cost/get, of no item",
		"cost/query, rounded over the page", "cost/query, a projection saves nothing",
		"cost/query, of nothing in an index", "cost/query, of an index, by its entries",
		"cost/transaction, twice the table's units and once the index's")
	return d
}
