package dynamo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// change writes other values into an item, or removes those that are none.
func (e *engine) change(t *testing.T, d signal.Date, attrs signal.Item) {
	t.Helper()
	item := e.item(t, campOn(d).Key())
	for name, v := range attrs {
		if item[name] = v; !v.Exists() {
			delete(item, name)
		}
	}
	e.put(t, item)
}

func wantState(t *testing.T, what string, got dynamo.RangeState, missing, drifted, repairs string) {
	t.Helper()
	if spans(got.Missing) != missing || spans(got.Drifted) != drifted || strings.Join(got.Repairs, " ") != repairs {
		t.Errorf("%s: missing %q, drifted %q, repairs %q; want %q, %q, %q", what, spans(got.Missing), spans(got.Drifted), got.Repairs, missing, drifted, repairs)
	}
}

// What others have done to the range's signals shows, and one update mends it,
// touching nothing else.
func TestRange_driftShowsAndHeals(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	r := days(40)
	r.Pattern = tiered
	r = createRange(t, e, r)
	d := july.AddDays
	before := e.partition(t)
	e.change(t, d(1), signal.Item{"gsipk": signal.S("cadenceBucket::15min")})
	e.change(t, d(2), signal.Item{"gsipk": signal.S("cadenceBucket::5min::9")})
	e.change(t, d(3), signal.Item{"expiry": signal.S("2026-07-30T00:00:00.000Z")})
	e.change(t, d(4), signal.Item{"availabilityEstimationPattern": signal.M(map[string]signal.Value{"estimationMode": signal.S("exact")})})
	e.change(t, d(5), signal.Item{"expiry": {}})
	e.change(t, d(7), signal.Item{"ttl": {}})
	e.change(t, d(8), signal.Item{"ttl": signal.S("1782950400")})
	e.change(t, d(9), signal.Item{"ttl": signal.N(1)})
	e.change(t, d(10), signal.Item{"ttl": signal.N(1 << 40)})
	e.change(t, d(11), signal.Item{"seededBy": {}})
	e.change(t, d(13), signal.Item{"globalId": {}})
	e.change(t, d(15), signal.Item{"seededBy": {}, "globalId": {}, "gsipk": signal.S("?")})
	e.change(t, d(20), signal.Item{"value": signal.S("high"), "note": signal.S("the application's")})
	drifted := e.partition(t)
	state, err := e.seeder().ReadRange(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	const want = "2026-07-02/2026-07-02 2026-07-04/2026-07-06 2026-07-16/2026-07-16"
	wantState(t, "read", state, "", want, "globalId seededBy ttl")
	e.set()
	state, err = e.seeder().UpdateRange(t.Context(), r, r)
	if err != nil || !state.Complete {
		t.Fatalf("update: %+v, %v", state, err)
	}
	wantState(t, "updated", state, "", "", "")
	if n := e.called("UpdateItem"); n != 11 {
		t.Errorf("%d writes, want 11", n)
	}
	items := e.partition(t)
	// A pattern that makes other values, and a stranger's clean, are flipped.
	if got := dates(items, is("gsisk", "dirty")); got != "2026-07-05/2026-07-05 2026-07-12/2026-07-12 2026-07-16/2026-07-16" {
		t.Errorf("dirty are %s", got)
	}
	for i := range 40 {
		date := d(i).String()
		for _, attr := range []string{"pk", "sk", "expiry", "ttl", "seededBy", "availabilityEstimationPattern"} {
			if !items[date][attr].Equal(before[date][attr]) {
				t.Errorf("%s: %s is %v", date, attr, items[date][attr])
			}
		}
		if items[date].Text("globalId") == "" {
			t.Errorf("%s has no globalId", date)
		}
	}
	for _, n := range []int{0, 2, 20, 39} {
		if diff := cmp.Diff(drifted[d(n).String()], items[d(n).String()]); diff != "" {
			t.Errorf("%s was touched:\n%s", d(n), diff)
		}
	}
	state, err = e.seeder().ReadRange(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, "read again", state, "", "", "")
}

// What stands on the way of a repair stops it, and a repeat does the rest.
func TestRange_healingFailsAndResumes(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fault{
		"an update, lost":          {"UpdateItem", 2, fail(errLost)},
		"an update's answer, lost": {"UpdateItem", 2, loseAnswer},
		"an update, repeated":      {"UpdateItem", 2, repeat},
		"denied":                   {"UpdateItem", 0, fail(code("AccessDeniedException", ""))},
		"the registry":             {"GetItem", 1, fail(errLost)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			r := createRange(t, e, days(6))
			e.change(t, july.AddDays(1), signal.Item{"seededBy": {}})
			e.change(t, july.AddDays(2), signal.Item{"ttl": {}})
			e.change(t, july.AddDays(3), signal.Item{"gsipk": signal.S("cadenceBucket::15min")})
			e.set(f)
			state, err := e.seeder().UpdateRange(t.Context(), r, r)
			healed := strings.Contains(name, "answer") || strings.Contains(name, "repeated")
			if (err == nil) != healed {
				t.Fatalf("update: %+v, %v", state, err)
			}
			if name == "denied" {
				wantState(t, "denied", state, "", "2026-07-04/2026-07-04", "seededBy ttl")
			}
			e.set()
			if _, err := e.seeder().UpdateRange(t.Context(), r, r); err != nil {
				t.Fatal(err)
			}
			state, err = e.seeder().ReadRange(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			wantState(t, "the repeat", state, "", "", "")
			if item := e.item(t, campOn(july.AddDays(1)).Key()); item.Int("rev") != 1 || item.Text("gsisk") != "dirty" {
				t.Errorf("flipped more than once, or not at all: %v", item)
			}
		})
	}
}

// A zone that is only supposed makes no drift of other expiries.
func TestRange_guessedZone(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(5))
	zone, err := signal.LoadZone("America/Vancouver")
	if err != nil {
		t.Fatal(err)
	}
	r.Zone = zone
	for _, guessed := range []bool{true, false} {
		r.ZoneGuessed = guessed
		state, err := e.seeder().ReadRange(t.Context(), r)
		if err != nil || state.ZoneDiffers != guessed || (spans(state.Drifted) == "2026-07-01/2026-07-05") == guessed {
			t.Errorf("guessed %t: %+v, %v", guessed, state, err)
		}
	}
}

// Excepting dates, and making them dates of the range again, touches these alone.
func TestRange_exceptions(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	d := july.AddDays
	e.write(t, protocol.Seed(seeding(d(2)), now))
	r := days(10)
	r.Start = dynamo.Start{Value: "4"}
	r.Except = []signal.Date{d(2), d(5)}
	r = createRange(t, e, r)
	steps := []struct {
		except []int
		there  string
		dirty  string
	}{
		{[]int{2, 5}, "2026-07-01/2026-07-05 2026-07-07/2026-07-10", ""},
		{[]int{2, 5, 6, 8}, "2026-07-01/2026-07-05 2026-07-08/2026-07-08 2026-07-10/2026-07-10", ""},
		{[]int{2}, "2026-07-01/2026-07-10", ""},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 8}, "2026-07-03/2026-07-03 2026-07-10/2026-07-10", ""},
	}
	for _, step := range steps {
		was, before := r, e.partition(t)
		r.Except = nil
		for _, n := range step.except {
			r.Except = append(r.Except, d(n))
		}
		state, err := e.seeder().UpdateRange(t.Context(), was, r)
		if err != nil || !cmp.Equal(state.Except, r.Except) {
			t.Fatalf("except %v: %+v, %v", step.except, state, err)
		}
		wantState(t, "updated", state, "", "", "")
		items := e.partition(t)
		if got := dates(items, all); got != step.there {
			t.Errorf("except %v: there is %s", step.except, got)
		}
		if got := dates(items, is("gsisk", "dirty")); got != step.dirty {
			t.Errorf("except %v: dirty are %s", step.except, got)
		}
		for date, item := range items {
			if was, ok := before[date]; ok && !cmp.Equal(was, item) {
				t.Errorf("except %v: %s was touched", step.except, date)
			}
		}
		if state, err := e.seeder().ReadRange(t.Context(), r); err != nil || len(state.Missing) > 0 {
			t.Errorf("except %v: missing %s, %v", step.except, spans(state.Missing), err)
		}
	}
	// One that another holds cannot become the range's.
	was := r
	r.Except = nil
	if state, err := e.seeder().UpdateRange(t.Context(), was, r); err == nil || state.ID != "" {
		t.Errorf("over another's date: %+v, %v", state, err)
	}
}

// Whatever fails of an update with exceptions, its state knows what is there.
func TestRange_exceptionsFailAndResume(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fault{
		"seeding":  {"BatchExecuteStatement", 1, fail(errLost)},
		"deleting": {"BatchExecuteStatement", 2, fail(code("AccessDeniedException", ""))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			r := days(10)
			r.Except = []signal.Date{july.AddDays(4)}
			r = createRange(t, e, r)
			was := r
			r.Except = []signal.Date{july.AddDays(6), july.AddDays(11)}
			r.Last = july.AddDays(12)
			e.set(f)
			state, err := e.seeder().UpdateRange(t.Context(), was, r)
			if err == nil || state.Complete {
				t.Fatalf("update: %+v, %v", state, err)
			}
			items := e.partition(t)
			for d := state.First; state.Contains(d); d = d.AddDays(1) {
				_, there := items[d.String()]
				known := dynamo.Range{Span: state.Span, Except: state.Except}.Has(d)
				if there && !known {
					t.Errorf("the state does not know of %s", d)
				}
			}
			was.Span, was.Except = state.Span, state.Except
			e.set()
			if _, err := e.seeder().UpdateRange(t.Context(), was, r); err != nil {
				t.Fatal(err)
			}
			if got := dates(e.partition(t), all); got != "2026-07-01/2026-07-06 2026-07-08/2026-07-11 2026-07-13/2026-07-13" {
				t.Errorf("after the repeat there is %s", got)
			}
		})
	}
}

func TestRange_datesAreThoseToCome(t *testing.T) {
	t.Parallel()
	r := days(6)
	r.Except = []signal.Date{july.AddDays(3)}
	var got []signal.Date
	for d := range r.Dates(time.Date(2026, 7, 3, 12, 0, 0, 0, time.UTC)) {
		got = append(got, d)
	}
	if spans(got) != "2026-07-03/2026-07-03 2026-07-05/2026-07-06" {
		t.Errorf("dates %s", spans(got))
	}
}
