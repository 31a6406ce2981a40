package dynamo_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// rejecting turns down the entries of some dates for good.
func (e *engine) rejecting(code types.BatchStatementErrorCodeEnum, dates ...signal.Date) {
	errorsIn(e.faulty, func(date string) *types.BatchStatementError {
		for _, d := range dates {
			if d.String() == date {
				return failure(code)
			}
		}
		return nil
	})
}

// wantOutcome compares what a state says of a range that has not everything.
func wantOutcome(t *testing.T, state dynamo.RangeState, span dynamo.Span, except, missing string) {
	t.Helper()
	if state.Span != span || spans(state.Except) != except || spans(state.Missing) != missing || len(state.Drifted)+len(state.Repairs) > 0 {
		t.Errorf("state %s except %q, missing %q, drifted %q; want %s except %q, missing %q",
			state.Span, spans(state.Except), spans(state.Missing), spans(state.Drifted), span, except, missing)
	}
}

// Where an update stops half-way, the state is what the range was on its old dates
// and what it has gained: what it never had is an exception, not missing.
func TestRange_whatAnUpdateThatStopsLeaves(t *testing.T) {
	t.Parallel()
	d := july.AddDays
	const rejected = types.BatchStatementErrorCodeEnumValidationError
	t.Run("grown", func(t *testing.T) {
		t.Parallel()
		e := newEngine(t)
		e.register(t, "5min")
		r := days(10)
		r.Except = []signal.Date{d(4)}
		was := createRange(t, e, r)
		r = was
		r.Span, r.Except = days(20).Span, []signal.Date{d(12)}
		e.rejecting(rejected, d(4), d(15))
		state, err := e.seeder().UpdateRange(t.Context(), was, r)
		if !errors.Is(err, dynamo.ErrRejected) || state.Complete {
			t.Errorf("update: %+v, %v", state, err)
		}
		wantOutcome(t, state, r.Span, "2026-07-05/2026-07-05 2026-07-13/2026-07-13", "2026-07-16/2026-07-16")
	})
	t.Run("moved", func(t *testing.T) {
		t.Parallel()
		e := newEngine(t)
		e.register(t, "5min")
		was := createRange(t, e, days(10))
		r := was
		r.Span = dynamo.Span{First: d(20), Last: d(29)}
		e.rejecting(rejected, d(25))
		state, err := e.seeder().UpdateRange(t.Context(), was, r)
		if !errors.Is(err, dynamo.ErrRejected) || state.Complete {
			t.Errorf("update: %+v, %v", state, err)
		}
		wantOutcome(t, state, days(30).Span, "2026-07-11/2026-07-20", "2026-07-26/2026-07-26")
	})
	t.Run("and cannot look", func(t *testing.T) {
		t.Parallel()
		e := newEngine(t)
		e.register(t, "5min")
		was := createRange(t, e, days(10))
		r := was
		r.Span = days(20).Span
		e.rejecting(rejected, d(15))
		e.set(fault{"Query", 2, fail(errLost)})
		state, err := e.seeder().UpdateRange(t.Context(), was, r)
		if !errors.Is(err, dynamo.ErrRejected) || state.Complete {
			t.Errorf("update: %+v, %v", state, err)
		}
		wantOutcome(t, state, r.Span, "", "2026-07-16/2026-07-16")
	})
}

// A creation that cannot look at what it has done says what it knows.
func TestRange_createThatCannotLook(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	e.rejecting(types.BatchStatementErrorCodeEnumValidationError, july.AddDays(2))
	taken := before(func() { e.write(t, protocol.Seed(seeding(july.AddDays(4)), now)) })
	e.set(fault{"BatchExecuteStatement", 1, taken}, fault{"Query", 2, fail(errLost)})
	state, why, err := e.seeder().CreateRange(t.Context(), days(5))
	if err != nil || !errors.Is(why, dynamo.ErrRejected) || state.ID == "" {
		t.Fatalf("create: %+v, %v, %v", state, why, err)
	}
	wantOutcome(t, state, days(5).Span, "", "2026-07-03/2026-07-03 2026-07-05/2026-07-05")
}

// The same of an adoption: one whose outcome is unknown may have been made.
func TestRange_adoptionThatCannotLook(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		faults []fault
		state  bool
	}{
		"lost":   {[]fault{{"UpdateItem", 1, loseAnswer}, {"GetItem", 2, fail(errLost)}, {"Query", 2, fail(errLost)}}, true},
		"denied": {[]fault{{"UpdateItem", 1, fail(code("AccessDeniedException", ""))}, {"Query", 2, fail(errLost)}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			e.stand(t, july, "")
			e.set(tt.faults...)
			state, why, err := e.seeder().CreateRange(t.Context(), adopting(1))
			if (state.ID != "") != tt.state || (err == nil) != tt.state || (why != nil) != tt.state {
				t.Errorf("create: %+v, %v, %v", state, why, err)
			}
		})
	}
}

// One that somebody else was quicker with keeps none of the others from being
// adopted.
func TestRange_adoptsTheOthers(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*testing.T, *engine){
		"taken": func(t *testing.T, e *engine) {
			t.Helper()
			e.change(t, july, signal.Item{"seededBy": signal.S("terraform:x")})
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
			for i := range 200 {
				e.stand(t, july.AddDays(i), "stream")
			}
			// Once it has been looked at: which of them is adopted first, nobody knows.
			e.set(fault{"Query", 1, func(send func() error) error {
				err := send()
				meanwhile(t, e)
				return err
			}})
			state, why, err := e.seeder().CreateRange(t.Context(), adopting(200))
			if err != nil || why == nil || spans(state.Missing) != "2026-07-01/2026-07-01" {
				t.Errorf("create: missing %s, %v, %v", spans(state.Missing), why, err)
			}
		})
	}
}

// An update that all went well with, but for what others did meanwhile, is complete,
// and says both what it has not got and what it has not deleted.
func TestRange_updateRacedOnBothSides(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	was := createRange(t, e, days(10))
	r := was
	r.Span = dynamo.Span{First: july.AddDays(5), Last: july.AddDays(14)}
	e.set(
		fault{"BatchExecuteStatement", 1, before(func() { e.put(t, protocol.Seed(seeding(july.AddDays(12)), now).Item) })},
		fault{"BatchExecuteStatement", 2, before(func() { e.put(t, protocol.Seed(seeding(july.AddDays(2)), now).Item) })},
	)
	state, err := e.seeder().UpdateRange(t.Context(), was, r)
	held, ok := errors.AsType[*dynamo.HeldError](err)
	if !ok || len(held.Holders) != 1 || held.Holders[0].Date != july.AddDays(12) || !state.Complete {
		t.Fatalf("update: %+v, %v", state, err)
	}
	wantOutcome(t, state, r.Span, "", "2026-07-13/2026-07-13")
	if len(state.Left) != 1 || state.Left[0].Date != july.AddDays(2) {
		t.Errorf("left %v, want the one that another has seeded", state.Left)
	}
}

// Nobody's signal on a date that the range never had is not its own, though it was
// to become it.
func TestRange_nobodysIsItsOwnOnlyWhereItHadOne(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	was := createRange(t, e, days(3))
	e.stand(t, july.AddDays(3), "")
	r := was
	r.Span, r.Adopt = days(4).Span, true
	e.set(fault{"UpdateItem", 1, before(func() { e.change(t, july.AddDays(3), signal.Item{"globalId": signal.S("anew")}) })})
	state, err := e.seeder().UpdateRange(t.Context(), was, r)
	if err == nil {
		t.Errorf("update: %+v", state)
	}
	wantOutcome(t, state, r.Span, "", "2026-07-04/2026-07-04")
}

// Nor is one that comes, while the range is updated, to a date that it excepted.
func TestRange_nobodysIsNotItsOwnWhereItExceptedOne(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := days(10)
	r.Except = []signal.Date{july.AddDays(4)}
	was := createRange(t, e, r)
	r = was
	r.Except = nil
	e.set(fault{"BatchExecuteStatement", 1, before(func() { e.stand(t, july.AddDays(4), "") })})
	state, err := e.seeder().UpdateRange(t.Context(), was, r)
	if _, ok := errors.AsType[*dynamo.HeldError](err); !ok {
		t.Errorf("update: %+v, %v; want what holds the date", state, err)
	}
	wantOutcome(t, state, r.Span, "", "2026-07-05/2026-07-05")
}

// What the stream has taken over stays the stream's.
func TestRange_doesNotTakeBackFromTheStream(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(3))
	e.change(t, july, signal.Item{"seededBy": signal.S("stream")})
	state, err := e.seeder().UpdateRange(t.Context(), r, r)
	if !errors.Is(err, dynamo.ErrExists) || e.item(t, campOn(july).Key()).Text("seededBy") != "stream" {
		t.Errorf("update: %+v, %v", state, err)
	}
	wantOutcome(t, state, r.Span, "", "2026-07-01/2026-07-01")
}

// Two of a range's owner at once: what the other has adopted is not another's.
func TestRange_adoptedByItsOtherSelf(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	was := createRange(t, e, days(3))
	e.stand(t, july.AddDays(3), "")
	r := was
	r.Span, r.Adopt = days(4).Span, true
	e.set(fault{"UpdateItem", 1, before(func() {
		e.change(t, july.AddDays(3), signal.Item{"seededBy": signal.S("terraform:" + r.ID), "gsipk": signal.S("cadenceBucket::15min")})
	})})
	if state, err := e.seeder().UpdateRange(t.Context(), was, r); !errors.Is(err, dynamo.ErrConflict) || state.Complete {
		t.Errorf("update: %+v, %v; want that it is to be repeated", state, err)
	}
}

// What is adopted is still the stream's, but another pattern than the one that was
// looked at.
func TestRange_adoptsWhatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	e.stand(t, july, "stream")
	e.set(fault{"UpdateItem", 1, before(func() {
		e.change(t, july, signal.Item{"availabilityEstimationPattern": tiered.Value()})
	})})
	r := adopting(1)
	r.Bucket = "15min"
	if _, why, err := e.seeder().CreateRange(t.Context(), r); !errors.Is(errors.Join(why, err), dynamo.ErrConflict) {
		t.Errorf("create: %v, %v; want that it is to be repeated", why, err)
	}
}

// An update reads the bucket when something is to be written, or it is another one.
func TestRange_readsItsBucketWhereItMatters(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(3))
	e.set()
	if _, err := e.seeder().UpdateRange(t.Context(), r, r); err != nil || e.called("GetItem") != 0 {
		t.Errorf("nothing to do: %v after %d reads", err, e.called("GetItem"))
	}
	moved := r
	moved.Bucket = "no-such-bucket"
	if _, err := e.at(now.AddDate(1, 0, 0)).UpdateRange(t.Context(), r, moved); !errors.Is(err, dynamo.ErrNotRegistered) {
		t.Errorf("all expired: %v", err)
	}
}

// A deletion that fails in part is a failure, and reads no more than it must.
func TestRange_deletionsOutcome(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(20))
	e.set()
	if err := e.seeder().DeleteRange(t.Context(), camp, r.ID); err != nil || e.called("Query") != 1 {
		t.Errorf("delete: %v after %d queries", err, e.called("Query"))
	}
	// One is refused, another denied.
	r = createRange(t, e, days(20))
	errorsIn(e.faulty, func(date string) *types.BatchStatementError {
		switch date {
		case "2026-07-03":
			return failure(types.BatchStatementErrorCodeEnumConditionalCheckFailed)
		case "2026-07-05":
			return failure(types.BatchStatementErrorCodeEnumAccessDenied)
		}
		return nil
	})
	if err := e.seeder().DeleteRange(t.Context(), camp, r.ID); !errors.Is(err, dynamo.ErrAccessDenied) {
		t.Errorf("delete: %v, want that it was denied", err)
	}
}

// What a deletion leaves is named in order: what another has taken, and what is still
// the range's and keeps changing.
func TestRange_namesWhatItLeavesInOrder(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(20))
	changing := july.AddDays(3)
	e.set(
		fault{"BatchExecuteStatement", 1, before(func() {
			e.put(t, protocol.Seed(seeding(july.AddDays(15)), now).Item)
			e.change(t, changing, signal.Item{"globalId": signal.S("second")})
		})},
		fault{"BatchExecuteStatement", 2, before(func() { e.change(t, changing, signal.Item{"globalId": signal.S("third")}) })},
	)
	err := e.seeder().DeleteRange(t.Context(), camp, r.ID)
	left, ok := errors.AsType[*dynamo.LeftError](err)
	if !ok || len(left.Holders) != 2 || left.Holders[0].Date != changing || left.Holders[1].Date != july.AddDays(15) {
		t.Errorf("delete: %v", err)
	}
}

func TestRange_statesOfWhatStands(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(4))
	e.change(t, july.AddDays(1), signal.Item{"schema": signal.S("note")})
	e.change(t, july.AddDays(2), signal.Item{"expiry": {}})
	for _, guessed := range []bool{false, true} {
		r.ZoneGuessed = guessed
		state, err := e.seeder().ReadRange(t.Context(), r)
		// In the very zone that was guessed none differs, and one without is none of it.
		if err != nil || !state.Complete || state.ZoneDiffers || spans(state.Missing) != "2026-07-02/2026-07-02" || spans(state.Drifted) != "2026-07-03/2026-07-03" {
			t.Errorf("guessed %t: %+v, %v", guessed, state, err)
		}
	}
	past, err := e.at(now.AddDate(1, 0, 0)).ReadRange(t.Context(), r)
	if err != nil || !past.Complete || past.ID != r.ID || past.Span != r.Span {
		t.Errorf("all expired: %+v, %v", past, err)
	}
}

// A range that is found has the terms of its first date that has not expired, which at
// its expiry a date has.
func TestRange_foundAtAnExpiry(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := days(2)
	r.Pattern = tiered
	r = createRange(t, e, r)
	e.change(t, july, signal.Item{"availabilityEstimationPattern": exact.Value()})
	sought := dynamo.Range{Product: camp, ID: r.ID, Zone: time.UTC}
	end := signal.Expiry(july, time.UTC)
	for at, want := range map[time.Time]signal.Mode{end.Add(-time.Millisecond): signal.Exact, end: signal.Tiered} {
		if got, _, err := e.at(at).FindRange(t.Context(), sought); err != nil || got.Pattern.Mode != want {
			t.Errorf("at %s: %v, %v", at, got.Pattern.Mode, err)
		}
	}
}

func TestSpan_hull(t *testing.T) {
	t.Parallel()
	span := func(first, last int) dynamo.Span {
		return dynamo.Span{First: july.AddDays(first), Last: july.AddDays(last)}
	}
	for _, tt := range []struct{ a, b, want dynamo.Span }{
		{span(3, 5), span(4, 4), span(3, 5)},
		{span(3, 5), span(1, 2), span(1, 5)},
		{span(3, 5), span(4, 9), span(3, 9)},
		{span(3, 5), span(0, 9), span(0, 9)},
	} {
		if got := tt.a.Hull(tt.b); got != tt.want {
			t.Errorf("%s and %s: %s, want %s", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestRange_live(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"2026-05-01": "2026-07-01/2026-07-06",
		"2026-06-30": "2026-07-01/2026-07-06",
		"2026-07-01": "2026-07-01/2026-07-06",
		"2026-07-03": "2026-07-03/2026-07-06",
		"2026-07-06": "2026-07-06/2026-07-06",
		"2026-07-07": "",
		"2030-01-01": "",
	} {
		noon, err := time.Parse(time.DateOnly, at)
		if err != nil {
			t.Fatal(err)
		}
		live, ok := days(6).Live(noon.Add(12 * time.Hour))
		if ok != (want != "") || ok && live.String() != want {
			t.Errorf("at noon of %s: %s, %t; want %q", at, live, ok, want)
		}
	}
}

// meanwhile changes the signal of a date just before it is first deleted; where it is
// throttled, that deletion fails and is sent again.
func meanwhile(t *testing.T, e *engine, date signal.Date, throttled bool, changed map[string]signal.Value) {
	t.Helper()
	first := true
	errorsIn(e.faulty, func(is string) *types.BatchStatementError {
		if is != date.String() || !first {
			return nil
		}
		first = false
		item := e.item(t, campOn(date).Key())
		maps.Copy(item, changed)
		e.put(t, item)
		if throttled {
			return failure(types.BatchStatementErrorCodeEnumThrottlingError)
		}
		return nil
	})
}

// What a repeat of some entries of a batch comes to is told of those, not of the first.
func TestRange_takenOverWhileThrottled(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(3))
	second := july.AddDays(1)
	meanwhile(t, e, second, true, signal.Item{signal.AttrSeededBy: signal.S("another")})
	err := e.hasty().DeleteRange(t.Context(), camp, r.ID)
	if left, ok := errors.AsType[*dynamo.LeftError](err); !ok || len(left.Holders) != 1 || left.Holders[0].Date != second {
		t.Errorf("delete: %v; want %s left", err, second)
	}
	if got := dates(e.partition(t), all); got != (dynamo.Span{First: second, Last: second}).String() {
		t.Errorf("there is %s", got)
	}
}

// A range is the owner of its signal by whatever globalId.
func TestRange_deletesWhatHasAnotherGlobalID(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(3))
	meanwhile(t, e, july.AddDays(1), false, signal.Item{signal.AttrGlobalID: signal.S("another")})
	if err := e.hasty().DeleteRange(t.Context(), camp, r.ID); err != nil {
		t.Errorf("delete: %v", err)
	}
	if got := e.partition(t); len(got) > 0 {
		t.Errorf("there is %s", dates(got, all))
	}
}

// A range that cannot be read is not one that is gone.
func TestRange_findThatCannotLook(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(3))
	e.set(fault{"Query", 1, fail(errLost)})
	if _, _, err := e.seeder().FindRange(t.Context(), r); !errors.Is(err, dynamo.ErrUnknown) || errors.Is(err, dynamo.ErrGone) {
		t.Errorf("find: %v", err)
	}
}

// A deletion that cannot find out what became of those that were refused has failed,
// wherever it stops.
func TestRange_deletionThatCannotLook(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]fault{
		"what was refused":       {"Query", 2, fail(errLost)},
		"to delete it once more": {"BatchExecuteStatement", 2, fail(errLost)},
		"what is left":           {"Query", 3, fail(errLost)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			r := createRange(t, e, days(3))
			e.set(fails, fault{"BatchExecuteStatement", 1, before(func() { e.change(t, july, signal.Item{"globalId": signal.S("another")}) })})
			if err := e.seeder().DeleteRange(t.Context(), camp, r.ID); !errors.Is(err, dynamo.ErrUnknown) || errors.Is(err, dynamo.ErrNotOurs) {
				t.Errorf("delete: %v, want why it could not", err)
			}
		})
	}
}

// One update grows a range, fills in what is missing and changes its terms: new dates
// start as it says, but where a signal was missing, flips were lost.
func TestRange_updateOfAllAtOnce(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	was := createRange(t, e, days(5))
	missing := july.AddDays(2)
	e.write(t, protocol.Write{Op: "remove", Kind: protocol.Delete, Key: campOn(missing).Key()})
	r := was
	r.Span, r.Pattern, r.Start = days(8).Span, tiered, dynamo.Start{Value: "full"}
	state, err := e.seeder().UpdateRange(t.Context(), was, r)
	if err != nil || !state.Complete || state.ID != r.ID {
		t.Fatalf("update: %+v, %v", state, err)
	}
	items := e.partition(t)
	if got := dates(items, is("gsisk", "clean")); got != "2026-07-06/2026-07-08" {
		t.Errorf("clean are %s, want the new dates alone: a changed pattern is a flip", got)
	}
	if got := dates(items, is("value", "full")); got != "2026-07-06/2026-07-08" {
		t.Errorf("with the initial value are %s, want the new dates alone", got)
	}
	if state, err := e.seeder().ReadRange(t.Context(), r); err != nil || state.ID != r.ID || len(state.Missing)+len(state.Drifted)+len(state.Repairs) > 0 {
		t.Errorf("read: %+v, %v", state, err)
	}
}

// An update, too, deletes its signal by whatever globalId.
func TestRange_shrinksByWhateverGlobalID(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	was := createRange(t, e, days(3))
	r := was
	r.Span = days(2).Span
	meanwhile(t, e, july.AddDays(2), false, signal.Item{signal.AttrGlobalID: signal.S("another")})
	if state, err := e.hasty().UpdateRange(t.Context(), was, r); err != nil || len(state.Left) > 0 {
		t.Errorf("update: %+v, %v", state, err)
	}
	if got := dates(e.partition(t), all); got != r.Span.String() {
		t.Errorf("there is %s", got)
	}
}

// What stands on no date is no date's of a range, though it says that it is its own.
func TestRange_whatStandsOnNoDate(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := createRange(t, e, days(3))
	noDate := e.item(t, campOn(july).Key())
	noDate["sk"] = signal.S("2026-07-02, or so")
	e.put(t, noDate)
	if found, _, err := e.seeder().FindRange(t.Context(), r); err != nil || found.Span != r.Span {
		t.Errorf("find: %s, %v", found.Span, err)
	}
}
