package dynamo_test

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Every test of a condition is rendered as what it says: the simulated
// database and the protocol's own evaluation agree on each side of each bound.
func TestStore_conditionsAreThoseOfTheProtocol(t *testing.T) {
	t.Parallel()
	// Where the SDK may repeat what was applied, an addition is no measure.
	e := newSimulated()
	item := signal.Item{"pk": signal.S("conditions"), "sk": signal.S("x"), "n": signal.N(5), "s": signal.S("m")}
	key := signal.Key{PK: "conditions", SK: "x"}
	for _, test := range []protocol.Test{protocol.Exists, protocol.Absent, protocol.Equal, protocol.Below, protocol.AtMost, protocol.Above} {
		for _, attr := range []string{"n", "s", "none"} {
			for _, value := range []signal.Value{signal.N(4), signal.N(5), signal.N(6), signal.S("l"), signal.S("m"), signal.S("n")} {
				c := protocol.Cond{Test: test, Attr: attr, Value: value}
				for _, c := range []protocol.Cond{c, {Test: protocol.AnyOf, Any: []protocol.Cond{{Test: protocol.Absent, Attr: "pk"}, c}}} {
					e.put(t, item)
					w := protocol.Write{
						Op: "test", Key: key, If: []protocol.Cond{c, {Test: protocol.Exists, Attr: "pk"}},
						Set:    []protocol.Assignment{{Attr: "set", Value: signal.N(1)}, {Attr: "copy", From: "n", Value: signal.N(0)}, {Attr: "fallback", From: "none", Value: signal.N(7)}},
						Add:    []protocol.Addition{{Attr: "n", By: 1}, {Attr: "new", By: 2}},
						Remove: []string{"s", "none"},
					}
					want, applied := w.Apply(item)
					_, err := e.store.Write(t.Context(), w)
					if applied != (err == nil) || err != nil && !errors.Is(err, dynamo.ErrRefused) {
						t.Errorf("%+v of %v: %v, want applied %t", c, item, err, applied)
					}
					if diff := cmp.Diff(want, e.item(t, key)); diff != "" {
						t.Errorf("%+v (-want +got):\n%s", c, diff)
					}
				}
			}
		}
	}
}

// A count is of all pages, and reads no attributes; a query goes on after an entry.
func TestStore_countsAndGoesOn(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i := range 5 {
		e.write(t, protocol.Seed(seeding(july.AddDays(i)), now))
	}
	store := dynamo.NewStore(e, e.table)
	q := dynamo.Query{Hash: "pk", Partition: camp.PK(), Limit: 2, Attrs: []string{"sk"}}
	var requests []*dynamodb.QueryInput
	e.query = func(in *dynamodb.QueryInput) { requests = append(requests, in) }
	n, err := store.Count(t.Context(), q)
	if err != nil || n != 5 || len(requests) != 3 {
		t.Errorf("%d in %d pages, %v; want 5 in 3", n, len(requests), err)
	}
	for _, in := range requests {
		if in.Select != "COUNT" || in.ProjectionExpression != nil || aws.ToInt32(in.Limit) != 2 {
			t.Errorf("select %q, projection %v, limit %v", in.Select, in.ProjectionExpression, in.Limit)
		}
	}
	q.After = signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S(july.AddDays(2).String())}
	var got []string
	for item, err := range store.Query(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, item.Text("sk"))
	}
	if diff := cmp.Diff([]string{"2026-07-04", "2026-07-05"}, got); diff != "" {
		t.Errorf("after the third (-want +got):\n%s", diff)
	}
	if n, err := store.Count(t.Context(), q); n != 2 || err != nil {
		t.Errorf("%d after the third, %v", n, err)
	}
}

// What is no signal, or has expired by its expiry alone, does not keep a bucket.
func TestGuard_countsSignalsAlone(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.write(t, protocol.Seed(seeding(july), now))
	foreign, past := protocol.Seed(seeding(july.AddDays(1)), now).Item, protocol.Seed(seeding(july.AddDays(2)), now).Item
	foreign["schema"] = signal.S("calendarEntry")
	past["expiry"] = signal.S(signal.FormatInstant(now.Add(-time.Hour)))
	e.put(t, foreign)
	e.put(t, past)
	keys, more, err := dynamo.NewGuard(e.store, cadenceIndex).Find(t.Context(), "5min", now, 10)
	if diff := cmp.Diff([]signal.Key{campOn(july).Key()}, keys); diff != "" || more || err != nil {
		t.Errorf("%t, %v (-want +got):\n%s", more, err, diff)
	}
}

// A bucket that is registered anew while it is deleted is left alone.
func TestRegistry_deletesItsOwnAlone(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	b := bucket("5min", "one")
	if err := dynamo.NewRegistry(e.store).Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	e.set(fault{"DeleteItem", 1, before(func() { e.put(t, bucket("5min", "another").Item()) })})
	if err := dynamo.NewRegistry(dynamo.NewStore(e, e.table)).Delete(t.Context(), b); err != nil {
		t.Error(err)
	}
	if item := e.item(t, signal.RegistryKey("5min")); item.Text("globalId") != "another" {
		t.Errorf("there is %v", item)
	}
	e.set(fault{"DeleteItem", 1, fail(errLost)})
	if err := dynamo.NewRegistry(dynamo.NewStore(e, e.table)).Delete(t.Context(), bucket("5min", "another")); !errors.Is(err, dynamo.ErrUnknown) {
		t.Errorf("no answer: %v", err)
	}
}

// A deletion in a batch asks what the protocol's own asks.
func TestStatement_deletion(t *testing.T) {
	t.Parallel()
	key := campOn(july).Key()
	for name, tt := range map[string]struct {
		id   protocol.Identity
		want string
		n    int
	}{
		"its own": {
			protocol.Identity{GlobalID: "one", SeededBy: signal.S("stream")},
			`DELETE FROM "park" WHERE "pk" = ? AND "sk" = ? AND "schema" = ? AND "globalId" = ? AND "seededBy" = ?`, 5,
		},
		"nobody's": {
			protocol.Identity{GlobalID: "one"},
			`DELETE FROM "park" WHERE "pk" = ? AND "sk" = ? AND "schema" = ? AND "globalId" = ? AND "seededBy" IS MISSING`, 4,
		},
	} {
		s := dynamo.Statement("park", protocol.DeleteBySeeder(key, tt.id))
		if *s.Statement != tt.want || len(s.Parameters) != tt.n {
			t.Errorf("%s: %s, with %d parameters", name, *s.Statement, len(s.Parameters))
		}
	}
}

// Whose an item is cannot be told where what says so is no text.
func TestSteward_looksOddAtOddItems(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	steward := dynamo.NewSteward(e, e.table, "stream", clock, zeros{})
	for attr, want := range map[string]string{"globalId": "its globalId is no text", "seededBy": "its seededBy is no text", "value": ""} {
		item := protocol.Seed(seeding(july), now).Item
		item[attr] = signal.N(1)
		e.put(t, item)
		is, ok, err := steward.Look(t.Context(), campOn(july))
		if is.Odd != want || is.Nobodys() || !is.Signal || !ok || err != nil {
			t.Errorf("%s: %+v, %t, %v", attr, is, ok, err)
		}
	}
	if is, ok, err := steward.Look(t.Context(), campOn(july.AddDays(1))); ok || err != nil {
		t.Errorf("nothing: %+v, %v", is, err)
	}
	e.set(fault{"GetItem", 1, fail(errLost)})
	if _, _, err := steward.Look(t.Context(), campOn(july)); !errors.Is(err, dynamo.ErrUnknown) {
		t.Errorf("no answer: %v", err)
	}
}

// Tiers count only where they are used.
func TestSamePattern(t *testing.T) {
	t.Parallel()
	other := tiered
	other.Tiers = append(other.Tiers[:0:0], other.Tiers...)
	other.Tiers[0].Label = "None left"
	exactWithTiers := exact
	exactWithTiers.Tiers = tiered.Tiers
	for name, tt := range map[string]struct {
		a, b signal.Pattern
		want bool
	}{
		"exact":                        {exact, exact, true},
		"exact, tiers of no use":       {exact, exactWithTiers, true},
		"tiered":                       {tiered, tiered, true},
		"tiered, with other labels":    {tiered, other, false},
		"another mode":                 {exact, tiered, false},
		"another mode, the same tiers": {exactWithTiers, tiered, false},
	} {
		if got := dynamo.SamePattern(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestSeeder_idsAreUUIDs(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	steward := dynamo.NewSteward(e, e.table, "stream", clock, zeros{})
	b, err := steward.Bucket(t.Context(), "5min")
	if err != nil {
		t.Fatal(err)
	}
	terms := dynamo.Terms{Bucket: "5min", Pattern: exact, Expiry: signal.Expiry(july, time.UTC)}
	if err := steward.Seed(t.Context(), campOn(july), terms, b); err != nil {
		t.Fatal(err)
	}
	id := e.item(t, campOn(july).Key()).Text("globalId")
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("globalId %q is no random UUID", id)
	}
}

// zeros is the worst of luck.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
