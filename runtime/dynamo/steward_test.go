package dynamo_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func (e *engine) steward() *dynamo.Steward {
	return dynamo.NewSteward(e, e.table, "stream", clock, rand.Reader)
}

func hourly(t *testing.T, s *dynamo.Steward) (dynamo.Terms, signal.Bucket) {
	t.Helper()
	b, err := s.Bucket(t.Context(), "1h")
	if err != nil {
		t.Fatal(err)
	}
	return dynamo.Terms{Bucket: "1h", Pattern: signal.Pattern{Mode: signal.Exact}, Expiry: time.Date(2026, 7, 2, 7, 0, 0, 0, time.UTC)}, b
}

func look(t *testing.T, s *dynamo.Steward, d signal.ProductDate) dynamo.Standing {
	t.Helper()
	is, ok, err := s.Look(t.Context(), d)
	if err != nil || !ok {
		t.Fatalf("look: %v, %v", ok, err)
	}
	return is
}

func TestSteward_lifecycle(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "1h")
	s, d := e.steward(), campOn(july)
	if _, ok, err := s.Look(t.Context(), d); ok || err != nil {
		t.Fatalf("before: %v, %v", ok, err)
	}
	terms, bucket := hourly(t, s)
	// The SDK may send each write twice, when the first answer is lost.
	e.set(fault{"PutItem", 1, repeat}, fault{"UpdateItem", 1, repeat}, fault{"DeleteItem", 1, repeat})
	if err := s.Seed(t.Context(), d, terms, bucket); err != nil {
		t.Fatal(err)
	}
	is := look(t, s, d)
	if !is.Signal || is.SeededBy != "stream" || is.Bucket != "1h" || is.Odd != "" || is.Nobodys() {
		t.Errorf("seeded as %+v", is)
	}
	if item := e.item(t, d.Key()); item.Text("gsisk") != "dirty" {
		t.Errorf("what the stream seeds is dirty: %v", item)
	}
	if _, differs := is.Change(terms, bucket); differs {
		t.Error("it is not as it was seeded")
	}
	terms.Expiry = terms.Expiry.Add(time.Hour)
	if err := s.Update(t.Context(), is, terms, bucket); err != nil {
		t.Fatal(err)
	}
	if is = look(t, s, d); !is.Expiry.Equal(terms.Expiry) {
		t.Errorf("updated to %+v", is)
	}
	if err := s.Delete(t.Context(), is); err != nil || e.item(t, d.Key()) != nil {
		t.Errorf("deleted: %v", err)
	}
	if err := s.Delete(t.Context(), is); err != nil {
		t.Errorf("what is gone: %v", err)
	}
}

func TestSteward_adopts(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "1h")
	s := e.steward()
	terms, bucket := hourly(t, s)
	for name, change := range map[string]func(signal.Item){
		"another's":         func(signal.Item) {},
		"nobody's":          func(i signal.Item) { delete(i, "seededBy") },
		"nobody's nameless": func(i signal.Item) { delete(i, "seededBy"); delete(i, "globalId") },
	} {
		d := campOn(july)
		seed := protocol.Seed(seeding(july), now)
		change(seed.Item)
		e.put(t, seed.Item)
		is := look(t, s, d)
		if is.Nobodys() != !seed.Item["seededBy"].Exists() {
			t.Errorf("%s: read as %+v", name, is)
		}
		e.set(fault{"UpdateItem", 1, repeat})
		if err := s.Adopt(t.Context(), is, terms, bucket); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		after := look(t, s, d)
		if after.SeededBy != "stream" || after.Bucket != "1h" || e.item(t, d.Key()).Text("globalId") == "" || is.GlobalID != "" && after.GlobalID != is.GlobalID {
			t.Errorf("%s: adopted as %+v", name, after)
		}
	}
}

// Whatever has changed since the look is left alone, and said.
func TestSteward_raced(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "1h")
	s, d := e.steward(), campOn(july)
	terms, bucket := hourly(t, s)
	other := protocol.Seed(seeding(july), now).Item
	own := other.Clone()
	own["seededBy"] = signal.S("stream")
	for name, tt := range map[string]struct {
		looked, then signal.Item
		do           func(context.Context, dynamo.Standing) error
	}{
		"seeded by another":   {nil, other, func(ctx context.Context, _ dynamo.Standing) error { return s.Seed(ctx, d, terms, bucket) }},
		"updated, taken over": {own, other, func(ctx context.Context, is dynamo.Standing) error { return s.Update(ctx, is, terms, bucket) }},
		"updated, gone":       {own, nil, func(ctx context.Context, is dynamo.Standing) error { return s.Update(ctx, is, terms, bucket) }},
		"deleted, taken over": {own, other, s.Delete},
		"adopted, taken by another": {other, func() signal.Item {
			i := other.Clone()
			i["seededBy"] = signal.S("some tool")
			return i
		}(), func(ctx context.Context, is dynamo.Standing) error { return s.Adopt(ctx, is, terms, bucket) }},
		"adopted, gone": {other, nil, func(ctx context.Context, is dynamo.Standing) error { return s.Adopt(ctx, is, terms, bucket) }},
	} {
		var is dynamo.Standing
		if tt.looked != nil {
			e.put(t, tt.looked)
			is = look(t, s, d)
		}
		e.write(t, protocol.Write{Op: "remove", Kind: protocol.Delete, Key: d.Key()})
		if tt.then != nil {
			e.put(t, tt.then)
		}
		if err := tt.do(t.Context(), is); !errors.Is(err, dynamo.ErrRaced) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.then, e.item(t, d.Key())); diff != "" {
			t.Errorf("%s: it was touched:\n%s", name, diff)
		}
	}
}

// What was no race is said as it is.
func TestSteward_adoptionFails(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "1h")
	s := e.steward()
	terms, bucket := hourly(t, s)
	e.put(t, protocol.Seed(seeding(july), now).Item)
	is := look(t, s, campOn(july))
	e.set(fault{"UpdateItem", 1, fail(code("AccessDeniedException", "not allowed"))})
	if err := s.Adopt(t.Context(), is, terms, bucket); !errors.Is(err, dynamo.ErrAccessDenied) || errors.Is(err, dynamo.ErrRaced) {
		t.Errorf("adopt: %v", err)
	}
}

func TestSteward_whatStands(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	s := e.steward()
	odd, foreign := protocol.Seed(seeding(july.AddDays(1)), now).Item, protocol.Seed(seeding(july.AddDays(2)), now).Item
	odd["seededBy"], foreign["schema"] = signal.N(5), signal.S("calendar")
	e.put(t, protocol.Seed(seeding(july.AddDays(-1)), now).Item)
	e.put(t, protocol.Seed(seeding(july), now).Item)
	e.put(t, odd)
	e.put(t, foreign)
	e.put(t, signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("notes")})
	found, err := s.LookFrom(t.Context(), camp, july)
	if err != nil || len(found) != 3 {
		t.Fatalf("%+v, %v", found, err)
	}
	if is := found[july]; !is.Signal || is.Odd != "" {
		t.Errorf("a signal: %+v", is)
	}
	if is := found[july.AddDays(1)]; is.Odd != "its seededBy is no text" || is.Nobodys() {
		t.Errorf("an odd one: %+v", is)
	}
	if is := found[july.AddDays(2)]; is.Signal || is.Schema != "calendar" {
		t.Errorf("no signal: %+v", is)
	}
}

func TestFinder(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for _, pk := range []string{"product::a::b::c", "product::ab::b::c", "productDate::a::b::c::d", "inventory::a::b::c::d::2026-07-01", "value::x"} {
		e.put(t, signal.Item{"pk": signal.S(pk), "sk": signal.S("x")})
	}
	got := map[signal.Key]bool{}
	for key, err := range dynamo.NewFinder(e.client, e.table).Keys(t.Context(), "product::a::", "productDate::") {
		if err != nil {
			t.Fatal(err)
		}
		got[key] = true
	}
	if diff := cmp.Diff(map[signal.Key]bool{{PK: "product::a::b::c", SK: "x"}: true, {PK: "productDate::a::b::c::d", SK: "x"}: true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, err := range dynamo.NewFinder(e.client, "availability-no-such-table").Keys(t.Context(), "x") {
		if !errors.Is(err, dynamo.ErrTableNotFound) {
			t.Errorf("no table: %v", err)
		}
	}
}

// Of a product that cannot be read, nothing is said; and what stands on no date is none
// of its signals.
func TestSteward_looksAtDates(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.write(t, protocol.Seed(seeding(july), now))
	noDate := protocol.Seed(seeding(july.AddDays(1)), now).Item
	noDate["sk"] = signal.S("2026-07-02, or so")
	e.put(t, noDate)
	found, err := e.steward().LookFrom(t.Context(), camp, july)
	if _, there := found[july]; len(found) != 1 || !there || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	e.set(fault{"Query", 1, fail(errLost)})
	if found, err := e.steward().LookFrom(t.Context(), camp, july); !errors.Is(err, dynamo.ErrUnknown) || found != nil {
		t.Errorf("%v, %v", found, err)
	}
}
