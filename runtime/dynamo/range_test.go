package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// days is a range of that many dates from the first of July on.
func days(n int) dynamo.Range {
	return dynamo.Range{
		Product: camp, Span: dynamo.Span{First: july, Last: july.AddDays(n - 1)},
		Bucket: "5min", Pattern: exact, Zone: time.UTC,
	}
}

func createRange(t *testing.T, e *engine, r dynamo.Range) dynamo.Range {
	t.Helper()
	state, why, err := e.seeder().CreateRange(t.Context(), r)
	if err != nil || why != nil || len(state.Missing) > 0 || state.Span != r.Span || state.ID == "" || !state.Complete {
		t.Fatalf("create: %+v, %v, %v", state, why, err)
	}
	r.ID = state.ID
	return r
}

// partition is the product's items by date.
func (e *engine) partition(t *testing.T) map[string]signal.Item {
	t.Helper()
	items := map[string]signal.Item{}
	for item, err := range e.store.Query(t.Context(), dynamo.Query{Hash: signal.AttrPK, Partition: camp.PK()}) {
		if err != nil {
			t.Fatal(err)
		}
		items[item.Text(signal.AttrSK)] = item
	}
	return items
}

// spans are dates as the intervals they make.
func spans(dates []signal.Date) string {
	var text []string
	for _, s := range dynamo.Spans(dates) {
		text = append(text, s.String())
	}
	return strings.Join(text, " ")
}

// dates are the dates of items that a test selects, as intervals.
func dates(items map[string]signal.Item, which func(signal.Item) bool) string {
	var found []signal.Date
	for d := july.AddDays(-400); d.Compare(july.AddDays(4000)) < 0; d = d.AddDays(1) {
		if item, ok := items[d.String()]; ok && which(item) {
			found = append(found, d)
		}
	}
	return spans(found)
}

// absent are the dates of a span without an item.
func absent(items map[string]signal.Item, span dynamo.Span) []signal.Date {
	var found []signal.Date
	for d := span.First; span.Contains(d); d = d.AddDays(1) {
		if _, ok := items[d.String()]; !ok {
			found = append(found, d)
		}
	}
	return found
}

func all(signal.Item) bool { return true }

func is(attr, text string) func(signal.Item) bool {
	return func(i signal.Item) bool { return i.Text(attr) == text }
}

func TestSpans(t *testing.T) {
	t.Parallel()
	d := july.AddDays
	tests := []struct {
		dates []signal.Date
		want  string
	}{
		{nil, ""},
		{[]signal.Date{d(0)}, "2026-07-01/2026-07-01"},
		{[]signal.Date{d(0), d(1), d(3), d(30), d(31)}, "2026-07-01/2026-07-02 2026-07-04/2026-07-04 2026-07-31/2026-08-01"},
	}
	for _, tt := range tests {
		if got := spans(tt.dates); got != tt.want {
			t.Errorf("Spans(%v) = %q, want %q", tt.dates, got, tt.want)
		}
	}
	if n := (dynamo.Span{First: d(1), Last: d(0)}).Days(); n != 0 {
		t.Errorf("a span that ends before it begins has %d days", n)
	}
}

func TestRange_seedsEveryDate(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := days(60)
	r.Start = dynamo.Start{Dirty: true}
	r.Pattern = tiered
	r = createRange(t, e, r)
	items := e.partition(t)
	if got := dates(items, is("gsisk", "dirty")); got != "2026-07-01/2026-08-29" || len(items) != 60 {
		t.Errorf("seeded %s, %d items", got, len(items))
	}
	ids := map[string]bool{}
	for date, item := range items {
		ids[item.Text("globalId")] = true
		d, _ := signal.ParseDate(date)
		if item.Text("seededBy") != "terraform:"+r.ID || item.Text("expiry") != signal.FormatInstant(signal.Expiry(d, time.UTC)) || item.Int("ttl") != signal.Expiry(d, time.UTC).Unix() {
			t.Errorf("%s is %v", date, item)
		}
		if p, err := signal.ParsePattern(item["availabilityEstimationPattern"]); err != nil || p.Cadence.Minutes != 5 || len(p.Tiers) != 4 {
			t.Errorf("%s has the pattern %v, %v", date, p, err)
		}
	}
	if len(ids) != 60 {
		t.Errorf("%d globalIds for 60 signals", len(ids))
	}
	if n := e.called("BatchExecuteStatement"); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestRange_shardsAsItsBucketSays(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	b := bucket("5min", "one")
	b.Shards = 4
	if err := dynamo.NewRegistry(e.store).Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	want := func(b signal.Bucket) {
		t.Helper()
		found := map[string]bool{}
		for date, item := range e.partition(t) {
			d, _ := signal.ParseDate(date)
			if got, want := item.Text("gsipk"), b.GSIPK(campOn(d).Key()); got != want {
				t.Errorf("%s is in %q, want %q", date, got, want)
			}
			found[item.Text("gsipk")] = true
		}
		if len(found) < 2 {
			t.Errorf("all are in %v", found)
		}
	}
	r := createRange(t, e, days(20))
	want(b)
	// And as another bucket says, when they move there.
	other := bucket("15min", "another")
	other.Shards = 16
	if err := dynamo.NewRegistry(e.store).Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	moved := r
	moved.Bucket = "15min"
	if _, err := e.seeder().UpdateRange(t.Context(), r, moved); err != nil {
		t.Fatal(err)
	}
	want(other)
}

func TestRange_leavesThePastAlone(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	noon := time.Date(2026, 7, 3, 12, 0, 0, 0, time.UTC)
	state, why, err := e.at(noon).CreateRange(t.Context(), days(5))
	if err != nil || why != nil || len(state.Missing) > 0 {
		t.Fatalf("create: %+v, %v, %v", state, why, err)
	}
	if got := dates(e.partition(t), all); got != "2026-07-03/2026-07-05" {
		t.Errorf("seeded %s", got)
	}
	r := days(5)
	r.ID = state.ID
	if state, err := e.at(noon).ReadRange(t.Context(), r); err != nil || len(state.Missing) != 0 {
		t.Errorf("missing %s, %v", spans(state.Missing), err)
	}
	// All of it is past: nobody is asked anything.
	later := noon.AddDate(0, 0, 30)
	e.set()
	if state, err := e.at(later).ReadRange(t.Context(), r); err != nil || len(state.Missing) != 0 || e.called("Query") != 0 {
		t.Errorf("missing %s, %v, after %d calls", spans(state.Missing), err, e.called("Query"))
	}
	past := days(5)
	past.Bucket = "unregistered"
	if state, why, err := e.at(later).CreateRange(t.Context(), past); err != nil || why != nil || state.ID == "" || len(state.Missing) != 0 {
		t.Errorf("create: %+v, %v, %v", state, why, err)
	}
	// The zone decides when a date ends: in Vancouver it is still the second of July.
	zone, err := signal.LoadZone("America/Vancouver")
	if err != nil {
		t.Fatal(err)
	}
	r.Zone = zone
	if live, ok := r.Live(time.Date(2026, 7, 3, 6, 59, 59, 0, time.UTC)); !ok || live.First.String() != "2026-07-02" {
		t.Errorf("from %s on", live.First)
	}
	if live, ok := r.Live(time.Date(2026, 7, 3, 7, 0, 0, 0, time.UTC)); !ok || live.First.String() != "2026-07-03" {
		t.Errorf("from %s on", live.First)
	}
}

func TestRange_createRefusesBeforeAnyWrite(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	for i := range 12 {
		e.write(t, protocol.Seed(seeding(july.AddDays(2*i)), now))
	}
	before := e.partition(t)
	state, why, err := e.seeder().CreateRange(t.Context(), days(30))
	held, ok := errors.AsType[*dynamo.HeldError](err)
	if !ok || !errors.Is(err, dynamo.ErrExists) || why != nil || state.ID != "" || len(held.Holders) != 12 {
		t.Fatalf("create: %+v, %v, %v", state, why, err)
	}
	var want []string
	for i := range 10 {
		d := july.AddDays(2 * i)
		want = append(want, fmt.Sprintf("%s: signal id-%s, seeded by \"test\"", d, d))
	}
	if diff := cmp.Diff("already there: "+strings.Join(want, "; ")+"; and 2 more", err.Error()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, e.partition(t)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
	other := days(3)
	other.Bucket, other.ProductID = "7min", "2"
	if _, _, err := e.seeder().CreateRange(t.Context(), other); !errors.Is(err, dynamo.ErrNotRegistered) {
		t.Errorf("unregistered bucket: %v", err)
	}
}

// errorsIn makes some statements of a batch fail, which are then not carried out.
func errorsIn(f *faulty, failing func(date string) *types.BatchStatementError) {
	f.api = partly{f.api, failing}
}

type partly struct {
	dynamo.SeederAPI
	failing func(date string) *types.BatchStatementError
}

func (p partly) BatchExecuteStatement(ctx context.Context, in *dynamodb.BatchExecuteStatementInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
	answers := make([]types.BatchStatementResponse, len(in.Statements))
	var rest dynamodb.BatchExecuteStatementInput
	var at []int
	for i, s := range in.Statements {
		if e := p.failing(dateOf(s)); e != nil {
			answers[i].Error = e
			continue
		}
		rest.Statements = append(rest.Statements, s)
		at = append(at, i)
	}
	if len(at) > 0 {
		out, err := p.SeederAPI.BatchExecuteStatement(ctx, &rest, opts...)
		if err != nil {
			return nil, err
		}
		for i, a := range out.Responses {
			answers[at[i]] = a
		}
	}
	return &dynamodb.BatchExecuteStatementOutput{Responses: answers}, nil
}

func dateOf(s types.BatchStatementRequest) string {
	for _, p := range s.Parameters {
		if v, ok := p.(*types.AttributeValueMemberS); ok && len(v.Value) == 10 {
			if _, err := signal.ParseDate(v.Value); err == nil {
				return v.Value
			}
		}
	}
	return ""
}

func failure(code types.BatchStatementErrorCodeEnum) *types.BatchStatementError {
	message := "no capacity"
	return &types.BatchStatementError{Code: code, Message: &message}
}

// Entries that are throttled inside a successful answer are sent again, and only
// they.
func TestRange_throttledEntriesAreRepeated(t *testing.T) {
	t.Parallel()
	for _, code := range []types.BatchStatementErrorCodeEnum{
		types.BatchStatementErrorCodeEnumThrottlingError, types.BatchStatementErrorCodeEnumProvisionedThroughputExceeded,
		types.BatchStatementErrorCodeEnumRequestLimitExceeded, types.BatchStatementErrorCodeEnumTransactionConflict,
		types.BatchStatementErrorCodeEnumInternalServerError,
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			seen := map[string]int{}
			errorsIn(e.faulty, func(date string) *types.BatchStatementError {
				seen[date]++
				if seen[date] <= int(date[9]-'0')%3 {
					return failure(code)
				}
				return nil
			})
			createRange(t, e, days(20))
			if got := dates(e.partition(t), all); got != "2026-07-01/2026-07-20" {
				t.Errorf("seeded %s", got)
			}
			if n := e.called("BatchExecuteStatement"); n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
		})
	}
}

func TestRange_createEndsInOneWay(t *testing.T) {
	t.Parallel()
	denied := code("AccessDeniedException", "not allowed")
	reject := func(from string, code types.BatchStatementErrorCodeEnum) func(string) *types.BatchStatementError {
		return func(date string) *types.BatchStatementError {
			if date >= from {
				return failure(code)
			}
			return nil
		}
	}
	tests := map[string]struct {
		faults  []fault
		failing func(string) *types.BatchStatementError
		// none is whether there is no state; else missing are the missing dates, "?"
		// for those that are not there, and there is a reason if there are any.
		none    bool
		missing string
		is      error
		there   string
	}{
		"answer lost, repeated":           {faults: []fault{{"BatchExecuteStatement", 2, repeat}}, there: "2026-07-01/2026-09-08"},
		"an answer lost":                  {faults: []fault{{"BatchExecuteStatement", 3, loseAnswer}}, there: "2026-07-01/2026-09-08"},
		"every answer lost":               {faults: []fault{{"BatchExecuteStatement", 0, loseAnswer}}, missing: "?", is: dynamo.ErrUnknown},
		"every request lost":              {faults: []fault{{"BatchExecuteStatement", 0, fail(errLost)}}, none: true, is: dynamo.ErrUnknown},
		"throttled":                       {faults: []fault{{"BatchExecuteStatement", 0, fail(code("ThrottlingException", ""))}}, none: true, is: dynamo.ErrThrottled},
		"denied":                          {faults: []fault{{"BatchExecuteStatement", 0, fail(denied)}}, none: true, is: dynamo.ErrAccessDenied},
		"denied, each":                    {failing: reject("", types.BatchStatementErrorCodeEnumAccessDenied), none: true, is: dynamo.ErrAccessDenied},
		"no such table any more":          {failing: reject("", types.BatchStatementErrorCodeEnumResourceNotFound), none: true, is: dynamo.ErrTableNotFound},
		"some rejected":                   {failing: reject("2026-07-20", types.BatchStatementErrorCodeEnumValidationError), missing: "2026-07-20/2026-09-08", is: dynamo.ErrRejected, there: "2026-07-01/2026-07-19"},
		"some throttled for ever":         {failing: reject("2026-09-05", types.BatchStatementErrorCodeEnumThrottlingError), missing: "2026-09-05/2026-09-08", is: dynamo.ErrThrottled, there: "2026-07-01/2026-09-04"},
		"denied, and reading too":         {faults: []fault{{"BatchExecuteStatement", 0, fail(denied)}, {"Query", 2, fail(denied)}}, none: true, is: dynamo.ErrAccessDenied},
		"every request lost, reading too": {faults: []fault{{"BatchExecuteStatement", 0, fail(errLost)}, {"Query", 2, fail(errLost)}}, missing: "2026-07-01/2026-09-08", is: dynamo.ErrUnknown},
		"every answer lost, and reading":  {faults: []fault{{"BatchExecuteStatement", 0, loseAnswer}, {"Query", 2, fail(errLost)}}, missing: "2026-07-01/2026-09-08", is: dynamo.ErrUnknown},
		"the first reading fails":         {faults: []fault{{"Query", 1, fail(errLost)}}, none: true, is: dynamo.ErrUnknown},
		"the registry cannot be read":     {faults: []fault{{"GetItem", 1, fail(errLost)}}, none: true, is: dynamo.ErrUnknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			e.set(tt.faults...)
			api := e.api
			if tt.failing != nil {
				errorsIn(e.faulty, tt.failing)
			}
			r := days(70)
			state, why, err := e.hasty().CreateRange(t.Context(), r)
			if (state.ID == "") != tt.none || (err != nil) != tt.none {
				t.Errorf("state %+v, error %v; want none: %t", state, err, tt.none)
			}
			there := e.partition(t)
			if tt.missing == "?" {
				tt.missing = spans(absent(there, r.Span))
			} else if got := dates(there, all); tt.there != "" && got != tt.there {
				t.Errorf("there is %s, want %s", got, tt.there)
			}
			if got := spans(state.Missing); got != tt.missing || (why != nil) != (got != "") {
				t.Errorf("missing %s because of %v, want %s", got, why, tt.missing)
			}
			if reason := errors.Join(why, err); reason != nil && !errors.Is(reason, tt.is) || reason == nil && tt.is != nil && tt.missing != "" {
				t.Errorf("because of %v, want %v", reason, tt.is)
			}
			// Whatever it was, the next apply converges: another create where there
			// is no state, else an update that resumes.
			e.set()
			e.api = api
			if tt.none {
				createRange(t, e, r)
			} else {
				r.ID = state.ID
				if state, err := e.seeder().UpdateRange(t.Context(), r, r); err != nil || len(state.Missing) > 0 {
					t.Errorf("the repeat: %+v, %v", state, err)
				}
			}
			if got := dates(e.partition(t), all); got != "2026-07-01/2026-09-08" {
				t.Errorf("after the repeat there is %s", got)
			}
		})
	}
}

// A range that could only be seeded in part resumes, and what it fills in again
// is dirty and has no value: flips that found none were lost.
func TestRange_fillsInWhatIsMissing(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := days(40)
	r.Start = dynamo.Start{Value: "12"}
	r = createRange(t, e, r)
	lost := july.AddDays(7)
	for _, d := range []signal.Date{lost, lost.AddDays(1), lost.AddDays(9)} {
		item := e.item(t, campOn(d).Key())
		e.write(t, protocol.DeleteBySeeder(campOn(d).Key(), protocol.Identity{GlobalID: item.Text("globalId"), SeededBy: item["seededBy"]}))
	}
	others := e.partition(t)
	state, err := e.seeder().ReadRange(t.Context(), r)
	if err != nil || spans(state.Missing) != "2026-07-08/2026-07-09 2026-07-17/2026-07-17" {
		t.Fatalf("missing %s, %v", spans(state.Missing), err)
	}
	state, err = e.seeder().UpdateRange(t.Context(), r, r)
	if err != nil || len(state.Missing) != 0 || !state.Complete {
		t.Fatalf("update: %+v, %v", state, err)
	}
	items := e.partition(t)
	if got := dates(items, is("gsisk", "dirty")); got != "2026-07-08/2026-07-09 2026-07-17/2026-07-17" {
		t.Errorf("dirty are %s", got)
	}
	if got := dates(items, func(i signal.Item) bool { return !i["value"].Exists() }); got != "2026-07-08/2026-07-09 2026-07-17/2026-07-17" {
		t.Errorf("without a value are %s", got)
	}
	for date, item := range others {
		if diff := cmp.Diff(item, items[date]); diff != "" {
			t.Errorf("%s was touched:\n%s", date, diff)
		}
	}
	// Explicitly clean is for the first time alone.
	r.Start = dynamo.Start{}
	item := e.item(t, campOn(lost).Key())
	e.write(t, protocol.DeleteBySeeder(campOn(lost).Key(), protocol.Identity{GlobalID: item.Text("globalId"), SeededBy: item["seededBy"]}))
	if _, err := e.seeder().UpdateRange(t.Context(), r, r); err != nil {
		t.Fatal(err)
	}
	if item := e.item(t, campOn(lost).Key()); item.Text("gsisk") != "dirty" {
		t.Errorf("filled in again: %v", item)
	}
	// It is what is filled in that is dirty, and not what is new beside it.
	e.write(t, protocol.DeleteBySeeder(campOn(lost).Key(), protocol.Identity{GlobalID: e.item(t, campOn(lost).Key()).Text("globalId"), SeededBy: item["seededBy"]}))
	longer := r
	longer.First = july.AddDays(-5)
	if _, err := e.seeder().UpdateRange(t.Context(), r, longer); err != nil {
		t.Fatal(err)
	}
	if added, filled := e.item(t, campOn(longer.First).Key()), e.item(t, campOn(lost).Key()); added.Text("gsisk") != "clean" || filled.Text("gsisk") != "dirty" {
		t.Errorf("added: %v, filled in: %v", added, filled)
	}
}

func TestRange_growsAndShrinks(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	r := days(30)
	r.Start = dynamo.Start{Dirty: true}
	r = createRange(t, e, r)
	steps := []struct {
		first, last int
		want        string
		batches     int
	}{
		{0, 39, "2026-07-01/2026-08-09", 1},
		{10, 39, "2026-07-11/2026-08-09", 1},
		{10, 14, "2026-07-11/2026-07-15", 1},
		{-5, 4, "2026-06-26/2026-07-05", 2},
		{60, 61, "2026-08-30/2026-08-31", 2},
		{60, 61, "2026-08-30/2026-08-31", 0},
	}
	for _, step := range steps {
		was, before := r, e.partition(t)
		r.Span = dynamo.Span{First: july.AddDays(step.first), Last: july.AddDays(step.last)}
		e.set()
		state, err := e.seeder().UpdateRange(t.Context(), was, r)
		if err != nil || !state.Complete || state.Span != r.Span || len(state.Missing) != 0 {
			t.Fatalf("to %s: %+v, %v", r.Span, state, err)
		}
		items := e.partition(t)
		if got := dates(items, all); got != step.want {
			t.Errorf("to %s: there is %s", r.Span, got)
		}
		if n := e.called("BatchExecuteStatement") + e.called("UpdateItem"); n != step.batches {
			t.Errorf("to %s: %d requests, want %d", r.Span, n, step.batches)
		}
		for date, item := range before {
			if now, ok := items[date]; ok && !cmp.Equal(item, now) {
				t.Errorf("to %s: %s was touched", r.Span, date)
			}
		}
	}
}

func TestRange_changesOnlyWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	r := createRange(t, e, days(40))
	key := campOn(july.AddDays(3)).Key()
	e.write(t, protocol.Flip(key, now))
	e.write(t, protocol.Claim(key, "check-1", now, time.Minute))
	change := func(what string, f func(*dynamo.Range), writes int) map[string]signal.Item {
		t.Helper()
		was := r
		f(&r)
		e.set()
		state, err := e.seeder().UpdateRange(t.Context(), was, r)
		if err != nil || !state.Complete || len(state.Missing) != 0 {
			t.Fatalf("%s: %+v, %v", what, state, err)
		}
		if n := e.called("UpdateItem"); n != writes {
			t.Errorf("%s: %d writes, want %d", what, n, writes)
		}
		return e.partition(t)
	}
	items := change("bucket", func(r *dynamo.Range) { r.Bucket = "15min" }, 40)
	if got := dates(items, is("gsipk", "cadenceBucket::15min")); got != "2026-07-01/2026-08-09" {
		t.Errorf("moved %s", got)
	}
	if got := dates(items, is("gsisk", "dirty")); got != "2026-07-04/2026-07-04" {
		t.Errorf("moving made dirty %s", got)
	}
	if items["2026-07-04"].Text("claimedBy") != "check-1" {
		t.Error("a claim did not survive the move")
	}
	items = change("pattern", func(r *dynamo.Range) { r.Pattern = tiered }, 40)
	if got := dates(items, is("gsisk", "dirty")); got != "2026-07-01/2026-08-09" {
		t.Errorf("flipped %s", got)
	}
	if item := items["2026-07-04"]; item.Int("rev") != 2 || item.Int("claimedRev") != 1 {
		t.Errorf("the claimed one is %v", item)
	}
	zone, err := signal.LoadZone("America/Vancouver")
	if err != nil {
		t.Fatal(err)
	}
	items = change("zone", func(r *dynamo.Range) { r.Zone = zone }, 40)
	if got := items["2026-07-04"].Text("expiry"); got != "2026-07-05T07:00:00.000Z" {
		t.Errorf("expires %s", got)
	}
	pacific, err := signal.LoadZone("Canada/Pacific")
	if err != nil {
		t.Fatal(err)
	}
	change("a zone that is the same", func(r *dynamo.Range) { r.Zone = pacific }, 0)
	// What others did to one date is changed back, whatever the reason for the update.
	moved := protocol.UpdateBySeeder(key, protocol.Identity{GlobalID: items["2026-07-04"].Text("globalId"), SeededBy: items["2026-07-04"]["seededBy"]}, protocol.Change{GSIPK: "cadenceBucket::5min"}, now)
	e.write(t, moved)
	change("more dates", func(r *dynamo.Range) { r.Last = r.Last.AddDays(1) }, 1)
	change("bucket", func(r *dynamo.Range) { r.Bucket = "5min" }, 41)
}

func TestRange_updateRefusesWhatOthersHold(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	r := createRange(t, e, days(10))
	for _, n := range []int{12, 14} {
		e.write(t, protocol.Seed(seeding(july.AddDays(n)), now))
	}
	before := e.partition(t)
	longer := r
	longer.Last = july.AddDays(19)
	longer.Bucket = "15min"
	state, err := e.seeder().UpdateRange(t.Context(), r, longer)
	if held, ok := errors.AsType[*dynamo.HeldError](err); !ok || len(held.Holders) != 2 || state.ID != "" {
		t.Errorf("over others' dates: %+v, %v", state, err)
	}
	if diff := cmp.Diff(before, e.partition(t)); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
	longer.Bucket, longer.Last = "7min", july.AddDays(11)
	if state, err := e.seeder().UpdateRange(t.Context(), r, longer); !errors.Is(err, dynamo.ErrNotRegistered) || state.ID != "" {
		t.Errorf("to an unregistered bucket: %+v, %v", state, err)
	}
	// A date inside is another's now: all else is done, and that date stays missing.
	another := seeding(july.AddDays(4))
	e.put(t, protocol.Seed(another, now).Item)
	if state, err := e.seeder().ReadRange(t.Context(), r); err != nil || spans(state.Missing) != "2026-07-05/2026-07-05" {
		t.Errorf("missing %s, %v", spans(state.Missing), err)
	}
	longer.Bucket = "15min"
	state, err = e.seeder().UpdateRange(t.Context(), r, longer)
	if !errors.Is(err, dynamo.ErrExists) || !state.Complete || spans(state.Missing) != "2026-07-05/2026-07-05" || state.Span != longer.Span {
		t.Errorf("with one that is held: %+v, %v", state, err)
	}
	items := e.partition(t)
	if got := dates(items, is("gsipk", "cadenceBucket::15min")); got != "2026-07-01/2026-07-04 2026-07-06/2026-07-12" {
		t.Errorf("in the new bucket are %s", got)
	}
	if diff := cmp.Diff(protocol.Seed(another, now).Item, items["2026-07-05"]); diff != "" {
		t.Errorf("the other's was touched:\n%s", diff)
	}
}

func TestRange_updateFailsAndResumes(t *testing.T) {
	t.Parallel()
	lost, denied := fail(errLost), fail(code("AccessDeniedException", "not allowed"))
	tests := map[string]struct {
		faults []fault
		// nothing is whether nothing has been done.
		nothing bool
	}{
		"reading":               {[]fault{{"Query", 1, lost}}, true},
		"the registry":          {[]fault{{"GetItem", 1, lost}}, true},
		"seeding, lost":         {[]fault{{"BatchExecuteStatement", 1, lost}}, false},
		"seeding, answer lost":  {[]fault{{"BatchExecuteStatement", 1, loseAnswer}}, false},
		"seeding, denied":       {[]fault{{"BatchExecuteStatement", 2, denied}}, false},
		"seeding, and looking":  {[]fault{{"BatchExecuteStatement", 1, loseAnswer}, {"Query", 2, lost}}, false},
		"changing, lost":        {[]fault{{"UpdateItem", 5, lost}}, false},
		"changing, denied":      {[]fault{{"UpdateItem", 0, denied}}, false},
		"changing, throttled":   {[]fault{{"UpdateItem", 7, fail(code("ThrottlingException", ""))}}, false},
		"deleting, lost":        {[]fault{{"BatchExecuteStatement", 3, lost}}, false},
		"deleting, answer lost": {[]fault{{"BatchExecuteStatement", 3, loseAnswer}}, false},
		"deleting, denied":      {[]fault{{"BatchExecuteStatement", 4, denied}}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min", "15min")
			r := createRange(t, e, days(80))
			was := r
			r.Span = dynamo.Span{First: july.AddDays(40), Last: july.AddDays(119)}
			r.Bucket = "15min"
			e.set(tt.faults...)
			state, err := e.seeder().UpdateRange(t.Context(), was, r)
			if err == nil || (state.ID == "") != tt.nothing || state.Complete {
				t.Fatalf("update: %+v, %v", state, err)
			}
			there := e.partition(t)
			if !tt.nothing {
				// The state covers all that is there, and names all that is not.
				for date := range there {
					if d, _ := signal.ParseDate(date); !state.Contains(d) {
						t.Errorf("the state, %s, does not know of %s", state.Span, date)
					}
				}
				missing := map[signal.Date]bool{}
				for _, d := range state.Missing {
					missing[d] = true
				}
				for _, d := range absent(there, state.Span) {
					if !missing[d] {
						t.Errorf("the state does not say that %s is missing", d)
					}
				}
				if was.Span = state.Span; !strings.Contains(name, "looking") && len(state.Missing) != len(absent(there, state.Span)) {
					t.Errorf("missing %s, but there is %s", spans(state.Missing), dates(there, all))
				}
			}
			e.set()
			state, err = e.seeder().UpdateRange(t.Context(), was, r)
			if err != nil || !state.Complete || len(state.Missing) != 0 {
				t.Errorf("the repeat: %+v, %v", state, err)
			}
			items := e.partition(t)
			if got := dates(items, is("gsipk", "cadenceBucket::15min")); got != "2026-08-10/2026-10-28" || len(items) != 80 {
				t.Errorf("after the repeat there is %s in the bucket, %d in all", got, len(items))
			}
			// What was live all along has not been seeded anew.
			for d := july.AddDays(40); d.Compare(july.AddDays(80)) < 0; d = d.AddDays(1) {
				if items[d.String()].Text("gsisk") != "clean" {
					t.Errorf("%s is %v", d, items[d.String()])
				}
			}
		})
	}
}

func TestRange_createOfOneWhoGivesUp(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	ctx, cancel := context.WithCancelCause(t.Context())
	tooLate := errors.New("there was no time left")
	e.set(fault{"BatchExecuteStatement", 2, before(func() { cancel(tooLate) })})
	r := days(1000)
	state, why, err := e.seeder().CreateRange(ctx, r)
	if err != nil || !errors.Is(why, tooLate) {
		t.Fatalf("create: %v, %v", why, err)
	}
	there := e.partition(t)
	if len(there) < 25 || len(there) > 25*9 {
		t.Errorf("%d dates are seeded", len(there))
	}
	if got := spans(absent(there, r.Span)); got != spans(state.Missing) {
		t.Errorf("missing %s, but absent are %s", spans(state.Missing), got)
	}
	r.ID = state.ID
	if state, err := e.seeder().UpdateRange(t.Context(), r, r); err != nil || len(state.Missing) > 0 {
		t.Errorf("the repeat: %+v, %v", state, err)
	}
	if got := dates(e.partition(t), all); got != r.Span.String() {
		t.Errorf("after the repeat there is %s", got)
	}
}

// Somebody seeds a date between the look and the seeding.
func TestRange_createRaced(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	other := protocol.Seed(seeding(july.AddDays(3)), now)
	e.set(fault{"BatchExecuteStatement", 1, before(func() { e.write(t, other) })})
	state, why, err := e.seeder().CreateRange(t.Context(), days(10))
	if held, ok := errors.AsType[*dynamo.HeldError](why); err != nil || !ok || len(held.Holders) != 1 || spans(state.Missing) != "2026-07-04/2026-07-04" {
		t.Errorf("create: %+v, %v, %v", state, why, err)
	}
	if diff := cmp.Diff(other.Item, e.item(t, campOn(july.AddDays(3)).Key())); diff != "" {
		t.Errorf("the other's was touched:\n%s", diff)
	}

	// So it does with all of them.
	alone := days(1)
	alone.First, alone.Last = july.AddDays(20), july.AddDays(20)
	e.set(fault{"BatchExecuteStatement", 1, before(func() { e.write(t, protocol.Seed(seeding(alone.First), now)) })})
	state, _, err = e.seeder().CreateRange(t.Context(), alone)
	if held, ok := errors.AsType[*dynamo.HeldError](err); !ok || len(held.Holders) != 1 || state.ID != "" {
		t.Errorf("create of one: %+v, %v", state, err)
	}
}

func TestRange_delete(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min")
	// All go in one request.
	r := createRange(t, e, days(20))
	anew, taken := seeding(july.AddDays(2)), seeding(july.AddDays(5))
	e.put(t, protocol.Seed(anew, now).Item)
	taken.GlobalID = e.item(t, campOn(july.AddDays(5)).Key()).Text("globalId")
	e.put(t, protocol.Seed(taken, now).Item)
	// One that no state knows of: a killed run left it.
	stray := seeding(july.AddDays(100))
	stray.SeededBy = "terraform:" + r.ID
	e.put(t, protocol.Seed(stray, now).Item)
	// One is taken over between the look and the deletion.
	late := seeding(july.AddDays(15))
	e.set(fault{"BatchExecuteStatement", 1, before(func() { e.put(t, protocol.Seed(late, now).Item) })})
	err := e.seeder().DeleteRange(t.Context(), camp, r.ID)
	if left, ok := errors.AsType[*dynamo.LeftError](err); !ok || len(left.Holders) != 1 || left.Holders[0].Date != july.AddDays(15) || !errors.Is(err, dynamo.ErrNotOurs) {
		t.Fatalf("what is left is not named: %v", err)
	}
	if got := dates(e.partition(t), all); got != "2026-07-03/2026-07-03 2026-07-06/2026-07-06 2026-07-16/2026-07-16" {
		t.Errorf("left are %s", got)
	}
	if err := e.seeder().DeleteRange(t.Context(), camp, r.ID); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := dynamo.NewSeeder(e, "availability-no-such-table", clock, nil).DeleteRange(t.Context(), camp, r.ID); !errors.Is(err, dynamo.ErrTableNotFound) {
		t.Errorf("no table: %v", err)
	}
}

func TestRange_deleteFailsAndResumes(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fault{
		"reading":     {"Query", 1, fail(errLost)},
		"lost":        {"BatchExecuteStatement", 2, fail(errLost)},
		"answer lost": {"BatchExecuteStatement", 1, loseAnswer},
		"throttled":   {"BatchExecuteStatement", 0, fail(code("ThrottlingException", ""))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			r := createRange(t, e, days(60))
			e.set(f)
			if err := e.seeder().DeleteRange(t.Context(), camp, r.ID); err == nil {
				t.Error("no error")
			}
			e.set()
			if err := e.seeder().DeleteRange(t.Context(), camp, r.ID); err != nil {
				t.Errorf("the repeat: %v", err)
			}
			if got := dates(e.partition(t), all); got != "" {
				t.Errorf("left are %s", got)
			}
		})
	}
}

func TestRange_found(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.register(t, "5min", "15min")
	e.write(t, protocol.Seed(seeding(july.AddDays(-1)), now))
	r := days(20)
	r.Pattern = tiered
	r = createRange(t, e, r)
	gone := e.item(t, campOn(july.AddDays(9)).Key())
	e.write(t, protocol.DeleteBySeeder(campOn(july.AddDays(9)).Key(), protocol.Identity{GlobalID: gone.Text("globalId"), SeededBy: gone["seededBy"]}))
	sought := dynamo.Range{Product: camp, ID: r.ID, Zone: time.UTC}
	got, state, err := e.seeder().FindRange(t.Context(), sought)
	if err != nil || spans(state.Except) != "2026-07-10/2026-07-10" || len(state.Missing)+len(state.Drifted) > 0 || state.Span != r.Span {
		t.Fatalf("found %+v, %v", state, err)
	}
	want := r
	want.Except = []signal.Date{july.AddDays(9)}
	want.Pattern.Cadence = signal.Cadence{Minutes: 5}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(signal.Fraction{}), cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	// One in between that has lost its owner is still the range's, and no exception.
	e.change(t, july.AddDays(4), signal.Item{"seededBy": {}})
	_, state, err = e.seeder().FindRange(t.Context(), sought)
	if err != nil || spans(state.Except) != "2026-07-10/2026-07-10" || !slices.Equal(state.Repairs, []string{"seededBy"}) {
		t.Errorf("found %+v, %v", state, err)
	}
	// The terms are those of a date that has not expired: others are left as they
	// were.
	first := seeding(july)
	first.SeededBy = "terraform:" + r.ID
	e.put(t, protocol.Seed(first, now).Item)
	if got, _, err := e.at(now.AddDate(0, 0, 35)).FindRange(t.Context(), sought); err != nil || got.Pattern.Mode != signal.Tiered {
		t.Errorf("found %+v, %v", got, err)
	}
	sought.ID = "another"
	if _, _, err := e.seeder().FindRange(t.Context(), sought); !errors.Is(err, dynamo.ErrGone) {
		t.Errorf("another: %v", err)
	}
}
