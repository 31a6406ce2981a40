package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// stand puts a signal of another seeder's, or of nobody's, that has been checked.
func (e *engine) stand(t *testing.T, d signal.Date, seededBy string) signal.Item {
	t.Helper()
	s := seeding(d)
	s.SeededBy, s.Value = seededBy, "12"
	item := protocol.Seed(s, now).Item
	item["lastUpdatedAt"], item["note"] = signal.S("2026-06-01T11:00:00.000Z"), signal.S("the application's")
	if seededBy == "" {
		delete(item, "seededBy")
	}
	e.put(t, item)
	return item
}

func adopting(n int) dynamo.Range {
	r := days(n)
	r.Adopt = true
	return r
}

// Adopting takes nobody's and the stream's signals as they are: bit, value and
// counter stay, but nobody's clean is not believed.
func TestRange_adopts(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	d := july.AddDays
	nobodys, streams := e.stand(t, d(1), ""), e.stand(t, d(2), "stream")
	nameless := e.stand(t, d(3), "")
	for _, attr := range []string{"globalId", "rev", "ttl", "expiry"} {
		delete(nameless, attr)
	}
	e.put(t, nameless)
	other := e.stand(t, d(4), "stream")
	other["gsipk"], other["availabilityEstimationPattern"] = signal.S("cadenceBucket::15min"), tiered.Value()
	e.put(t, other)
	r := createRange(t, e, adopting(6))
	owner := signal.S("terraform:" + r.ID)
	items := e.partition(t)
	want := func(n int, was signal.Item, changes signal.Item) {
		t.Helper()
		is := was.Clone()
		is["seededBy"] = owner
		for name, v := range changes {
			is[name] = v
		}
		if diff := cmp.Diff(is, items[d(n).String()]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d(n), diff)
		}
	}
	flipped := signal.Item{"gsisk": signal.S("dirty"), "dirtySince": signal.S("2026-06-01T12:00:00.000Z"), "rev": signal.N(1)}
	with := func(more signal.Item) signal.Item {
		all := flipped.Clone()
		for name, v := range more {
			all[name] = v
		}
		return all
	}
	want(1, nobodys, flipped)
	want(2, streams, nil)
	id := items[d(3).String()]["globalId"]
	if s, _ := id.Text(); len(s) != 36 {
		t.Errorf("the nameless one is given the globalId %v", id)
	}
	want(3, nameless, with(signal.Item{"globalId": id, "expiry": signal.S("2026-07-05T00:00:00.000Z"), "ttl": signal.N(1783209600)}))
	fiveMinutes := signal.M(map[string]signal.Value{"minutes": signal.N(5)})
	want(4, other, with(signal.Item{
		"gsipk":                         signal.S("cadenceBucket::5min"),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{"estimationMode": signal.S("exact"), "cadence": fiveMinutes}),
	}))
	if state, err := e.seeder().ReadRange(t.Context(), r); err != nil || len(state.Missing)+len(state.Drifted)+len(state.Repairs) > 0 {
		t.Errorf("read: %+v, %v", state, err)
	}
	// All of it is its own now.
	if err := e.seeder().DeleteRange(t.Context(), camp, r.ID); err != nil || len(e.partition(t)) > 0 {
		t.Errorf("left are %s, %v", dates(e.partition(t), all), err)
	}
}

// Only a range that is told to adopts, and no range takes another of Terraform's.
func TestRange_adoptsOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	for owner, adoptable := range map[string]bool{"": true, "stream": true, "terraform:another": false, "operator": false} {
		for _, adopt := range []bool{true, false} {
			t.Run(fmt.Sprintf("%q, adopting %t", owner, adopt), func(t *testing.T) {
				t.Parallel()
				e := newEngine(t)
				e.register(t, "5min")
				e.stand(t, july.AddDays(1), owner)
				before := e.partition(t)
				r := days(3)
				r.Adopt = adopt
				_, _, err := e.seeder().CreateRange(t.Context(), r)
				if adopt && adoptable {
					if err != nil {
						t.Fatal(err)
					}
					return
				}
				if !errors.Is(err, dynamo.ErrExists) {
					t.Errorf("create: %v", err)
				}
				// Nor when it grows over it.
				if diff := cmp.Diff(before, e.partition(t)); diff != "" {
					t.Errorf("something was written:\n%s", diff)
				}
				r = days(1)
				r.Adopt = adopt
				r = createRange(t, e, r)
				longer := r
				longer.Last = july.AddDays(2)
				if state, err := e.seeder().UpdateRange(t.Context(), r, longer); !errors.Is(err, dynamo.ErrExists) || state.ID != "" {
					t.Errorf("update: %+v, %v", state, err)
				}
			})
		}
	}
	// One that is no signal, or whose owner or globalId is no text.
	for name, attrs := range map[string]signal.Item{
		"another schema": {"schema": signal.S("note")}, "odd owner": {"seededBy": signal.N(1)}, "odd globalId": {"globalId": signal.N(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			e.stand(t, july, "")
			e.change(t, july, attrs)
			if _, _, err := e.seeder().CreateRange(t.Context(), adopting(2)); !errors.Is(err, dynamo.ErrExists) || len(e.partition(t)) != 1 {
				t.Errorf("create: %v", err)
			}
		})
	}
}

// A range that grows, or that is told to later, adopts in place.
func TestRange_adoptsInAnUpdate(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(3))
	e.stand(t, july.AddDays(4), "stream")
	// Taken over by the stream while it was the range's.
	e.change(t, july.AddDays(1), signal.Item{"seededBy": signal.S("stream")})
	state, err := e.seeder().ReadRange(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, "read", state, "2026-07-02/2026-07-02", "", "")
	was := r
	r.Last, r.Adopt = july.AddDays(4), true
	if state, err = e.seeder().UpdateRange(t.Context(), was, r); err != nil || !state.Complete {
		t.Fatalf("update: %+v, %v", state, err)
	}
	wantState(t, "updated", state, "", "", "")
	items := e.partition(t)
	if got := dates(items, is("seededBy", "terraform:"+r.ID)); got != "2026-07-01/2026-07-05" {
		t.Errorf("its own are %s", got)
	}
	if got := dates(items, is("gsisk", "dirty")); got != "" {
		t.Errorf("dirty are %s", got)
	}
	// One of another bucket comes into the range's, though there is nothing else to do.
	e.stand(t, july.AddDays(5), "stream")
	e.change(t, july.AddDays(5), signal.Item{"gsipk": signal.S("cadenceBucket::15min")})
	was = r
	r.Last = july.AddDays(5)
	if state, err = e.seeder().UpdateRange(t.Context(), was, r); err != nil || !state.Complete {
		t.Fatalf("update: %+v, %v", state, err)
	}
	if item := e.item(t, campOn(r.Last).Key()); item.Text("gsipk") != "cadenceBucket::5min" || item.Text("seededBy") != "terraform:"+r.ID {
		t.Errorf("adopted: %v", item)
	}
}

// Adopting fails at each call; nothing is taken twice, and a repeat converges.
func TestRange_adoptingFailsAndResumes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault fault
		// none is whether nothing is the range's and there is no state.
		none, whole bool
	}{
		"lost":              {fault{"UpdateItem", 2, fail(errLost)}, false, false},
		"answer lost":       {fault{"UpdateItem", 2, loseAnswer}, false, true},
		"repeated":          {fault{"UpdateItem", 0, repeat}, false, true},
		"every answer lost": {fault{"UpdateItem", 0, loseAnswer}, false, true},
		"denied":            {fault{"UpdateItem", 0, fail(code("AccessDeniedException", ""))}, true, false},
		"throttled":         {fault{"UpdateItem", 0, fail(code("ThrottlingException", ""))}, true, false},
		"denied, later":     {fault{"UpdateItem", 3, fail(code("AccessDeniedException", ""))}, false, false},
		"reading":           {fault{"Query", 1, fail(errLost)}, true, false},
		"the registry":      {fault{"GetItem", 1, fail(errLost)}, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			for i := range 5 {
				e.stand(t, july.AddDays(i), []string{"", "stream"}[i%2])
			}
			ids := e.partition(t)
			e.set(tt.fault)
			r := adopting(5)
			state, why, err := e.hasty().CreateRange(t.Context(), r)
			if (err != nil) != tt.none || (why == nil && err == nil) != tt.whole {
				t.Fatalf("create: %+v, %v, %v", state, why, err)
			}
			own := 0
			for _, item := range e.partition(t) {
				if item.Text("seededBy") == "terraform:"+state.ID {
					own++
				}
			}
			if own+len(state.Missing) != 5 && !tt.none || tt.none && own > 0 {
				t.Errorf("%d are its own, missing %s", own, spans(state.Missing))
			}
			e.set()
			if tt.none {
				r = createRange(t, e, r)
			} else {
				r.ID = state.ID
				if state, err := e.seeder().UpdateRange(t.Context(), r, r); err != nil || len(state.Missing) > 0 {
					t.Errorf("the repeat: %+v, %v", state, err)
				}
			}
			for date, item := range e.partition(t) {
				if !item["globalId"].Equal(ids[date]["globalId"]) || item.Text("seededBy") != "terraform:"+r.ID || item.Text("value") != "12" {
					t.Errorf("%s is %v", date, item)
				}
				if stranger := !ids[date]["seededBy"].Exists(); (item.Int("rev") == 1) != stranger {
					t.Errorf("%s was flipped %d times", date, item.Int("rev"))
				}
			}
		})
	}
}

// Somebody is quicker between the look and the adoption.
func TestRange_adoptingIsRaced(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*testing.T, *engine){
		"taken": func(t *testing.T, e *engine) {
			t.Helper()
			e.change(t, july, signal.Item{"seededBy": signal.S("terraform:x")})
		},
		"seeded anew": func(t *testing.T, e *engine) {
			t.Helper()
			e.change(t, july, signal.Item{"globalId": signal.S("anew")})
		},
		"gone": func(t *testing.T, e *engine) {
			t.Helper()
			e.write(t, protocol.Write{Op: "remove", Kind: protocol.Delete, Key: campOn(july).Key()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			e.stand(t, july, "stream")
			var theirs signal.Item
			e.set(fault{"UpdateItem", 1, before(func() {
				do(t, e)
				theirs = e.item(t, campOn(july).Key())
			})})
			r := adopting(3)
			state, why, err := e.seeder().CreateRange(t.Context(), r)
			if err != nil || why == nil || spans(state.Missing) != "2026-07-01/2026-07-01" {
				t.Fatalf("create: %+v, %v, %v", state, why, err)
			}
			if is := errors.Is(why, dynamo.ErrExists); is == (name == "gone") {
				t.Errorf("because of %v", why)
			}
			if diff := cmp.Diff(theirs, e.item(t, campOn(july).Key())); diff != "" {
				t.Errorf("it was touched:\n%s", diff)
			}
		})
	}
}

func TestRange_adoptingOfOneWhoGivesUp(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	for i := range 200 {
		e.stand(t, july.AddDays(i), "")
	}
	ctx, cancel := context.WithCancel(t.Context())
	e.set(fault{"UpdateItem", 20, before(cancel)})
	r := adopting(200)
	state, why, err := e.seeder().CreateRange(ctx, r)
	if err != nil || !errors.Is(why, context.Canceled) || len(state.Missing) == 0 || len(state.Missing) == 200 {
		t.Fatalf("create: %v, %v, missing %d", why, err, len(state.Missing))
	}
	r.ID = state.ID
	if state, err := e.seeder().UpdateRange(t.Context(), r, r); err != nil || len(state.Missing) > 0 {
		t.Errorf("the repeat: %+v, %v", state, err)
	}
	for date, item := range e.partition(t) {
		if item.Int("rev") != 1 {
			t.Errorf("%s was flipped %d times", date, item.Int("rev"))
		}
	}
}
