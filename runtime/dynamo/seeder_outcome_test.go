package dynamo_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Another incarnation is another's, also where its owner is of the same kind.
func TestSeeder_anotherIncarnationIsAnothers(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	made := create(t, e, july)
	want := terms(july)
	want.Bucket = "15min"
	says := "it is another's now: signal " + made.GlobalID + `, seeded by "terraform:` + made.GlobalID + `"`
	if _, err := e.seeder().Update(t.Context(), campOn(july), "an-earlier-one", want); !errors.Is(err, dynamo.ErrNotOurs) || err.Error() != says {
		t.Errorf("update: %v, want: %s", err, says)
	}
	if err := e.seeder().Delete(t.Context(), campOn(july), "an-earlier-one"); !errors.Is(err, dynamo.ErrNotOurs) || err.Error() != says {
		t.Errorf("delete: %v, want: %s", err, says)
	}
	item := e.item(t, campOn(july).Key())
	if item.Text("globalId") != made.GlobalID || item.Text("gsipk") != "cadenceBucket::5min" {
		t.Errorf("there is %v", item)
	}
}

// One whose owner was taken away is deleted by its globalId, but not what is no
// signal, nor what has another owner.
func TestSeeder_deletesItsOwnWithoutAnOwner(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change signal.Item
		gone   bool
		// tries is how many deletions that takes.
		tries int
	}{
		"without an owner":    {signal.Item{"seededBy": {}}, true, 2},
		"of another owner":    {signal.Item{"seededBy": signal.S("stream")}, false, 1},
		"no signal":           {signal.Item{"seededBy": {}, "schema": signal.S("calendarEntry")}, false, 1},
		"another incarnation": {signal.Item{"seededBy": {}, "globalId": signal.S("another")}, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			made := create(t, e, july)
			item := e.item(t, made.Key())
			for attr, v := range tt.change {
				if item[attr] = v; !v.Exists() {
					delete(item, attr)
				}
			}
			e.put(t, item)
			e.set()
			err := e.seeder().Delete(t.Context(), campOn(july), made.GlobalID)
			if gone := e.item(t, made.Key()) == nil; gone != tt.gone || (err == nil) != tt.gone || e.called("DeleteItem") != tt.tries {
				t.Errorf("gone: %t, %v, after %d tries", gone, err, e.called("DeleteItem"))
			}
		})
	}
}

func TestSeeder_expiresNow(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	want := terms(july)
	if _, err := e.at(want.Expiry).Create(t.Context(), campOn(july), want, dynamo.Start{}); !errors.Is(err, dynamo.ErrExpired) {
		t.Errorf("at its expiry: %v", err)
	}
	if _, err := e.at(want.Expiry.Add(-time.Millisecond)).Create(t.Context(), campOn(july), want, dynamo.Start{}); err != nil {
		t.Errorf("just before: %v", err)
	}
}

// What becomes of a creation that has failed is found out by a read, and, where that
// fails too, taken back; but not where nothing can have been written.
func TestSeeder_settlesWhatItCreated(t *testing.T) {
	t.Parallel()
	denied := code("AccessDeniedException", "not you")
	for name, tt := range map[string]struct {
		faults    []fault
		want      error // nil for success
		leftover  bool
		there     bool
		deletions int
	}{
		"applied, and read":              {[]fault{{"PutItem", 1, loseAnswer}}, nil, false, true, 0},
		"not applied, and read":          {[]fault{{"PutItem", 1, fail(errLost)}}, dynamo.ErrUnknown, false, false, 0},
		"applied, and not to be read":    {[]fault{{"PutItem", 1, loseAnswer}, {"GetItem", 2, fail(errLost)}}, dynamo.ErrUnknown, false, false, 1},
		"applied, throttled, and so on":  {[]fault{{"PutItem", 1, overRate}, {"GetItem", 2, fail(errLost)}}, dynamo.ErrThrottled, false, false, 1},
		"denied, and not to be read":     {[]fault{{"PutItem", 1, fail(denied)}, {"GetItem", 2, fail(denied)}}, dynamo.ErrAccessDenied, false, false, 0},
		"applied, and nothing goes then": {[]fault{{"PutItem", 1, loseAnswer}, {"GetItem", 2, fail(errLost)}, {"DeleteItem", 1, fail(errLost)}}, dynamo.ErrUnknown, true, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			e.set(tt.faults...)
			made, err := e.seeder().Create(t.Context(), campOn(july), terms(july), dynamo.Start{})
			_, leftover := errors.AsType[*dynamo.LeftoverError](err)
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || leftover != tt.leftover || e.called("DeleteItem") != tt.deletions {
				t.Errorf("%v, leftover %t, after %d deletions", err, leftover, e.called("DeleteItem"))
			}
			item := e.item(t, campOn(july).Key())
			if (item != nil) != tt.there || err == nil && item.Text("globalId") != made.GlobalID {
				t.Errorf("there is %v", item)
			}
		})
	}
}

// The same of a deletion: gone is gone, whoever did it.
func TestSeeder_settlesWhatItDeleted(t *testing.T) {
	t.Parallel()
	denied := code("AccessDeniedException", "not you")
	for name, tt := range map[string]struct {
		faults []fault
		want   error
		reads  int
	}{
		"applied, and read":           {[]fault{{"DeleteItem", 1, loseAnswer}}, nil, 1},
		"not applied, and read":       {[]fault{{"DeleteItem", 1, fail(errLost)}}, dynamo.ErrUnknown, 1},
		"applied, and not to be read": {[]fault{{"DeleteItem", 1, loseAnswer}, {"GetItem", 1, fail(errLost)}}, dynamo.ErrUnknown, 1},
		"denied":                      {[]fault{{"DeleteItem", 1, fail(denied)}}, dynamo.ErrAccessDenied, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			made := create(t, e, july)
			e.set(tt.faults...)
			err := e.seeder().Delete(t.Context(), campOn(july), made.GlobalID)
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || e.called("GetItem") != tt.reads {
				t.Errorf("%v, after %d reads", err, e.called("GetItem"))
			}
		})
	}
}

// What is no signal is read as such.
func TestSeeder_readsSignalsAlone(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	item := protocol.Seed(seeding(july), now).Item
	item["schema"] = signal.S("calendarEntry")
	e.put(t, item)
	if _, err := e.seeder().Read(t.Context(), campOn(july)); !errors.Is(err, dynamo.ErrNotOurs) {
		t.Errorf("%v, want that it is not ours", err)
	}
}

// What is known needs no further look.
func TestSeeder_readsNoMoreThanItMust(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault fault
		want  error
	}{
		"written": {fault{}, nil},
		"denied":  {fault{"UpdateItem", 1, fail(code("AccessDeniedException", ""))}, dynamo.ErrAccessDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			e.set()
			made := create(t, e, july)
			if e.called("GetItem") != 1 {
				t.Errorf("create: %d reads, want the bucket alone", e.called("GetItem"))
			}
			want := terms(july)
			want.Pattern = tiered
			e.set(tt.fault)
			// The signal, and the bucket.
			if _, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || e.called("GetItem") != 2 {
				t.Errorf("update: %v after %d reads", err, e.called("GetItem"))
			}
			e.set()
			if err := e.seeder().Delete(t.Context(), campOn(july), made.GlobalID); err != nil || e.called("GetItem") != 0 {
				t.Errorf("delete: %v after %d reads", err, e.called("GetItem"))
			}
		})
	}
}

// It is still one's own, but another pattern than the one that was looked at.
func TestSeeder_patternChangedMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	made := create(t, e, july)
	e.register(t, "15min")
	want := terms(july)
	want.Bucket = "15min"
	e.set(fault{"UpdateItem", 1, before(func() {
		e.change(t, july, signal.Item{"availabilityEstimationPattern": tiered.Value()})
	})})
	_, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want)
	if !errors.Is(err, dynamo.ErrConflict) || errors.Is(err, dynamo.ErrNotOurs) {
		t.Errorf("update: %v, want that it is to be repeated", err)
	}
}

// What somebody has noted in a pattern beside is no reason to be refused.
func TestSeeder_patternWithANote(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	made := create(t, e, july)
	fields, _ := e.item(t, made.Key())[signal.AttrPattern].Fields()
	fields["note"] = signal.S("theirs")
	e.change(t, july, signal.Item{signal.AttrPattern: signal.M(fields)})
	want := terms(july)
	want.Bucket = "15min"
	if _, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want); err != nil {
		t.Error(err)
	}
	if item := e.item(t, made.Key()); item.Text(signal.AttrGSISK) != signal.Clean || item.Text(signal.AttrGSIPK) != signal.BucketID("15min") {
		t.Errorf("moved: %v", item)
	}
}

// overRate carries a call out whose answer is lost; its repeat is throttled.
func overRate(send func() error) error {
	_ = send()
	return code("ThrottlingException", "")
}

// A change that was made stays made, though the last that was heard of it is that the
// table is over its rate.
func TestSeeder_throttledAfterItWasApplied(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	made := create(t, e, july)
	want := terms(july)
	want.Bucket = "15min"
	e.set(fault{"UpdateItem", 1, overRate})
	if got, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want); err != nil || got.Bucket != "15min" {
		t.Errorf("update: %+v, %v", got, err)
	}
}

// In another bucket a signal has that bucket's cadence.
func TestSeeder_anotherBucketsCadence(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	hourly := bucket("1h", "hourly")
	hourly.Cadence = signal.Cadence{Hours: 1}
	if err := dynamo.NewRegistry(e.store).Create(t.Context(), hourly); err != nil {
		t.Fatal(err)
	}
	made := create(t, e, july)
	want := terms(july)
	want.Bucket = "1h"
	if _, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want); err != nil {
		t.Fatal(err)
	}
	pattern, err := signal.ParsePattern(e.item(t, made.Key())[signal.AttrPattern])
	if err != nil || pattern.Cadence != hourly.Cadence {
		t.Errorf("cadence %+v, %v", pattern.Cadence, err)
	}
}

// Without a random id nothing is written: there would be two of one name.
func TestSeeder_withoutRandomness(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	e.stand(t, july, "")
	nameless := e.item(t, campOn(july).Key())
	delete(nameless, signal.AttrGlobalID)
	e.put(t, nameless)
	before := e.partition(t)
	const says = "make a random id: unexpected EOF"
	seeder, steward := dynamo.NewSeeder(e, e.table, clock, noRandom{}), dynamo.NewSteward(e, e.table, "stream", clock, noRandom{})
	want := terms(july.AddDays(1))
	if _, err := seeder.Create(t.Context(), campOn(july.AddDays(1)), want, dynamo.Start{}); err == nil || err.Error() != says {
		t.Errorf("create: %v", err)
	}
	if _, _, err := seeder.CreateRange(t.Context(), days(3)); err == nil || err.Error() != says {
		t.Errorf("create a range: %v", err)
	}
	if _, err := seeder.Update(t.Context(), campOn(july), "", terms(july)); err == nil || err.Error() != says {
		t.Errorf("name: %v", err)
	}
	if err := steward.Adopt(t.Context(), look(t, e.steward(), campOn(july)), terms(july), bucket("5min", "one")); err == nil || err.Error() != says {
		t.Errorf("adopt: %v", err)
	}
	if diff := cmp.Diff(before, e.partition(t)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}

type noRandom struct{}

func (noRandom) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
