package simulator_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What the database does with the protocol's writes is what the protocol says of
// them, on which its own explorations rest.
func TestDB_writesAsTheProtocolSays(t *testing.T) {
	_, c := newDB(simulator.Config{})
	store := dynamo.NewStore(c, table)
	random := rand.New(rand.NewPCG(1, 1))
	key := seeding(0).Key()
	at := func() time.Time { return midnight().Now().Add(time.Duration(random.IntN(100)) * time.Minute) }
	ids := []string{"a", "b"}
	id := func() string { return ids[random.IntN(2)] }
	check := func() protocol.Check {
		k := protocol.NewCheck(key, signal.Bucket{Name: bucket, Shards: 4, Checks: signal.DefaultChecks()}, id(), at())
		return k.Read(signal.Item{
			signal.AttrClaimedBy: k.Write().Set[0].Value, signal.AttrClaimedRev: signal.N(int64(random.IntN(4))), signal.AttrGSIPK: signal.S(signal.BucketID(bucket)),
		})
	}
	finish := func(kind protocol.OutcomeKind) protocol.Write {
		return check().Computed(protocol.Outcome{Kind: kind, Value: fmt.Sprint(random.IntN(3)), AsOf: at(), NotBefore: at()}).Write()
	}
	one := seeding(0)
	expired := one.Expiry.Add(time.Duration(random.IntN(100)) * time.Minute)
	items := map[signal.Key]signal.Item{}
	audit := func(value string) protocol.Write {
		item := items[key].Clone()
		if item == nil {
			item = signal.Item{}
		}
		if random.IntN(2) == 0 {
			value = item.Text(signal.AttrValue)
		}
		// What it is now, or what it may have been.
		item[signal.AttrGSISK] = signal.S(signal.Clean)
		delete(item, signal.AttrTTL)
		delete(item, signal.AttrExpiry)
		a, _ := protocol.NewAudit(key, item, at())
		return a.Write(value, at(), at())
	}
	operations := []func() protocol.Write{
		func() protocol.Write {
			s := one
			s.GlobalID, s.Dirty = id(), random.IntN(2) == 0
			return protocol.Seed(s, at())
		},
		func() protocol.Write { return protocol.Flip(key, at()) },
		func() protocol.Write { return protocol.Flip(key, at()) },
		func() protocol.Write { return protocol.Claim(key, id(), at(), time.Minute) },
		func() protocol.Write { return protocol.Claim(key, id(), at(), time.Minute) },
		func() protocol.Write { return finish(protocol.Computed) },
		func() protocol.Write {
			// A flip came in between.
			c := check().Computed(protocol.Outcome{Value: "1", AsOf: at()})
			return c.Refused(signal.Item{signal.AttrClaimedBy: c.Write().If[0].Value, signal.AttrRev: signal.N(99)}).Write()
		},
		func() protocol.Write { return finish(protocol.Fault) },
		func() protocol.Write { return finish(protocol.SourceFault) },
		func() protocol.Write { return finish(protocol.NotStarted) },
		func() protocol.Write {
			change := protocol.Change{Expiry: at()}
			if random.IntN(2) == 0 {
				change.Pattern = &one.Pattern
			}
			return protocol.UpdateBySeeder(key, protocol.Identity{GlobalID: id(), SeededBy: signal.S(one.SeededBy)}, change, at())
		},
		func() protocol.Write {
			return protocol.DeleteBySeeder(key, protocol.Identity{GlobalID: id(), SeededBy: signal.S(one.SeededBy)})
		},
		func() protocol.Write {
			o := protocol.Outcome{Value: fmt.Sprint(random.IntN(3)), AsOf: at(), NotBefore: at()}
			return check().Settling(time.Minute).Computed(o).Write()
		},
		func() protocol.Write { return audit(fmt.Sprint(random.IntN(3))) },
		func() protocol.Write {
			return protocol.Sweep(key, signal.Item{signal.AttrGlobalID: signal.S(id())}, expired)
		},
		func() protocol.Write { return protocol.TakeRun(bucket, id(), at()) },
		func() protocol.Write { return protocol.TakeRunUnnoted(bucket, id(), at()) },
		func() protocol.Write { return protocol.RenewRun(bucket, id(), at()) },
		func() protocol.Write { return protocol.ReleaseRun(bucket, id()) },
		func() protocol.Write {
			return protocol.EndRun(bucket, id(), at(), at(), signal.M(map[string]signal.Value{"seen": signal.N(1)}))
		},
		func() protocol.Write {
			c := protocol.ParseCursor(items[signal.AuditKey(bucket, 0)])
			if random.IntN(2) == 0 {
				c = protocol.Cursor{}
			}
			c.PassStarted, c.Counted, c.Passed = at(), at(), c.Passed+1
			if random.IntN(2) == 0 {
				c.After = key
			}
			w, _ := protocol.Advance(bucket, 0, c)
			return w
		},
	}
	applied := map[protocol.Op]int{}
	refusals := 0
	for i := range 20_000 {
		w := operations[random.IntN(len(operations))]()
		want, does := w.Apply(items[w.Key])
		_, err := store.Write(t.Context(), w)
		old, refused := asRefused(err)
		if err != nil && !refused || refused == does {
			t.Fatalf("write %d, %s: applied %v, the protocol says %v: %v", i, w.Op, err == nil, does, err)
		}
		if refused {
			refusals++
			if diff := cmp.Diff(items[w.Key], old, cmp.Comparer(signal.Value.Equal)); diff != "" {
				t.Fatalf("write %d, %s: the old item: %s", i, w.Op, diff)
			}
			continue
		}
		applied[w.Op]++
		items[w.Key] = want
		got, err := store.Get(t.Context(), w.Key)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(signal.Value.Equal)); diff != "" {
			t.Fatalf("write %d, %s: %s", i, w.Op, diff)
		}
	}
	if len(applied) < 19 || refusals < 1000 {
		t.Errorf("too little was tried: %v applied, %d refused", applied, refusals)
	}
}

// A large partition with its index entries, changed at random, is what a simple
// map says.
func TestDB_againstAMap(t *testing.T) {
	_, c := newDB(simulator.Config{Seed: 3})
	random := rand.New(rand.NewPCG(5, 5))
	bits := map[string]string{}
	for range 12_000 {
		sk := fmt.Sprintf("%05d", random.IntN(4000))
		if random.IntN(3) == 0 {
			delete(bits, sk)
			if _, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: ptr(table), Key: at(sk)}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		bits[sk] = []string{"clean", "dirty"}[random.IntN(2)]
		put(t, c, with(at(sk), "gsipk", "b", "gsisk", bits[sk]))
	}
	var all, dirty []string
	for sk, bit := range bits {
		all = append(all, sk)
		if bit == "dirty" {
			dirty = append(dirty, sk)
		}
	}
	slices.Sort(all)
	slices.Sort(dirty)

	table := &dynamodb.QueryInput{TableName: ptr(table), ConsistentRead: ptr(true), KeyConditionExpression: ptr("pk = :p"), ExpressionAttributeValues: attributes{":p": text("p")}}
	if diff := cmp.Diff(all, pages(t, c, *table, 97)); diff != "" {
		t.Error(diff)
	}
	backwards := *table
	backwards.ScanIndexForward = new(bool)
	got := pages(t, c, backwards, 101)
	slices.Reverse(got)
	if diff := cmp.Diff(all, got); diff != "" {
		t.Error(diff)
	}
	between := *table
	between.KeyConditionExpression = ptr("pk = :p AND sk BETWEEN :a AND :b")
	between.ExpressionAttributeValues = attributes{":p": text("p"), ":a": text("01000"), ":b": text("02000")}
	want := slices.DeleteFunc(slices.Clone(all), func(sk string) bool { return sk < "01000" || sk > "02000" })
	if diff := cmp.Diff(want, pages(t, c, between, 0)); diff != "" {
		t.Error(diff)
	}
	index := &dynamodb.QueryInput{
		TableName: ptr("signals"), IndexName: ptr(simulator.CadenceIndex),
		KeyConditionExpression: ptr("gsipk = :p AND gsisk = :b"), ExpressionAttributeValues: attributes{":p": text("b"), ":b": text("dirty")},
	}
	for _, forward := range []bool{true, false} {
		index.ScanIndexForward = &forward
		got = pages(t, c, *index, 89)
		slices.Sort(got)
		if diff := cmp.Diff(dirty, got); diff != "" {
			t.Error(diff)
		}
	}
}

// pages are the sort keys of all pages of a query.
func pages(t *testing.T, c *simulator.Client, in dynamodb.QueryInput, limit int32) (out []string) {
	t.Helper()
	if limit > 0 {
		in.Limit = &limit
	}
	for {
		page, err := c.Query(t.Context(), &in)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			out = append(out, textOf(it["sk"]))
		}
		if len(page.LastEvaluatedKey) == 0 {
			return out
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
}

func TestDB_pagesByBytes(t *testing.T) {
	_, c := newDB(simulator.Config{PageBytes: 10 << 10})
	for i := range 30 {
		put(t, c, with(at(fmt.Sprintf("%02d", i)), "n", strings.Repeat("x", 1<<10)))
	}
	out, err := c.Query(t.Context(), &dynamodb.QueryInput{TableName: ptr(table), KeyConditionExpression: ptr("pk = :p"), ExpressionAttributeValues: attributes{":p": text("p")}})
	if err != nil || out.Count != 9 || textOf(out.LastEvaluatedKey["sk"]) != "08" {
		t.Errorf("%d items, then %v: %v", out.Count, out.LastEvaluatedKey, err)
	}
}

// A scan in segments, over many partitions, sees every item once.
func TestDB_scan(t *testing.T) {
	_, c := newDB(simulator.Config{})
	want := map[string]int{}
	for i := range 500 {
		key := attributes{"pk": text(fmt.Sprint(i % 100)), "sk": text(fmt.Sprint(i))}
		put(t, c, key)
		want[fmt.Sprint(i)] = 1
	}
	got, largest := map[string]int{}, 0
	for segment := range int32(4) {
		in := &dynamodb.ScanInput{TableName: ptr(table), Limit: ptr(int32(7)), Segment: &segment, TotalSegments: ptr(int32(4))}
		n := 0
		for more := true; more; {
			out, err := c.Scan(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range out.Items {
				got[textOf(it["sk"])]++
				n++
			}
			in.ExclusiveStartKey = out.LastEvaluatedKey
			more = len(out.LastEvaluatedKey) > 0
		}
		largest = max(largest, n)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if largest > 250 {
		t.Errorf("one of four segments has %d of 500 items", largest)
	}
}

// Numbers are compared, ordered as keys and added exactly.
func TestDB_numbers(t *testing.T) {
	db := simulator.New(simulator.Config{})
	db.CreateTable(simulator.Table{Name: table, Hash: simulator.Key{Name: "pk"}, Range: simulator.Key{Name: "sk", Type: types.ScalarAttributeTypeN}})
	c := db.Client("test")
	random := rand.New(rand.NewPCG(9, 9))
	draw := func() string {
		digits := fmt.Sprint(random.Int64N(1 << random.IntN(40)))
		switch random.IntN(4) {
		case 0:
			digits += fmt.Sprintf(".%d", random.Int64N(1000))
		case 1:
			digits += fmt.Sprintf("e%d", random.IntN(12)-6)
		case 2:
			digits = "0.00" + digits
		}
		if random.IntN(2) == 0 {
			digits = "-" + digits
		}
		return digits
	}
	rat := func(s string) *big.Rat {
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q", s)
		}
		return r
	}
	for range 2000 {
		put(t, c, attributes{"pk": text("p"), "sk": number(draw())})
	}
	stored := pages(t, c, dynamodb.QueryInput{TableName: ptr(table), KeyConditionExpression: ptr("pk = :p"), ExpressionAttributeValues: attributes{":p": text("p")}}, 0)
	for i := 1; i < len(stored); i++ {
		if rat(stored[i-1]).Cmp(rat(stored[i])) >= 0 {
			t.Fatalf("%s comes before %s", stored[i-1], stored[i])
		}
	}
	for range 2000 {
		a, b := draw(), draw()
		item := attributes{"pk": text("q"), "sk": number(0), "n": number(a)}
		put(t, c, item)
		out, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: ptr(table), Key: attributes{"pk": item["pk"], "sk": item["sk"]},
			UpdateExpression: ptr("ADD n :b"), ConditionExpression: ptr("n <= :b"), ExpressionAttributeValues: attributes{":b": number(b)},
			ReturnValues: types.ReturnValueAllNew,
		})
		if below := rat(a).Cmp(rat(b)) <= 0; below != (err == nil) {
			t.Fatalf("%s <= %s: %v", a, b, err)
		}
		if err != nil {
			if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); !ok {
				t.Fatal(err)
			}
			continue
		}
		if got, want := rat(textOf(out.Attributes["n"])), new(big.Rat).Add(rat(a), rat(b)); got.Cmp(want) != 0 {
			t.Fatalf("%s + %s = %s", a, b, textOf(out.Attributes["n"]))
		}
	}
}

func TestCreateTable_refusesWhatIsNone(t *testing.T) {
	for name, wrong := range map[string]simulator.Table{
		"no name":              {Hash: simulator.Key{Name: "pk"}},
		"no partition key":     {Name: "t"},
		"an index without one": {Name: "t", Hash: simulator.Key{Name: "pk"}, Indexes: []simulator.Index{{Name: "i"}}},
		"an index twice":       {Name: "t", Hash: simulator.Key{Name: "pk"}, Indexes: []simulator.Index{{Name: "i", Hash: simulator.Key{Name: "a"}}, {Name: "i", Hash: simulator.Key{Name: "b"}}}},
		"nothing to include":   {Name: "t", Hash: simulator.Key{Name: "pk"}, Indexes: []simulator.Index{{Name: "i", Hash: simulator.Key{Name: "a"}, Projection: types.ProjectionTypeInclude}}},
		"one that is there":    {Name: table, Hash: simulator.Key{Name: "pk"}},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := newDB(simulator.Config{})
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			db.CreateTable(wrong)
		})
	}
}
