package conformance_test

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	validation = "ValidationException"
	refused    = "ConditionalCheckFailedException"
	allOld     = types.ReturnValuesOnConditionCheckFailureAllOld
)

// names are aliases of the attributes, each #name.
func names(attrs ...string) map[string]string {
	if len(attrs) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, a := range attrs {
		out["#"+a] = a
	}
	return out
}

// holds is a case of a condition on the item a, whose update sets hit.
func holds(name, condition string, given attributes, aliases map[string]string, values attributes, want bool) testCase {
	c := testCase{
		name: "condition/" + name,
		do: func(s *subject) outcome {
			all := attributes{":hit": str("yes")}
			for k, v := range values {
				all[k] = v
			}
			o := s.update(&dynamodb.UpdateItemInput{
				UpdateExpression: text("SET hit = :hit"), ConditionExpression: &condition,
				ExpressionAttributeNames: aliases, ExpressionAttributeValues: all,
			})
			// What is asked is whether it held.
			return outcome{Code: o.Code}
		},
	}
	if given != nil {
		given["sk"] = str("a")
		c.given = []attributes{given}
	}
	if !want {
		c.want.Code = refused
	}
	return c
}

func conditionCases() []testCase {
	v := func(x types.AttributeValue) attributes { return attributes{":v": x} }
	return []testCase{
		holds("exists, item", "attribute_exists(#pk)", item(), names("pk"), nil, true),
		holds("exists, no item", "attribute_exists(#pk)", nil, names("pk"), nil, false),
		holds("exists, null value", "attribute_exists(#n)", item("n", null()), names("n"), nil, true),
		holds("absent, no item", "attribute_not_exists(#pk)", nil, names("pk"), nil, true),
		holds("absent, item", "attribute_not_exists(#pk)", item(), names("pk"), nil, false),
		holds("absent, attribute", "attribute_not_exists(#n)", item(), names("n"), nil, true),
		holds("equal strings", "#n = :v", item("n", "x"), names("n"), v(str("x")), true),
		holds("equal, other type", "#n = :v", item("n", "1"), names("n"), v(number("1")), false),
		holds("equal numbers of other form", "#n = :v", item("n", number("1.0")), names("n"), v(number("1")), true),
		holds("equal numbers with exponent", "#n = :v", item("n", number("1e2")), names("n"), v(number("100")), true),
		holds("equal, absent attribute", "#n = :v", item(), names("n"), v(str("x")), false),
		holds("equal maps", "#n = :v", item("n", object(item("a", 1, "b", "x"))), names("n"), v(object(item("b", "x", "a", 1))), true),
		holds("equal lists, other order", "#n = :v", item("n", list(number("1"), number("2"))), names("n"), v(list(number("2"), number("1"))), false),
		holds("equal sets, other order", "#n = :v", item("n", set("a", "b")), names("n"), v(set("b", "a")), true),
		holds("equal sets of numbers, other order and form", "#n = :v", item("n", &types.AttributeValueMemberNS{Value: []string{"1", "2.0"}}), names("n"), v(&types.AttributeValueMemberNS{Value: []string{"2", "1"}}), true),
		holds("equal binaries", "#n = :v", item("n", &types.AttributeValueMemberB{Value: []byte{1}}), names("n"), v(&types.AttributeValueMemberB{Value: []byte{1}}), true),
		holds("below, binaries", "#n < :v", item("n", &types.AttributeValueMemberB{Value: []byte{1, 255}}), names("n"), v(&types.AttributeValueMemberB{Value: []byte{2}}), true),
		holds("equal sets of binaries", "#n = :v", item("n", &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}}), names("n"), v(&types.AttributeValueMemberBS{Value: [][]byte{{2}, {1}}}), true),
		holds("sets of another size", "#n = :v", item("n", set("a", "b")), names("n"), v(set("a")), false),
		holds("maps of another size", "#n = :v", item("n", object(item("a", 1))), names("n"), v(object(item("a", 1, "b", 2))), false),
		holds("equal booleans", "#n = :v", item("n", boolean(true)), names("n"), v(boolean(true)), true),
		holds("unequal", "#n <> :v", item("n", "x"), names("n"), v(str("y")), true),
		holds("unequal, other type", "#n <> :v", item("n", "1"), names("n"), v(number("1")), true),
		holds("unequal, absent attribute", "#n <> :v", item(), names("n"), v(str("x")), true),
		holds("below, numbers", "#n < :v", item("n", 9), names("n"), v(number("10")), true),
		holds("below, negative numbers", "#n < :v", item("n", -10), names("n"), v(number("-9.5")), true),
		holds("below, equal", "#n < :v", item("n", 10), names("n"), v(number("10")), false),
		holds("below, strings", "#n < :v", item("n", "9"), names("n"), v(str("10")), false),
		holds("below, absent attribute", "#n < :v", item(), names("n"), v(number("10")), false),
		holds("below, other type", "#n < :v", item("n", "1"), names("n"), v(number("10")), false),
		holds("at most, equal", "#n <= :v", item("n", 10), names("n"), v(number("10")), true),
		holds("at most, above", "#n <= :v", item("n", 11), names("n"), v(number("10")), false),
		holds("above", "#n > :v", item("n", "b"), names("n"), v(str("a")), true),
		holds("above, absent attribute", "#n > :v", item(), names("n"), v(str("a")), false),
		holds("at least", "#n >= :v", item("n", "a"), names("n"), v(str("a")), true),
		holds("two attributes", "#a = #b", item("a", 1, "b", 1), names("a", "b"), nil, true),
		holds("value on the left", ":v < #n", item("n", 11), names("n"), v(number("10")), true),
		holds("between", "#n BETWEEN :v AND :w", item("n", 5), names("n"), attributes{":v": number("5"), ":w": number("9")}, true),
		holds("begins with", "begins_with(#n, :v)", item("n", "abc"), names("n"), v(str("ab")), true),
		holds("and, one false", "#a = :v AND #b = :v", item("a", "x", "b", "y"), names("a", "b"), v(str("x")), false),
		holds("or, one true", "#a = :v OR #b = :v", item("a", "x", "b", "y"), names("a", "b"), v(str("x")), true),
		holds("and binds closer than or", "#a = :v OR #b = :v AND #b = :w", item("a", "x", "b", "y"), names("a", "b"), attributes{":v": str("x"), ":w": str("z")}, true),
		holds("parentheses", "(#a = :v OR #b = :v) AND #b = :w", item("a", "x", "b", "y"), names("a", "b"), attributes{":v": str("x"), ":w": str("z")}, false),
		holds("keywords in small letters", "#a = :v and attribute_exists(#b) or #b = :v", item("a", "x", "b", "y"), names("a", "b"), v(str("x")), true),
		holds("a name without an alias", "plain = :v", item("plain", "x"), nil, v(str("x")), true),
		{
			name:  "condition/put, refused, shows the old item",
			given: []attributes{item("sk", "a", "n", 1)},
			do: func(s *subject) outcome {
				return s.put(&dynamodb.PutItemInput{
					Item: item("sk", "a", "n", 2), ConditionExpression: text("attribute_not_exists(#pk)"),
					ExpressionAttributeNames: names("pk"), ReturnValuesOnConditionCheckFailure: allOld,
				})
			},
			want: outcome{Code: refused, Old: plain{"sk": "a", "n": num("1")}, Stored: []plain{{"sk": "a", "n": num("1")}}},
		},
		{
			name:  "condition/put, refused, shows nothing unasked",
			given: []attributes{item("sk", "a", "n", 1)},
			do: func(s *subject) outcome {
				return s.put(&dynamodb.PutItemInput{
					Item: item("sk", "a", "n", 2), ConditionExpression: text("attribute_not_exists(#pk)"), ExpressionAttributeNames: names("pk"),
				})
			},
			want: outcome{Code: refused, Stored: []plain{{"sk": "a", "n": num("1")}}},
		},
		{
			name: "condition/update of no item, refused, shows none and makes none",
			do: func(s *subject) outcome {
				return s.update(&dynamodb.UpdateItemInput{
					UpdateExpression: text("ADD #n :v"), ConditionExpression: text("attribute_exists(#pk)"),
					ExpressionAttributeNames: names("pk", "n"), ExpressionAttributeValues: v(number("1")),
					ReturnValuesOnConditionCheckFailure: allOld,
				})
			},
			want: outcome{Code: refused, Stored: []plain{}},
		},
		{
			name:  "condition/delete, refused, shows the old item",
			given: []attributes{item("sk", "a", "n", 1)},
			do: func(s *subject) outcome {
				return s.remove(&dynamodb.DeleteItemInput{
					ConditionExpression: text("#n = :v"), ExpressionAttributeNames: names("n"), ExpressionAttributeValues: v(number("2")),
					ReturnValuesOnConditionCheckFailure: allOld,
				})
			},
			want: outcome{Code: refused, Old: plain{"sk": "a", "n": num("1")}, Stored: []plain{{"sk": "a", "n": num("1")}}},
		},
		{
			name: "condition/delete of no item, refused",
			do: func(s *subject) outcome {
				return s.remove(&dynamodb.DeleteItemInput{
					ConditionExpression: text("#n = :v"), ExpressionAttributeNames: names("n"), ExpressionAttributeValues: v(number("2")),
				})
			},
			want: outcome{Code: refused},
		},
		{
			name: "condition/delete of no item, unconditional",
			do:   func(s *subject) outcome { return s.remove(&dynamodb.DeleteItemInput{}) },
			want: outcome{},
		},
	}
}

// updates is a case of an update of the item a.
func updates(name, update string, given attributes, aliases map[string]string, values attributes, want plain) testCase {
	c := testCase{
		name: "update/" + name,
		do: func(s *subject) outcome {
			return s.update(&dynamodb.UpdateItemInput{
				UpdateExpression: &update, ExpressionAttributeNames: aliases, ExpressionAttributeValues: values,
			})
		},
		want: outcome{Stored: []plain{want}},
	}
	if given != nil {
		given["sk"] = str("a")
		c.given = []attributes{given}
	}
	want["sk"] = "a"
	return c
}

func updateCases() []testCase {
	v := func(x types.AttributeValue) attributes { return attributes{":v": x} }
	return []testCase{
		updates("makes the item that is not there", "SET #n = :v", nil, names("n"), v(str("x")), plain{"n": "x"}),
		updates("keeps the other attributes", "SET #n = :v", item("n", "w", "m", 1), names("n"), v(str("x")), plain{"n": "x", "m": num("1")}),
		updates("set if absent, absent", "SET #n = if_not_exists(#n, :v)", item(), names("n"), v(number("0")), plain{"n": num("0")}),
		updates("set if absent, present", "SET #n = if_not_exists(#n, :v)", item("n", 7), names("n"), v(number("0")), plain{"n": num("7")}),
		updates("set from another if it is there", "SET #m = if_not_exists(#n, :v)", item("n", 7), names("n", "m"), v(number("0")), plain{"n": num("7"), "m": num("7")}),
		updates("set to another attribute", "SET #m = #n", item("n", 7), names("n", "m"), nil, plain{"n": num("7"), "m": num("7")}),
		updates("right-hand sides are of the item as it was", "SET #m = #n, #n = #m", item("n", 1, "m", 2), names("n", "m"), nil, plain{"n": num("2"), "m": num("1")}),
		updates("set beside add reads the old number", "SET #m = if_not_exists(#n, :z) ADD #n :v", item("n", 1), names("n", "m"), attributes{":v": number("1"), ":z": number("0")}, plain{"n": num("2"), "m": num("1")}),
		updates("add to a number", "ADD #n :v", item("n", 41), names("n"), v(number("1")), plain{"n": num("42")}),
		updates("add to nothing", "ADD #n :v", item(), names("n"), v(number("1")), plain{"n": num("1")}),
		updates("add a negative number", "ADD #n :v", item("n", 1), names("n"), v(number("-3")), plain{"n": num("-2")}),
		updates("add fractions", "ADD #n :v", item("n", number("0.1")), names("n"), v(number("0.2")), plain{"n": num("0.3")}),
		updates("add to a large number", "ADD #n :v", item("n", number("99999999999999999999")), names("n"), v(number("1")), plain{"n": num("100000000000000000000")}),
		updates("remove", "REMOVE #n, #m", item("n", 1, "o", 2), names("n", "m"), nil, plain{"o": num("2")}),
		updates("remove of no item makes one", "REMOVE #n", nil, names("n"), nil, plain{}),
		updates("all sections, in any order", "REMOVE #o ADD #n :v SET #m = :w", item("n", 1, "o", 2), names("n", "m", "o"), attributes{":v": number("1"), ":w": str("x")}, plain{"n": num("2"), "m": "x"}),
		updates("keywords in small letters", "set #n = :v remove #m", item("m", 1), names("n", "m"), v(str("x")), plain{"n": "x"}),
		updates("an empty string is a value", "SET #n = :v", item(), names("n"), v(str("")), plain{"n": ""}),
		updates("a reserved word by its alias", "SET #value = :v", item(), names("value"), v(str("x")), plain{"value": "x"}),
	}
}

func returnCases() []testCase {
	updated := func(name string, r types.ReturnValue, want plain) testCase {
		return testCase{
			name:  "return values/update, " + name,
			given: []attributes{item("sk", "a", "n", 1, "m", "x", "o", "y")},
			do: func(s *subject) outcome {
				o := s.update(&dynamodb.UpdateItemInput{
					UpdateExpression: text("SET #m = :m ADD #n :n REMOVE #o"), ExpressionAttributeNames: names("n", "m", "o"),
					ExpressionAttributeValues: attributes{":n": number("1"), ":m": str("z")}, ReturnValues: r,
				})
				return o
			},
			want: outcome{Attributes: want},
		}
	}
	return []testCase{
		updated("none", types.ReturnValueNone, nil),
		updated("all old", types.ReturnValueAllOld, plain{"sk": "a", "n": num("1"), "m": "x", "o": "y"}),
		updated("all new", types.ReturnValueAllNew, plain{"sk": "a", "n": num("2"), "m": "z"}),
		updated("updated old", types.ReturnValueUpdatedOld, plain{"n": num("1"), "m": "x", "o": "y"}),
		updated("updated new", types.ReturnValueUpdatedNew, plain{"n": num("2"), "m": "z"}),
		{
			name:  "return values/put, all old",
			given: []attributes{item("sk", "a", "n", 1)},
			do: func(s *subject) outcome {
				return s.put(&dynamodb.PutItemInput{Item: item("sk", "a"), ReturnValues: types.ReturnValueAllOld})
			},
			want: outcome{Attributes: plain{"sk": "a", "n": num("1")}},
		},
		{
			name: "return values/put, all old, of none",
			do: func(s *subject) outcome {
				return s.put(&dynamodb.PutItemInput{Item: item("sk", "a"), ReturnValues: types.ReturnValueAllOld})
			},
			want: outcome{},
		},
		{
			name: "return values/put, all new is refused",
			do: func(s *subject) outcome {
				return s.put(&dynamodb.PutItemInput{Item: item("sk", "a"), ReturnValues: types.ReturnValueAllNew})
			},
			want: outcome{Code: validation, Stored: []plain{}},
		},
		{
			name:  "return values/delete, all old",
			given: []attributes{item("sk", "a", "n", 1)},
			do: func(s *subject) outcome {
				return s.remove(&dynamodb.DeleteItemInput{ReturnValues: types.ReturnValueAllOld})
			},
			want: outcome{Attributes: plain{"sk": "a", "n": num("1")}, Stored: []plain{}},
		},
	}
}

// refusedCases are requests that AWS refuses before it looks at any item.
func refusedCases() []testCase {
	v := func(x types.AttributeValue) attributes { return attributes{":v": x} }
	bad := func(name, update, condition string, aliases map[string]string, values attributes) testCase {
		return testCase{
			name:  "refused/" + name,
			given: []attributes{item("sk", "a", "n", 1)},
			do: func(s *subject) outcome {
				in := &dynamodb.UpdateItemInput{ExpressionAttributeNames: aliases, ExpressionAttributeValues: values}
				if update != "-" {
					in.UpdateExpression = &update
				}
				if condition != "-" {
					in.ConditionExpression = &condition
				}
				return s.update(in)
			},
			want: outcome{Code: validation, Stored: []plain{{"sk": "a", "n": num("1")}}},
		}
	}
	set := "SET #n = :v"
	return []testCase{
		bad("a reserved word in an update", "SET value = :v", "-", nil, v(str("x"))),
		bad("a reserved word in a condition", set, "attribute_exists(ttl)", names("n"), v(str("x"))),
		bad("a reserved word in small letters", set, "schema = :v", names("n"), v(str("x"))),
		bad("an alias that is not used", set, "-", names("n", "m"), v(str("x"))),
		bad("a value that is not used", set, "-", names("n"), attributes{":v": str("x"), ":w": str("y")}),
		bad("an alias that is not defined", set, "-", nil, v(str("x"))),
		bad("a value that is not defined", set, "-", names("n"), nil),
		bad("an empty map of names", "REMOVE n", "-", map[string]string{}, nil),
		bad("an empty map of values", "REMOVE n", "-", nil, attributes{}),
		bad("names without an expression", "-", "-", names("n"), nil),
		bad("values without an expression", "-", "-", nil, v(str("x"))),
		bad("an empty update", "", "-", nil, nil),
		bad("an empty condition", set, "", names("n"), v(str("x"))),
		bad("a path set twice", "SET #n = :v, #n = :v", "-", names("n"), v(str("x"))),
		bad("a path set and removed", "SET #n = :v REMOVE #n", "-", names("n"), v(str("x"))),
		bad("a path under two aliases", "SET #n = :v REMOVE #o", "-", map[string]string{"#n": "n", "#o": "n"}, v(str("x"))),
		bad("a section twice", "SET #n = :v SET #m = :v", "-", names("n", "m"), v(str("x"))),
		bad("the partition key updated", "SET #pk = :v", "-", names("pk"), v(str("x"))),
		bad("the sort key removed", "REMOVE #sk", "-", names("sk"), nil),
		bad("an attribute set to one that is not there", "SET #n = #m", "-", names("n", "m"), nil),
		bad("adding a string", "ADD #n :v", "-", names("n"), v(str("x"))),
		bad("adding to a string", "ADD #sk2 :v, #n :s", "-", map[string]string{"#sk2": "m", "#n": "n"}, attributes{":v": number("1"), ":s": str("x")}),
		bad("comparing with a boolean", set, "#n < :v", names("n"), v(boolean(true))),
		bad("comparing with a map", set, "#n >= :v", names("n"), v(object(item("a", "b")))),
		bad("a prefix that is a number", set, "begins_with(#n, :v)", names("n"), v(number("1"))),
		bad("bounds of BETWEEN the wrong way round", set, "#n BETWEEN :v AND :w", names("n"), attributes{":v": number("2"), ":w": number("1")}),
		bad("bounds of BETWEEN of two types", set, "#n BETWEEN :v AND :w", names("n"), attributes{":v": number("2"), ":w": str("x")}),
		bad("redundant parentheses", set, "((#n = :v))", names("n"), v(str("x"))),
		bad("a condition cut off", set, "#n = :v AND", names("n"), v(str("x"))),
		bad("a parenthesis left open", set, "(#n = :v", names("n"), v(str("x"))),
		bad("two conditions without a word between", set, "#n = :v #n = :v", names("n"), v(str("x"))),
		bad("an unknown function", set, "exists(#n)", names("n"), v(str("x"))),
		bad("an unknown section", "PUT #n = :v", "-", names("n"), v(str("x"))),
		bad("a literal for a value", "SET #n = 1", "-", names("n"), nil),
		bad("attribute_exists of a value", set, "attribute_exists(:v)", names("n"), v(str("x"))),
		bad("an attribute compared with itself", set, "#n = #n", names("n"), v(str("x"))),
		bad("a value of no number", set, "-", names("n"), v(number("x"))),
		bad("a number of 39 digits", set, "-", names("n"), v(number(strings.Repeat("1", 39)))),
		bad("a number too large", set, "-", names("n"), v(number("1e126"))),
		bad("a null that is false", set, "-", names("n"), v(&types.AttributeValueMemberNULL{})),
		bad("an empty set", set, "-", names("n"), v(&types.AttributeValueMemberSS{Value: []string{}})),
		bad("a set with an element twice", set, "-", names("n"), v(&types.AttributeValueMemberSS{Value: []string{"a", "a"}})),
		{
			name:  "refused/adding a number to a string",
			given: []attributes{item("sk", "a", "n", "x")},
			do: func(s *subject) outcome {
				return s.update(&dynamodb.UpdateItemInput{
					UpdateExpression: text("ADD #n :v"), ExpressionAttributeNames: names("n"), ExpressionAttributeValues: v(number("1")),
				})
			},
			want: outcome{Code: validation, Stored: []plain{{"sk": "a", "n": "x"}}},
		},
		{
			name: "refused/a table that is not there",
			do: func(s *subject) outcome {
				o := s.get(&dynamodb.GetItemInput{TableName: text("no-such-table"), Key: s.at("a")})
				return outcome{Code: o.Code}
			},
			want: outcome{Code: "ResourceNotFoundException"},
		},
		{
			name: "refused/a projection that names an attribute twice",
			do: func(s *subject) outcome {
				return s.get(&dynamodb.GetItemInput{Key: s.at("a"), ProjectionExpression: text("#n, #n"), ExpressionAttributeNames: names("n")})
			},
			want: outcome{Code: validation},
		},
		{
			name: "refused/a reserved word in a projection",
			do: func(s *subject) outcome {
				return s.get(&dynamodb.GetItemInput{Key: s.at("a"), ProjectionExpression: text("gsipk, value")})
			},
			want: outcome{Code: validation},
		},
	}
}

func keyCases() []testCase {
	wrong := func(name string, key func(*subject) attributes) testCase {
		return testCase{
			name: "key/get, " + name,
			do:   func(s *subject) outcome { return s.get(&dynamodb.GetItemInput{Key: key(s)}) },
			want: outcome{Code: validation},
		}
	}
	put := func(name string, it func(*subject) attributes) testCase {
		return testCase{
			name: "key/put, " + name,
			do:   func(s *subject) outcome { return s.putAsIs(&dynamodb.PutItemInput{Item: it(s)}) },
			want: outcome{Code: validation, Stored: []plain{}},
		}
	}
	return []testCase{
		wrong("without the sort key", func(s *subject) attributes { return item("pk", s.pk) }),
		wrong("with an attribute more", func(s *subject) attributes { return s.here(item("sk", "a", "n", 1)) }),
		wrong("with another attribute", func(s *subject) attributes { return s.here(item("n", "a")) }),
		wrong("of another type", func(s *subject) attributes { return s.here(item("sk", 1)) }),
		wrong("empty", func(s *subject) attributes { return s.here(item("sk", "")) }),
		put("without the sort key", func(s *subject) attributes { return item("pk", s.pk) }),
		put("without the partition key", func(*subject) attributes { return item("sk", "a") }),
		put("of another type", func(s *subject) attributes { return s.here(item("sk", 1)) }),
		put("empty", func(s *subject) attributes { return s.here(item("sk", "")) }),
		put("empty partition key", func(*subject) attributes { return item("pk", "", "sk", "a") }),
		put("sort key of 1,025 bytes", func(s *subject) attributes { return s.here(item("sk", strings.Repeat("x", 1025))) }),
		put("partition key of 2,049 bytes", func(*subject) attributes { return item("pk", strings.Repeat("x", 2049), "sk", "a") }),
		put("index key of another type", func(s *subject) attributes { return s.here(item("sk", "a", "gsipk", 1)) }),
		put("index key empty", func(s *subject) attributes { return s.here(item("sk", "a", "gsisk", "")) }),
		put("index key null", func(s *subject) attributes { return s.here(item("sk", "a", "gsisk", null())) }),
		put("index key a string for a number", func(s *subject) attributes { return s.here(item("sk", "a", "isk", "1")) }),
		{
			name:  "key/update, index key of another type",
			given: []attributes{item("sk", "a", "gsipk", "own:b", "gsisk", "clean")},
			do: func(s *subject) outcome {
				o := s.update(&dynamodb.UpdateItemInput{
					UpdateExpression: text("SET #gsisk = :v"), ExpressionAttributeNames: names("gsisk"), ExpressionAttributeValues: attributes{":v": number("1")},
				})
				return outcome{Code: o.Code}
			},
			want: outcome{Code: validation},
		},
		{
			name:  "key/update, index key empty",
			given: []attributes{item("sk", "a", "gsipk", "own:b", "gsisk", "clean")},
			do: func(s *subject) outcome {
				o := s.update(&dynamodb.UpdateItemInput{
					UpdateExpression: text("SET #gsisk = :v"), ExpressionAttributeNames: names("gsisk"), ExpressionAttributeValues: attributes{":v": str("")},
				})
				return outcome{Code: o.Code}
			},
			want: outcome{Code: validation},
		},
		{
			name: "key/the longest keys",
			do: func(s *subject) outcome {
				o := s.putAsIs(&dynamodb.PutItemInput{Item: item("pk", strings.Repeat("y", 2048), "sk", strings.Repeat("x", 1024))})
				return outcome{Code: o.Code}
			},
			want: outcome{},
		},
	}
}

func valueCases() []testCase {
	kept := func(name string, v types.AttributeValue, want any) testCase {
		return testCase{
			name:  "value/" + name,
			given: []attributes{item("sk", "a", "n", v)},
			do:    func(s *subject) outcome { return s.get(&dynamodb.GetItemInput{Key: s.at("a"), ConsistentRead: yes()}) },
			want:  outcome{Attributes: plain{"sk": "a", "n": want}},
		}
	}
	sized := func(name string, bytes int, want string) testCase {
		return testCase{
			name: "value/" + name,
			do: func(s *subject) outcome {
				// The names and the keys count too.
				filling := bytes - len("pk"+"sk"+"a"+"n") - len(s.pk)
				o := s.put(&dynamodb.PutItemInput{Item: item("sk", "a", "n", strings.Repeat("x", filling))})
				return outcome{Code: o.Code}
			},
			want: outcome{Code: want},
		}
	}
	return []testCase{
		kept("string", str("ü"), "ü"),
		kept("empty string", str(""), ""),
		kept("number", number("-17"), num("-17")),
		kept("number, zeros trimmed", number("007.50"), num("7.5")),
		kept("number, positive sign", number("+1"), num("1")),
		kept("number, negative zero", number("-0"), num("0")),
		kept("number, small", number("1e-5"), num("0.00001")),
		kept("boolean", boolean(false), false),
		kept("null", null(), nil),
		kept("nested", object(item("l", list(number("1.0"), object(item("x", "y"))))), plain{"l": []any{num("1"), plain{"x": "y"}}}),
		kept("set", set("b", "a"), []string{"a", "b"}),
		kept("set of numbers", &types.AttributeValueMemberNS{Value: []string{"2", "1.5"}}, []string{"1.5", "2"}),
		kept("binary", &types.AttributeValueMemberB{Value: []byte{0, 1, 255}}, []byte{0, 1, 255}),
		kept("set of binaries", &types.AttributeValueMemberBS{Value: [][]byte{{2}, {1, 2}}}, []string{"\x01\x02", "\x02"}),
		sized("an item of 400 KiB", 400<<10, ""),
		sized("an item of 400 KiB and a byte", 400<<10+1, validation),
		{
			name:  "value/an update beyond 400 KiB",
			given: []attributes{item("sk", "a", "n", strings.Repeat("x", 300<<10))},
			do: func(s *subject) outcome {
				o := s.update(&dynamodb.UpdateItemInput{
					UpdateExpression: text("SET #m = :v"), ExpressionAttributeNames: names("m"),
					ExpressionAttributeValues: attributes{":v": str(strings.Repeat("x", 100<<10))},
				})
				return outcome{Code: o.Code}
			},
			want: outcome{Code: validation},
		},
		{
			name:  "value/a projection",
			given: []attributes{item("sk", "a", "n", 1, "value", "x", "o", "y")},
			do: func(s *subject) outcome {
				return s.get(&dynamodb.GetItemInput{Key: s.at("a"), ProjectionExpression: text("n, #value, gone"), ExpressionAttributeNames: names("value")})
			},
			want: outcome{Attributes: plain{"n": num("1"), "value": "x"}},
		},
		{
			name: "value/no item",
			do:   func(s *subject) outcome { return s.get(&dynamodb.GetItemInput{Key: s.at("a")}) },
			want: outcome{},
		},
	}
}
