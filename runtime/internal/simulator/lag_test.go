package simulator_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

func midnight() *simulator.ManualClock {
	return simulator.NewClock(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC))
}

func setBit(t testing.TB, c *simulator.Client, sk, bit string) {
	t.Helper()
	if _, err := c.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: ptr(table), Key: at(sk), UpdateExpression: ptr("SET gsisk = :b"), ExpressionAttributeValues: attributes{":b": text(bit)},
	}); err != nil {
		t.Fatal(err)
	}
}

func count(t testing.TB, c *simulator.Client, bit string) int {
	t.Helper()
	return len(list(t, c, "b", bit))
}

func TestIndexLag_showsChangesLate(t *testing.T) {
	clock := midnight()
	_, c := newDB(simulator.Config{Clock: clock, IndexLag: simulator.Fixed(time.Minute)})
	put(t, c, with(at("a"), "gsipk", "b", "gsisk", "clean"))
	clock.Advance(time.Minute)
	setBit(t, c, "a", "dirty")
	if got := textOf(get(t, c, at("a"))["gsisk"]); got != "dirty" {
		t.Errorf("the table says %s", got)
	}
	clock.Advance(time.Minute - 1)
	if clean, dirty := count(t, c, "clean"), count(t, c, "dirty"); clean != 1 || dirty != 0 {
		t.Errorf("before its time the index has %d clean and %d dirty", clean, dirty)
	}
	clock.Advance(1)
	if clean, dirty := count(t, c, "clean"), count(t, c, "dirty"); clean != 0 || dirty != 1 {
		t.Errorf("in time the index has %d clean and %d dirty", clean, dirty)
	}
	if _, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: ptr(table), Key: at("a")}); err != nil {
		t.Fatal(err)
	}
	if count(t, c, "dirty") != 1 {
		t.Error("what was deleted has gone from the index at once")
	}
	clock.Advance(time.Minute)
	if count(t, c, "dirty") != 0 {
		t.Error("what was deleted stays in the index")
	}
}

// The two entries of an item whose key changes come and go by themselves: a query
// may find it twice, or not at all, and never stays wrong.
func TestIndexLag_ghosts(t *testing.T) {
	seen := map[[2]int]bool{}
	for seed := range uint64(40) {
		clock := midnight()
		db, c := newDB(simulator.Config{Seed: seed, Clock: clock, IndexLag: simulator.Between(0, time.Minute)})
		put(t, c, with(at("a"), "gsipk", "b", "gsisk", "clean"))
		clock.Advance(time.Minute)
		setBit(t, c, "a", "dirty")
		for range 60 {
			seen[[2]int{count(t, c, "clean"), count(t, c, "dirty")}] = true
			clock.Advance(time.Second)
		}
		if clean, dirty := count(t, c, "clean"), count(t, c, "dirty"); clean != 0 || dirty != 1 {
			t.Fatalf("seed %d: in the end the index has %d clean and %d dirty", seed, clean, dirty)
		}
		setBit(t, c, "a", "clean")
		db.Settle()
		if clean, dirty := count(t, c, "clean"), count(t, c, "dirty"); clean != 1 || dirty != 0 {
			t.Fatalf("seed %d: settled, the index has %d clean and %d dirty", seed, clean, dirty)
		}
	}
	for _, state := range [][2]int{{1, 0}, {0, 1}, {0, 0}, {1, 1}} {
		if !seen[state] {
			t.Errorf("never saw %d clean and %d dirty", state[0], state[1])
		}
	}
}

// Changes of one entry do not overtake each other.
func TestIndexLag_lastChangeWins(t *testing.T) {
	for seed := range uint64(50) {
		clock := midnight()
		_, c := newDB(simulator.Config{Seed: seed, Clock: clock, IndexLag: simulator.Between(0, time.Minute)})
		random := rand.New(rand.NewPCG(seed, 0))
		last := ""
		for i := range 20 {
			last = fmt.Sprint(i)
			put(t, c, with(at("a"), "gsipk", "b", "gsisk", []string{"clean", "dirty"}[random.IntN(2)], "dirtySince", last))
			clock.Advance(time.Duration(random.Int64N(int64(30 * time.Second))))
		}
		clock.Advance(2 * time.Minute)
		bit := textOf(get(t, c, at("a"))["gsisk"])
		out := list(t, c, "b", bit)
		if len(out) != 1 || textOf(out[0]["dirtySince"]) != last {
			t.Fatalf("seed %d: the index has %v, the last was %s", seed, out, last)
		}
	}
}

func list(t testing.TB, c *simulator.Client, partition, bit string) []attributes {
	t.Helper()
	out, err := c.Query(t.Context(), &dynamodb.QueryInput{
		TableName: ptr(table), IndexName: ptr(simulator.CadenceIndex),
		KeyConditionExpression: ptr("gsipk = :p AND gsisk = :b"), ExpressionAttributeValues: attributes{":p": text(partition), ":b": text(bit)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Items
}

// Entries of one sort key come in an order that says nothing.
func TestIndex_orderOfOneSortKeyIsArbitrary(t *testing.T) {
	order := func(seed uint64) (out []string) {
		_, c := newDB(simulator.Config{Seed: seed})
		for i := range 8 {
			put(t, c, with(at(fmt.Sprint(i)), "gsipk", "b", "gsisk", "dirty"))
		}
		for _, it := range list(t, c, "b", "dirty") {
			out = append(out, textOf(it["sk"]))
		}
		return out
	}
	if slices.Equal(order(1), order(2)) || !slices.Equal(order(1), order(1)) {
		t.Errorf("orders %v, %v, %v", order(1), order(2), order(1))
	}
}

func TestReadLag_staleReads(t *testing.T) {
	clock := midnight()
	_, c := newDB(simulator.Config{Clock: clock, ReadLag: simulator.Fixed(time.Second)})
	set := func(n int) { put(t, c, with(at("a"), "n", n)) }
	stale := func() string {
		out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: ptr(table), Key: at("a")})
		if err != nil {
			t.Fatal(err)
		}
		return textOf(out.Item["n"])
	}
	seen := func() []string {
		values := map[string]bool{}
		for range 100 {
			values[stale()] = true
			if got := textOf(get(t, c, at("a"))["n"]); got == "" {
				t.Fatal("a consistent read is stale")
			}
		}
		out := []string{}
		for v := range values {
			out = append(out, v)
		}
		slices.Sort(out)
		return out
	}
	set(1)
	if got := seen(); !slices.Equal(got, []string{"", "1"}) {
		t.Errorf("just after it was made, reads saw %q", got)
	}
	clock.Advance(2 * time.Second)
	set(2)
	set(3)
	if got := seen(); !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("just after two changes, reads saw %q", got)
	}
	clock.Advance(2 * time.Second)
	if got := seen(); !slices.Equal(got, []string{"3"}) {
		t.Errorf("later, reads saw %q", got)
	}
	if _, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: ptr(table), Key: at("a")}); err != nil {
		t.Fatal(err)
	}
	query := func() int32 {
		out, err := c.Query(t.Context(), &dynamodb.QueryInput{TableName: ptr(table), KeyConditionExpression: ptr("pk = :p"), ExpressionAttributeValues: attributes{":p": text("p")}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Count
	}
	found := map[int32]bool{}
	for range 100 {
		found[query()] = true
	}
	if !found[0] || !found[1] {
		t.Errorf("just after the deletion, queries found %v", found)
	}
	clock.Advance(2 * time.Second)
	if got := query(); got != 0 {
		t.Errorf("later, a query found %d", got)
	}
}

// What stale reads may still see of an item that is deleted again and again does not
// take the one with it that has come back.
func TestReadLag_deletedTwiceAndBack(t *testing.T) {
	clock := midnight()
	_, c := newDB(simulator.Config{Clock: clock, ReadLag: simulator.Fixed(time.Second)})
	for range 2 {
		put(t, c, with(at("a"), "gsipk", "b", "gsisk", "dirty"))
		if _, err := c.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: ptr(table), Key: at("a")}); err != nil {
			t.Fatal(err)
		}
		clock.Advance(3 * time.Minute)
	}
	put(t, c, with(at("a"), "gsipk", "b", "gsisk", "dirty"))
	for range 10 {
		clock.Advance(time.Minute)
		if get(t, c, at("a")) == nil {
			t.Fatalf("gone at %s, though nobody has deleted it", clock.Now().Format(time.TimeOnly))
		}
	}
}
