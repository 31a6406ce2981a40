package dynamo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func terms(d signal.Date) dynamo.Terms {
	return dynamo.Terms{Bucket: "5min", Pattern: exact, Expiry: signal.Expiry(d, time.UTC)}
}

// create seeds a signal that must come to be.
func create(t *testing.T, e *engine, d signal.Date) dynamo.Seeded {
	t.Helper()
	made, err := e.seeder().Create(t.Context(), campOn(d), terms(d), dynamo.Start{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestSeeder_createWritesTheContract(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	want := terms(july)
	want.Pattern = tiered
	made, err := e.seeder().Create(t.Context(), campOn(july), want, dynamo.Start{})
	if err != nil {
		t.Fatal(err)
	}
	wantItem := signal.Item{
		"pk":       signal.S("availabilitySignal::mockPark1::backcountryCamp::1::1"),
		"sk":       signal.S("2026-07-01"),
		"gsipk":    signal.S("cadenceBucket::5min"),
		"gsisk":    signal.S("clean"),
		"schema":   signal.S("availabilitySignal"),
		"globalId": signal.S(made.GlobalID),
		"seededBy": signal.S("terraform:" + made.GlobalID),
		"expiry":   signal.S("2026-07-02T00:00:00.000Z"),
		"ttl":      signal.N(1782950400),
		"rev":      signal.N(0),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{
			"estimationMode": signal.S("tiered"),
			"cadence":        signal.M(map[string]signal.Value{"minutes": signal.N(5)}),
			"tiers": signal.L(
				signal.M(map[string]signal.Value{"id": signal.S("full"), "label": signal.S("Full"), "maxPercentage": signal.N(0)}),
				signal.M(map[string]signal.Value{"id": signal.S("low"), "label": signal.S("Low"), "maxPercentage": signal.Decimal("0.25")}),
				signal.M(map[string]signal.Value{"id": signal.S("medium"), "label": signal.S("Medium"), "maxPercentage": signal.Decimal("0.75")}),
				signal.M(map[string]signal.Value{"id": signal.S("high"), "label": signal.S("High"), "maxPercentage": signal.N(1)}),
			),
		}),
	}
	if diff := cmp.Diff(wantItem, e.item(t, campOn(july).Key())); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	if id := made.GlobalID; len(id) != 36 || strings.Count(id, "-") != 4 || id[14] != '4' {
		t.Errorf("globalId %q is no UUID", id)
	}
	read, err := e.seeder().Read(t.Context(), campOn(july))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, read, cmp.AllowUnexported(signal.Fraction{})); diff != "" {
		t.Errorf("read (-made +read):\n%s", diff)
	}
}

func TestSeeder_createStarts(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	tests := map[string]struct {
		start                    dynamo.Start
		gsisk, value, dirtySince string
	}{
		"clean":            {dynamo.Start{}, "clean", "", ""},
		"dirty":            {dynamo.Start{Dirty: true}, "dirty", "", "2026-06-01T12:00:00.000Z"},
		"with a value":     {dynamo.Start{Value: "7", Dirty: true}, "dirty", "7", "2026-06-01T12:00:00.000Z"},
		"clean, and value": {dynamo.Start{Value: "7"}, "clean", "7", ""},
	}
	d := july
	for name, tt := range tests {
		d = d.AddDays(1)
		if _, err := e.seeder().Create(t.Context(), campOn(d), terms(d), tt.start); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		item := e.item(t, campOn(d).Key())
		if item.Text("gsisk") != tt.gsisk || item.Text("value") != tt.value || item.Text("dirtySince") != tt.dirtySince || item["value"].Exists() != (tt.value != "") {
			t.Errorf("%s: starts %v", name, item)
		}
	}
}

func TestSeeder_createRefuses(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	create(t, e, july)
	e.put(t, signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("2026-07-02"), "schema": signal.S("note")})
	unregistered := terms(july.AddDays(2))
	unregistered.Bucket = "7min"
	past := july.AddDays(-100)
	tests := []struct {
		name string
		date signal.Date
		want dynamo.Terms
		is   error
		text string
	}{
		{"an existing signal", july, terms(july), dynamo.ErrExists, `seeded by "terraform:`},
		{"an item of another kind", july.AddDays(1), terms(july.AddDays(1)), dynamo.ErrExists, `an item of schema "note"`},
		{"an unregistered bucket", july.AddDays(2), unregistered, dynamo.ErrNotRegistered, `"7min"`},
		{"an expired signal", past, terms(past), dynamo.ErrExpired, "2026-03-24T00:00:00.000Z"},
	}
	for _, tt := range tests {
		before := e.item(t, campOn(tt.date).Key())
		_, err := e.seeder().Create(t.Context(), campOn(tt.date), tt.want, dynamo.Start{})
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v, want %q and %q in it", tt.name, err, tt.is, tt.text)
		}
		if diff := cmp.Diff(before, e.item(t, campOn(tt.date).Key())); diff != "" {
			t.Errorf("%s: it was touched:\n%s", tt.name, diff)
		}
	}
	if _, err := dynamo.NewSeeder(e, "availability-no-such-table", clock, nil).Create(t.Context(), campOn(july), terms(july), dynamo.Start{}); !errors.Is(err, dynamo.ErrTableNotFound) {
		t.Errorf("no table: %v", err)
	}
}

// After any error it is known whether the signal is there, or it is said that it
// is not known.
func TestSeeder_createEndsInOneWay(t *testing.T) {
	t.Parallel()
	denied := code("AccessDeniedException", "not allowed")
	tests := map[string]struct {
		faults []fault
		// there is whether the item exists afterwards, left whether that was said.
		there, left bool
		is          error
	}{
		"nothing fails":                       {nil, true, false, nil},
		"answer lost, repeated":               {[]fault{{"PutItem", 1, repeat}}, true, false, nil},
		"answer lost":                         {[]fault{{"PutItem", 1, loseAnswer}}, true, false, nil},
		"request lost":                        {[]fault{{"PutItem", 1, fail(errLost)}}, false, false, dynamo.ErrUnknown},
		"throttled":                           {[]fault{{"PutItem", 1, fail(code("ThrottlingException", ""))}}, false, false, dynamo.ErrThrottled},
		"denied":                              {[]fault{{"PutItem", 1, fail(denied)}}, false, false, dynamo.ErrAccessDenied},
		"answer lost, reading fails":          {[]fault{{"PutItem", 1, loseAnswer}, {"GetItem", 2, fail(errLost)}}, false, false, dynamo.ErrUnknown},
		"request lost, reading fails":         {[]fault{{"PutItem", 1, fail(errLost)}, {"GetItem", 2, fail(errLost)}}, false, false, dynamo.ErrUnknown},
		"denied, reading too":                 {[]fault{{"PutItem", 1, fail(denied)}, {"GetItem", 2, fail(denied)}}, false, false, dynamo.ErrAccessDenied},
		"answer lost, then all else":          {[]fault{{"PutItem", 1, loseAnswer}, {"GetItem", 2, fail(errLost)}, {"DeleteItem", 1, fail(errLost)}}, true, true, dynamo.ErrUnknown},
		"answer lost, taking back unanswered": {[]fault{{"PutItem", 1, loseAnswer}, {"GetItem", 2, fail(errLost)}, {"DeleteItem", 1, loseAnswer}}, false, true, dynamo.ErrUnknown},
		"registry unread":                     {[]fault{{"GetItem", 1, fail(errLost)}}, false, false, dynamo.ErrUnknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			e.set(tt.faults...)
			made, err := e.seeder().Create(t.Context(), campOn(july), terms(july), dynamo.Start{})
			if !errors.Is(err, tt.is) || (err == nil) != (tt.is == nil) {
				t.Errorf("error %v, want %v", err, tt.is)
			}
			leftover, left := errors.AsType[*dynamo.LeftoverError](err)
			if left != tt.left {
				t.Errorf("says that it may be left: %t, want %t", left, tt.left)
			}
			item := e.item(t, campOn(july).Key())
			if (item != nil) != tt.there {
				t.Errorf("the item: %v, want one: %t", item, tt.there)
			}
			if left {
				made = leftover.Seeded
			}
			if item != nil && item.Text(signal.AttrGlobalID) != made.GlobalID {
				t.Errorf("globalId %q is returned, %q is there", made.GlobalID, item.Text(signal.AttrGlobalID))
			}
			// Whatever it was, a repeat converges.
			e.set()
			if !tt.there {
				create(t, e, july)
			}
		})
	}
}

func TestSeeder_createOfOneWhoGivesUp(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	ctx, cancel := context.WithCancel(t.Context())
	// What is under way when its caller gives up ends by itself.
	e.set(fault{"PutItem", 1, before(cancel)})
	if _, err := e.seeder().Create(ctx, campOn(july), terms(july), dynamo.Start{}); err != nil {
		t.Errorf("given up on the way: %v", err)
	}
	if e.item(t, campOn(july).Key()) == nil {
		t.Error("it is not there")
	}
	if _, err := e.seeder().Create(ctx, campOn(july.AddDays(1)), terms(july), dynamo.Start{}); !errors.Is(err, context.Canceled) {
		t.Errorf("given up before: %v", err)
	}
}

func TestSeeder_update(t *testing.T) {
	t.Parallel()
	renamed := signal.Pattern{Mode: signal.Tiered, Tiers: signal.DefaultTiers()}
	renamed.Tiers[1].Label = "Nearly sold out"
	coarse := signal.Pattern{Mode: signal.Tiered, Tiers: append(signal.DefaultTiers()[:1:1], signal.DefaultTiers()[3])}
	tests := map[string]struct {
		change func(*dynamo.Terms)
		// The item's attributes that are other than before, as text.
		want map[string]string
	}{
		"nothing":                   {func(*dynamo.Terms) {}, nil},
		"bucket":                    {func(w *dynamo.Terms) { w.Bucket = "15min" }, map[string]string{"gsipk": "cadenceBucket::15min"}},
		"expiry":                    {func(w *dynamo.Terms) { w.Expiry = w.Expiry.Add(7 * time.Hour) }, map[string]string{"expiry": "2026-07-02T07:00:00.000Z", "ttl": "1782975600"}},
		"pattern":                   {func(w *dynamo.Terms) { w.Pattern = exact }, map[string]string{"gsisk": "dirty", "rev": "1", "dirtySince": "2026-06-01T12:00:00.000Z", "mode": "exact"}},
		"tiers":                     {func(w *dynamo.Terms) { w.Pattern = coarse }, map[string]string{"gsisk": "dirty", "rev": "1", "dirtySince": "2026-06-01T12:00:00.000Z", "tiers": "2"}},
		"a label, which is no flip": {func(w *dynamo.Terms) { w.Pattern = renamed }, map[string]string{"label": "Nearly sold out"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min", "15min")
			want := terms(july)
			want.Pattern = tiered
			made, err := e.seeder().Create(t.Context(), campOn(july), want, dynamo.Start{Value: "high"})
			if err != nil {
				t.Fatal(err)
			}
			before := flat(e.item(t, campOn(july).Key()))
			tt.change(&want)
			e.set()
			got, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want)
			if err != nil {
				t.Fatal(err)
			}
			got.Pattern.Cadence = signal.Cadence{}
			if diff := cmp.Diff(want, got.Terms, cmp.AllowUnexported(signal.Fraction{})); diff != "" {
				t.Errorf("terms (-want +got):\n%s", diff)
			}
			if tt.want == nil && e.called("UpdateItem") != 0 {
				t.Error("it was written though nothing was to be changed")
			}
			for name, text := range tt.want {
				before[name] = text
			}
			if diff := cmp.Diff(before, flat(e.item(t, campOn(july).Key()))); diff != "" {
				t.Errorf("item (-want +got):\n%s", diff)
			}
		})
	}
}

// flat is an item as text, its pattern as mode, number of tiers and a label.
func flat(item signal.Item) map[string]string {
	text := map[string]string{}
	for name, v := range item {
		if s, ok := v.Text(); ok {
			text[name] = s
		}
		if n, ok := v.Number(); ok {
			text[name] = n
		}
	}
	p, _ := item[signal.AttrPattern].Fields()
	text["mode"], _ = p["estimationMode"].Text()
	if tiers, ok := p["tiers"].Elements(); ok && text["mode"] == "tiered" {
		text["tiers"] = string(rune('0' + len(tiers)))
		second, _ := tiers[1].Fields()
		text["label"], _ = second["label"].Text()
	}
	if text["mode"] == "exact" || text["tiers"] == "2" {
		text["label"] = "Low"
	}
	if text["mode"] == "exact" {
		text["tiers"] = "4"
	}
	return text
}

// What a check writes meanwhile is not touched, and does not stand in the way.
func TestSeeder_updateLeavesTheRuntimesAttributes(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	made := create(t, e, july)
	key := campOn(july).Key()
	e.write(t, protocol.Flip(key, now))
	claim := func() { e.write(t, protocol.Claim(key, "check-1", now, time.Minute)) }
	e.set(fault{"UpdateItem", 1, before(claim)})
	want := terms(july)
	want.Bucket = "15min"
	if _, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want); err != nil {
		t.Fatal(err)
	}
	item := e.item(t, key)
	if item.Text("claimedBy") != "check-1" || item.Int("claimedRev") != 1 || item.Int("rev") != 1 || item.Text("gsisk") != "dirty" {
		t.Errorf("the claim did not survive: %v", item)
	}
	if item.Text("gsipk") != "cadenceBucket::15min" {
		t.Errorf("it is in %q", item.Text("gsipk"))
	}
}

func TestSeeder_updateOfWhatIsNotOnesOwn(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	made := create(t, e, july)
	want := terms(july)
	want.Bucket = "15min"
	var there signal.Item
	update := func(is error, what string) {
		t.Helper()
		there = e.item(t, campOn(july).Key())
		if _, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want); !errors.Is(err, is) {
			t.Errorf("%s: %v, want %q", what, err, is)
		}
		if diff := cmp.Diff(there, e.item(t, campOn(july).Key())); diff != "" {
			t.Errorf("%s: it was touched:\n%s", what, diff)
		}
	}
	another := seeding(july)
	taken := func() { e.put(t, protocol.Seed(another, now).Item) }
	gone := func() {
		there = nil
		e.write(t, protocol.DeleteBySeeder(campOn(july).Key(), protocol.Identity{GlobalID: made.GlobalID, SeededBy: signal.S(made.SeededBy)}))
	}

	want.Bucket = "7min"
	update(dynamo.ErrNotRegistered, "to an unregistered bucket")
	want.Bucket = "15min"
	e.set(fault{"UpdateItem", 1, before(gone)})
	update(dynamo.ErrGone, "deleted meanwhile")
	e.set()
	update(dynamo.ErrGone, "deleted")
	e.write(t, protocol.Seed(another, now))
	update(dynamo.ErrNotOurs, "seeded anew")
	another.GlobalID, another.SeededBy = made.GlobalID, "stream"
	e.put(t, protocol.Seed(another, now).Item)
	update(dynamo.ErrNotOurs, "taken over")
	another.SeededBy = "terraform:a range's"
	e.put(t, protocol.Seed(another, now).Item)
	update(dynamo.ErrNotOurs, "adopted by a range")
	e.put(t, signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("2026-07-01"), "schema": signal.S("note")})
	update(dynamo.ErrNotOurs, "of another schema")

	// Whose it is by now is said, too.
	another.SeededBy = made.SeededBy
	taken()
	another.SeededBy = "stream"
	e.set(fault{"UpdateItem", 1, before(taken)})
	_, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want)
	if other, ok := errors.AsType[*dynamo.NotOursError](err); !ok || other.SeededBy != "stream" {
		t.Errorf("taken over meanwhile: %v", err)
	}
}

func TestSeeder_updateEndsInOneWay(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		faults []fault
		done   bool
		is     error
	}{
		"answer lost":                {[]fault{{"UpdateItem", 1, loseAnswer}}, true, nil},
		"request lost":               {[]fault{{"UpdateItem", 1, fail(errLost)}}, false, dynamo.ErrUnknown},
		"throttled":                  {[]fault{{"UpdateItem", 1, fail(code("ThrottlingException", ""))}}, false, dynamo.ErrThrottled},
		"denied":                     {[]fault{{"UpdateItem", 1, fail(code("AccessDeniedException", ""))}}, false, dynamo.ErrAccessDenied},
		"answer lost, reading fails": {[]fault{{"UpdateItem", 1, loseAnswer}, {"GetItem", 3, fail(errLost)}}, true, dynamo.ErrUnknown},
		"reading fails":              {[]fault{{"GetItem", 1, fail(errLost)}}, false, dynamo.ErrUnknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min", "15min")
			made := create(t, e, july)
			want := terms(july)
			want.Bucket, want.Pattern = "15min", tiered
			e.set(tt.faults...)
			if _, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want); !errors.Is(err, tt.is) || (err == nil) != (tt.is == nil) {
				t.Errorf("error %v, want %v", err, tt.is)
			}
			if done := e.item(t, campOn(july).Key()).Text("gsipk") == "cadenceBucket::15min"; done != tt.done {
				t.Errorf("done: %t, want %t", done, tt.done)
			}
			e.set()
			if _, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, want); err != nil {
				t.Errorf("the repeat: %v", err)
			}
			if item := e.item(t, campOn(july).Key()); item.Text("gsipk") != "cadenceBucket::15min" || item.Text("gsisk") != "dirty" {
				t.Errorf("after the repeat: %v", item)
			}
		})
	}
}

func TestSeeder_delete(t *testing.T) {
	t.Parallel()
	another, taken, orphan, note := seeding(july), seeding(july), seeding(july), signal.Item{"pk": signal.S(camp.PK()), "sk": signal.S("2026-07-01"), "schema": signal.S("note")}
	tests := map[string]struct {
		// there makes the item that is there, given the globalId of what was seeded.
		there  func(id string) signal.Item
		faults []fault
		gone   bool
		is     error
	}{
		"one's own":   {nil, nil, true, nil},
		"nothing":     {func(string) signal.Item { return nil }, nil, true, nil},
		"seeded anew": {func(string) signal.Item { return protocol.Seed(another, now).Item }, nil, false, dynamo.ErrNotOurs},
		"taken over":  {func(id string) signal.Item { taken.GlobalID = id; return protocol.Seed(taken, now).Item }, nil, false, dynamo.ErrNotOurs},
		"its owner removed": {func(id string) signal.Item {
			orphan.GlobalID = id
			i := protocol.Seed(orphan, now).Item
			delete(i, "seededBy")
			return i
		}, nil, true, nil},
		"of another schema":     {func(string) signal.Item { return note }, nil, false, dynamo.ErrNotOurs},
		"answer lost":           {nil, []fault{{"DeleteItem", 1, loseAnswer}}, true, nil},
		"answer lost, repeated": {nil, []fault{{"DeleteItem", 1, repeat}}, true, nil},
		"request lost":          {nil, []fault{{"DeleteItem", 1, fail(errLost)}}, false, dynamo.ErrUnknown},
		"throttled":             {nil, []fault{{"DeleteItem", 1, fail(code("ThrottlingException", ""))}}, false, dynamo.ErrThrottled},
		"denied":                {nil, []fault{{"DeleteItem", 1, fail(code("AccessDeniedException", ""))}}, false, dynamo.ErrAccessDenied},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			made := create(t, e, july)
			if tt.there != nil {
				if item := tt.there(made.GlobalID); item != nil {
					e.put(t, item)
				} else if err := e.seeder().Delete(t.Context(), campOn(july), made.GlobalID); err != nil {
					t.Fatal(err)
				}
			}
			e.set(tt.faults...)
			if err := e.seeder().Delete(t.Context(), campOn(july), made.GlobalID); !errors.Is(err, tt.is) || (err == nil) != (tt.is == nil) {
				t.Errorf("error %v, want %v", err, tt.is)
			}
			if item := e.item(t, campOn(july).Key()); (item == nil) != tt.gone {
				t.Errorf("left: %v", item)
			}
		})
	}
}

func TestSeeder_readWhatOthersWrote(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.put(t, signal.Item{
		"pk": signal.S(camp.PK()), "sk": signal.S("2026-07-01"), "schema": signal.S("availabilitySignal"),
		"globalId": signal.S("c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"), "value": signal.S("high"),
		"availabilityEstimationPattern": signal.M(map[string]signal.Value{"estimationMode": signal.S("exact"), "cadence": signal.S("5min")}),
		"expiry":                        signal.S("2026-07-02T00:00:00Z"),
	})
	got, err := e.seeder().Read(t.Context(), campOn(july))
	if err != nil {
		t.Fatal(err)
	}
	want := dynamo.Seeded{
		ProductDate: campOn(july), GlobalID: "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b",
		Terms:  dynamo.Terms{Pattern: signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{ID: "5min"}}, Expiry: time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC)},
		Stored: signal.M(map[string]signal.Value{"estimationMode": signal.S("exact"), "cadence": signal.S("5min")}),
		// It has none.
		TTLDiffers: true,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(signal.Fraction{})); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if !got.Own() {
		t.Error("a signal without an owner does not count as one's own")
	}
	if diff := cmp.Diff([]string{"seededBy", "ttl"}, got.Repairs()); diff != "" {
		t.Errorf("repairs (-want +got):\n%s", diff)
	}
	if _, err := e.seeder().Read(t.Context(), campOn(july.AddDays(1))); !errors.Is(err, dynamo.ErrGone) {
		t.Errorf("nothing: %v", err)
	}
}
