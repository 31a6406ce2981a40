package conformance_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func days(sk ...string) (out []attributes) {
	for _, k := range sk {
		out = append(out, item("sk", k))
	}
	return out
}

func found(sk ...string) (out []plain) {
	for _, k := range sk {
		out = append(out, plain{"sk": k})
	}
	return out
}

// ofPartition is a query of the case's partition.
func (s *subject) ofPartition(more string, values attributes) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		KeyConditionExpression:    text("#pk = :pk" + more),
		ConsistentRead:            yes(),
		ExpressionAttributeNames:  names("pk"),
		ExpressionAttributeValues: attributes{":pk": str(s.pk)},
	}
	if strings.Contains(more, "#sk") {
		in.ExpressionAttributeNames["#sk"] = "sk"
	}
	maps.Copy(in.ExpressionAttributeValues, values)
	return in
}

func queryCases() []testCase {
	given := days("2026-07-03", "2026-07-01", "2026-07-02", "2026-08-01", "other")
	selects := func(name, more string, values attributes, want ...string) testCase {
		return testCase{
			name: "query/" + name, given: given,
			do:   func(s *subject) outcome { return s.query(s.ofPartition(more, values)) },
			want: outcome{Items: found(want...), Count: int32(len(want)), Scanned: int32(len(want))},
		}
	}
	bad := func(name string, change func(s *subject, in *dynamodb.QueryInput)) testCase {
		return testCase{
			name: "query/refused, " + name, given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				change(s, in)
				return s.query(in)
			},
			want: outcome{Code: validation},
		}
	}
	condition := func(c string) func(*subject, *dynamodb.QueryInput) {
		return func(_ *subject, in *dynamodb.QueryInput) { in.KeyConditionExpression = &c }
	}
	d := func(a string) attributes { return attributes{":a": str(a)} }
	return []testCase{
		selects("all, in order", "", nil, "2026-07-01", "2026-07-02", "2026-07-03", "2026-08-01", "other"),
		selects("one", " AND #sk = :a", d("2026-07-02"), "2026-07-02"),
		selects("none", " AND #sk = :a", d("2026-07-09")),
		selects("between", " AND #sk BETWEEN :a AND :b", attributes{":a": str("2026-07-02"), ":b": str("2026-08-01")}, "2026-07-02", "2026-07-03", "2026-08-01"),
		selects("begins with", " AND begins_with(#sk, :a)", d("2026-07"), "2026-07-01", "2026-07-02", "2026-07-03"),
		selects("below", " AND #sk < :a", d("2026-07-03"), "2026-07-01", "2026-07-02"),
		selects("at most", " AND #sk <= :a", d("2026-07-02"), "2026-07-01", "2026-07-02"),
		selects("above", " AND #sk > :a", d("2026-07-03"), "2026-08-01", "other"),
		selects("at least", " AND #sk >= :a", d("2026-08-01"), "2026-08-01", "other"),
		{
			name: "query/the sort key first", given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition("", d("2026-07-02"))
				in.KeyConditionExpression, in.ExpressionAttributeNames = text("#sk = :a AND #pk = :pk"), names("pk", "sk")
				return s.query(in)
			},
			want: outcome{Items: found("2026-07-02"), Count: 1, Scanned: 1},
		},
		{
			name: "query/in parentheses", given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition("", d("2026-07-02"))
				in.KeyConditionExpression, in.ExpressionAttributeNames = text("(#pk = :pk) AND (#sk = :a)"), names("pk", "sk")
				return s.query(in)
			},
			want: outcome{Items: found("2026-07-02"), Count: 1, Scanned: 1},
		},
		{
			name: "query/backwards", given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition(" AND #sk BETWEEN :a AND :b", attributes{":a": str("2026-07-02"), ":b": str("2026-08-01")})
				in.ScanIndexForward = new(bool)
				return s.query(in)
			},
			want: outcome{Items: found("2026-08-01", "2026-07-03", "2026-07-02"), Count: 3, Scanned: 3},
		},
		{
			name: "query/a limit ends the page", given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				in.Limit = limit(2)
				return s.query(in)
			},
			want: outcome{Items: found("2026-07-01", "2026-07-02"), Count: 2, Scanned: 2, More: true},
		},
		{
			name: "query/a limit of just as many leaves it open whether there are more", given: days("a", "b"),
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				in.Limit = limit(2)
				return s.query(in)
			},
			want: outcome{Items: found("a", "b"), Count: 2, Scanned: 2, More: true},
		},
		{
			name: "query/all pages", given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				in.Limit = limit(2)
				return s.everything(in)
			},
			want: outcome{Items: found("2026-07-01", "2026-07-02", "2026-07-03", "2026-08-01", "other"), Count: 5, Scanned: 5, More: true},
		},
		{
			name: "query/all pages backwards", given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				in.Limit, in.ScanIndexForward = limit(2), new(bool)
				return s.everything(in)
			},
			want: outcome{Items: found("other", "2026-08-01", "2026-07-03", "2026-07-02", "2026-07-01"), Count: 5, Scanned: 5, More: true},
		},
		{
			name: "query/goes on after an item that has gone", given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				in.ExclusiveStartKey = s.at("2026-07-02x")
				return s.query(in)
			},
			want: outcome{Items: found("2026-07-03", "2026-08-01", "other"), Count: 3, Scanned: 3},
		},
		{
			name: "query/a filter is applied after reading", given: []attributes{item("sk", "a", "n", 1), item("sk", "b", "n", 2), item("sk", "c")},
			do: func(s *subject) outcome {
				in := s.ofPartition("", attributes{":n": number("2")})
				in.FilterExpression = text("#n >= :n")
				in.ExpressionAttributeNames["#n"] = "n"
				return s.query(in)
			},
			want: outcome{Items: []plain{{"sk": "b", "n": num("2")}}, Count: 1, Scanned: 3},
		},
		{
			name: "query/only a count", given: given,
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				in.Select = types.SelectCount
				return s.query(in)
			},
			want: outcome{Count: 5, Scanned: 5},
		},
		{
			name: "query/a projection", given: []attributes{item("sk", "a", "n", 1, "m", 2)},
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				in.ProjectionExpression = text("m")
				return s.query(in)
			},
			want: outcome{Items: []plain{{"m": num("2")}}, Count: 1, Scanned: 1},
		},
		{
			name: "query/a page ends at a MiB",
			given: func() (out []attributes) {
				for i := range 4 {
					out = append(out, item("sk", fmt.Sprint(i), "n", strings.Repeat("x", 300<<10)))
				}
				return out
			}(),
			do: func(s *subject) outcome {
				o := s.query(s.ofPartition("", nil))
				return outcome{Count: o.Count, More: o.More}
			},
			want: outcome{Count: 3, More: true},
		},
		bad("no condition on the partition key", func(_ *subject, in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeNames = text("#sk = :pk"), names("sk")
		}),
		bad("a partition key below", condition("#pk < :pk")),
		bad("a partition key that begins", condition("begins_with(#pk, :pk)")),
		bad("a condition on another attribute", func(_ *subject, in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeNames = text("#pk = :pk AND #n = :pk"), names("pk", "n")
		}),
		bad("OR", func(_ *subject, in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeNames = text("#pk = :pk OR #sk = :pk"), names("pk", "sk")
		}),
		bad("a sort key unequal", func(_ *subject, in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeNames = text("#pk = :pk AND #sk <> :pk"), names("pk", "sk")
		}),
		bad("the sort key twice", func(_ *subject, in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeNames = text("#pk = :pk AND #sk < :pk AND #sk > :pk"), names("pk", "sk")
		}),
		bad("a value of another type", func(_ *subject, in *dynamodb.QueryInput) {
			in.ExpressionAttributeValues = attributes{":pk": number("1")}
		}),
		bad("an empty partition key", func(_ *subject, in *dynamodb.QueryInput) {
			in.ExpressionAttributeValues = attributes{":pk": str("")}
		}),
		bad("redundant parentheses", condition("((#pk = :pk))")),
		bad("a filter on the key", func(_ *subject, in *dynamodb.QueryInput) {
			in.FilterExpression, in.ExpressionAttributeNames = text("#sk = :pk"), names("pk", "sk")
		}),
		bad("a limit of none", func(_ *subject, in *dynamodb.QueryInput) { in.Limit = limit(0) }),
		bad("no condition", func(_ *subject, in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues = nil, nil, nil
		}),
		bad("a start in another partition", func(_ *subject, in *dynamodb.QueryInput) {
			in.ExclusiveStartKey = item("pk", "elsewhere", "sk", "a")
		}),
		bad("a start outside the range", func(s *subject, in *dynamodb.QueryInput) {
			in.KeyConditionExpression, in.ExpressionAttributeNames = text("#pk = :pk AND #sk >= :a"), names("pk", "sk")
			in.ExpressionAttributeValues[":a"] = str("2026-08-01")
			in.ExclusiveStartKey = s.at("2026-07-01")
		}),
		bad("a start without a sort key", func(s *subject, in *dynamodb.QueryInput) {
			in.ExclusiveStartKey = item("pk", s.pk)
		}),
		{
			name: "query/refused, an index that is not there",
			do: func(s *subject) outcome {
				in := s.ofPartition("", nil)
				in.IndexName, in.ConsistentRead = text("no-such-index"), nil
				return s.query(in)
			},
			want: outcome{Code: validation, Message: "specified index"},
		},
	}
}

func limit(n int32) *int32 { return &n }

// ofIndex is a query of the cadence index, in a partition of the case's own.
func (s *subject) ofIndex(index, hash, partition string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		IndexName: &index, KeyConditionExpression: text("#h = :h"),
		ExpressionAttributeNames:  map[string]string{"#h": hash},
		ExpressionAttributeValues: attributes{":h": str(s.own(partition))},
	}
}

func (s *subject) dirty(partition string) *dynamodb.QueryInput {
	in := s.ofIndex(cadenceIndex, "gsipk", partition)
	in.KeyConditionExpression = text("#h = :h AND #s = :s")
	in.ExpressionAttributeNames["#s"] = "gsisk"
	in.ExpressionAttributeValues[":s"] = str("dirty")
	return in
}

// indexed is an outcome without the keys that are the case's own.
func indexed(o outcome) outcome {
	for _, it := range o.Items {
		for _, name := range []string{"gsipk", "globalId", "ipk"} {
			if _, ok := it[name]; ok {
				it[name] = "own"
			}
		}
	}
	slices.SortStableFunc(o.Items, func(a, b plain) int { return strings.Compare(fmt.Sprint(a["sk"]), fmt.Sprint(b["sk"])) })
	return o
}

func indexCases() []testCase {
	two := []attributes{
		item("sk", "a", "gsipk", "own:b", "gsisk", "dirty", "dirtySince", "x", "value", "high"),
		item("sk", "b", "gsipk", "own:b", "gsisk", "clean"),
		item("sk", "c", "gsipk", "own:b", "gsisk", "dirty", "ttl", 7),
		item("sk", "d", "gsipk", "own:other", "gsisk", "dirty"),
		item("sk", "e", "gsisk", "dirty"),
		item("sk", "f", "gsipk", "own:b"),
	}
	entry := func(sk string, more plain) plain {
		out := plain{"sk": sk, "gsipk": "own", "gsisk": "dirty"}
		maps.Copy(out, more)
		return out
	}
	return []testCase{
		{
			name: "index/entries of a key, with what is projected", given: two, waits: true,
			do:   func(s *subject) outcome { return indexed(s.query(s.dirty("b"))) },
			want: outcome{Items: []plain{entry("a", plain{"dirtySince": "x"}), entry("c", plain{"ttl": num("7")})}, Count: 2, Scanned: 2},
		},
		{
			name: "index/in order of its sort key", waits: true,
			given: []attributes{item("sk", "a", "ipk", "own:i", "isk", 10), item("sk", "b", "ipk", "own:i", "isk", 9), item("sk", "c", "ipk", "own:i", "isk", -1)},
			do: func(s *subject) outcome {
				o := s.query(s.ofIndex(allIndex, "ipk", "i"))
				out := outcome{}
				for _, it := range o.Items {
					out.Items = append(out.Items, plain{"isk": it["isk"]})
				}
				return out
			},
			want: outcome{Items: []plain{{"isk": num("-1")}, {"isk": num("9")}, {"isk": num("10")}}},
		},
		{
			name: "index/everything is projected", waits: true,
			given: []attributes{item("sk", "a", "ipk", "own:i", "isk", 1, "n", "x", "value", "high")},
			do:    func(s *subject) outcome { return indexed(s.query(s.ofIndex(allIndex, "ipk", "i"))) },
			want:  outcome{Items: []plain{{"sk": "a", "ipk": "own", "isk": num("1"), "n": "x", "value": "high"}}, Count: 1, Scanned: 1},
		},
		{
			name: "index/keys alone are projected", waits: true,
			given: []attributes{item("sk", "a", "globalId", "own:g", "n", "x")},
			do:    func(s *subject) outcome { return indexed(s.query(s.ofIndex(globalIDIndex, "globalId", "g"))) },
			want:  outcome{Items: []plain{{"sk": "a", "globalId": "own"}}, Count: 1, Scanned: 1},
		},
		{
			name: "index/all pages of one sort key", waits: true,
			given: func() (out []attributes) {
				for i := range 7 {
					out = append(out, item("sk", fmt.Sprint(i), "gsipk", "own:b", "gsisk", "dirty"))
				}
				return out
			}(),
			do: func(s *subject) outcome {
				in := s.dirty("b")
				in.Limit = limit(3)
				o := indexed(s.everything(in))
				return outcome{Items: o.Items, Count: o.Count}
			},
			want: outcome{Count: 7, Items: []plain{entry("0", nil), entry("1", nil), entry("2", nil), entry("3", nil), entry("4", nil), entry("5", nil), entry("6", nil)}},
		},
		{
			name: "index/an entry moves with its key", given: two,
			do: func(s *subject) outcome {
				for _, sk := range []string{"a", "c"} {
					if o := s.update(&dynamodb.UpdateItemInput{
						Key: s.at(sk), UpdateExpression: text("SET #gsisk = :v"), ExpressionAttributeNames: names("gsisk"),
						ExpressionAttributeValues: attributes{":v": str("clean")},
					}); o.Code != "" {
						return o
					}
				}
				return s.eventually(func() outcome { return s.query(s.dirty("b")) }, func(o outcome) bool { return o.Count == 0 })
			},
			want: outcome{},
		},
		{
			name: "index/an entry goes with its item", given: two,
			do: func(s *subject) outcome {
				for _, sk := range []string{"a", "c"} {
					if o := s.remove(&dynamodb.DeleteItemInput{Key: s.at(sk)}); o.Code != "" {
						return o
					}
				}
				return s.eventually(func() outcome { return s.query(s.dirty("b")) }, func(o outcome) bool { return o.Count == 0 })
			},
			want: outcome{},
		},
		{
			name: "index/a projection", given: two, waits: true,
			do: func(s *subject) outcome {
				in := s.dirty("b")
				in.ProjectionExpression = text("sk, #ttl")
				in.ExpressionAttributeNames["#ttl"] = "ttl"
				return indexed(s.query(in))
			},
			want: outcome{Items: []plain{{"sk": "a"}, {"sk": "c", "ttl": num("7")}}, Count: 2, Scanned: 2},
		},
		{
			name: "index/refused, an attribute that is not projected", given: two,
			do: func(s *subject) outcome {
				in := s.dirty("b")
				in.ProjectionExpression = text("#value")
				in.ExpressionAttributeNames["#value"] = "value"
				return s.query(in)
			},
			want: outcome{Code: validation},
		},
		{
			name: "index/refused, all attributes where not all are projected",
			do: func(s *subject) outcome {
				in := s.dirty("b")
				in.Select = types.SelectAllAttributes
				return s.query(in)
			},
			want: outcome{Code: validation},
		},
		{
			name: "index/refused, a consistent read",
			do: func(s *subject) outcome {
				in := s.dirty("b")
				in.ConsistentRead = yes()
				return s.query(in)
			},
			want: outcome{Code: validation},
		},
		{
			name: "index/refused, the table's key",
			do: func(s *subject) outcome {
				in := s.ofIndex(cadenceIndex, "pk", "b")
				return s.query(in)
			},
			want: outcome{Code: validation},
		},
	}
}

// eventually asks again until the answer is good, or patience ends.
func (s *subject) eventually(ask func() outcome, good func(outcome) bool) outcome {
	for range 40 {
		if o := ask(); o.Code != "" || good(o) {
			return o
		}
		s.pause()
	}
	return ask()
}

func scanCases() []testCase {
	given := days("a", "b", "c", "d", "e")
	filtered := func(s *subject) *dynamodb.ScanInput {
		return &dynamodb.ScanInput{
			TableName: &s.table, ConsistentRead: yes(),
			FilterExpression:         text("#pk = :pk"),
			ExpressionAttributeNames: names("pk"), ExpressionAttributeValues: attributes{":pk": str(s.pk)},
		}
	}
	all := func(s *subject, in *dynamodb.ScanInput) outcome {
		var all outcome
		for {
			out, err := s.api.Scan(s.Context(), in)
			if err != nil {
				return failure(err)
			}
			all.Items = append(all.Items, plainItems(out.Items)...)
			if len(out.LastEvaluatedKey) == 0 {
				return indexed(all)
			}
			in.ExclusiveStartKey = out.LastEvaluatedKey
		}
	}
	return []testCase{
		{
			name: "scan/filtered", given: given,
			do:   func(s *subject) outcome { return all(s, filtered(s)) },
			want: outcome{Items: found("a", "b", "c", "d", "e")},
		},
		{
			name: "scan/all pages", given: given,
			do: func(s *subject) outcome {
				in := filtered(s)
				in.Limit = limit(7)
				return all(s, in)
			},
			want: outcome{Items: found("a", "b", "c", "d", "e")},
		},
		{
			name: "scan/in segments", given: given,
			do: func(s *subject) outcome {
				var both outcome
				for segment := range int32(2) {
					in := filtered(s)
					in.Segment, in.TotalSegments = &segment, limit(2)
					both.Items = append(both.Items, all(s, in).Items...)
				}
				return indexed(both)
			},
			want: outcome{Items: found("a", "b", "c", "d", "e")},
		},
		{
			name: "scan/of an index", waits: true,
			given: []attributes{item("sk", "a", "globalId", "own:g"), item("sk", "b", "globalId", "own:h"), item("sk", "c")},
			do: func(s *subject) outcome {
				in := filtered(s)
				in.IndexName, in.ConsistentRead = text(globalIDIndex), nil
				return all(s, in)
			},
			want: outcome{Items: []plain{{"sk": "a", "globalId": "own"}, {"sk": "b", "globalId": "own"}}},
		},
		{
			name: "scan/refused, a segment too many",
			do: func(s *subject) outcome {
				in := filtered(s)
				in.Segment, in.TotalSegments = limit(2), limit(2)
				return all(s, in)
			},
			want: outcome{Code: validation},
		},
	}
}
