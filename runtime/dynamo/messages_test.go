package dynamo_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// scanning is a DynamoDB whose scans fail.
type scanning struct{ err error }

func (s scanning) Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return nil, s.err
}

// Whoever reads why something failed learns of what, and where.
func TestErrors_nameWhatFailed(t *testing.T) {
	t.Parallel()
	const key = `"mockPark1/backcountryCamp/1/1 2026-07-01"`
	lost := fail(errLost)
	for name, tt := range map[string]struct {
		// fault is of the signals' table; where there is none, what is asked for is not
		// there, or another's.
		fault fault
		do    func(ctx context.Context, e *engine, s *dynamo.Store) error
		want  string
	}{
		"a query": {fault{"Query", 1, lost}, func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			return firstError(s.Query(ctx, dynamo.Query{Hash: "pk", Partition: "a partition", Range: "sk", Equals: "x"}))
		}, `query "a partition" in table "TABLE": `},
		"a query of an index": {fault{"Query", 1, lost}, func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			return firstError(s.Query(ctx, dynamo.Query{Index: cadenceIndex, Hash: "gsipk", Partition: "a partition", Range: "gsisk", Equals: "x"}))
		}, `query "a partition" in index "cadence-index" of table "TABLE": `},
		"a count": {fault{"Query", 1, lost}, func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			_, err := s.Count(ctx, dynamo.Query{Hash: "pk", Partition: "a partition"})
			return err
		}, `count "a partition" in table "TABLE": `},
		"a scan": {do: func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			return firstError(dynamo.NewFinder(scanning{errLost}, e.table).Keys(ctx, "a prefix"))
		}, want: `scan table "TABLE": `},
		"a guard": {fault{"Query", 1, lost}, func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			_, _, err := dynamo.NewGuard(s, cadenceIndex).Find(ctx, "5min", now, 1)
			return err
		}, `count signals of bucket "5min": query "cadenceBucket::5min`},
		"a bucket of a later release": {do: func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			_, err := dynamo.NewRegistry(s).Get(ctx, "newer")
			return err
		}, want: `read bucket "newer" in table "TABLE": `},
		"an update of one": {do: func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			return dynamo.NewRegistry(s).Update(ctx, bucket("newer", "one"))
		}, want: `update bucket "newer" in table "TABLE": `},
		"a bucket that is there already": {do: func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			return dynamo.NewRegistry(s).Create(ctx, bucket("5min", "one"))
		}, want: `register bucket "5min" in table "TABLE": already exists`},
		"an update of another's": {do: func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			return dynamo.NewRegistry(s).Update(ctx, bucket("5min", "one"))
		}, want: `update bucket "5min" in table "TABLE": gone or replaced by another`},
		"an update that cannot read it": {fault{"GetItem", 1, lost}, func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			return dynamo.NewRegistry(s).Update(ctx, bucket("5min", "one"))
		}, `update bucket "5min": `},
		"a deletion that cannot read it": {fault{"GetItem", 1, lost}, func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			return dynamo.NewRegistry(s).Delete(ctx, bucket("5min", "bucket-5min"))
		}, `delete bucket "5min": `},
		"a deletion that cannot list": {fault{"Query", 1, lost}, func(ctx context.Context, _ *engine, s *dynamo.Store) error {
			return dynamo.NewRegistry(s).Delete(ctx, bucket("5min", "bucket-5min"))
		}, `list items of bucket "5min": `},
		"a bucket's signals": {do: func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			return firstError(e.seeder().ListBucket(ctx, "no-such-index", "5min"))
		}, want: `query "cadenceBucket::5min" in index "no-such-index" of table "TABLE": `},
		"one whose key has no date": {do: func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			return e.listWith(ctx, signal.Item{signal.AttrSK: signal.S("2026-7-1")})
		}, want: `key "availabilitySignal::mockPark1::backcountryCamp::1::1 2026-7-1": invalid date "2026-7-1": `},
		"one whose key is joined otherwise": {do: func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			return e.listWith(ctx, signal.Item{signal.AttrPK: signal.S("availabilitySignal::mockPark1::backcountryCamp::1:1")})
		}, want: `invalid signal key "availabilitySignal::mockPark1::backcountryCamp::1:1 2026-07-01": its parts are not joined by "::"`},
		"a signal that is gone": {do: func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			_, err := e.seeder().Read(ctx, campOn(july))
			return err
		}, want: `read ` + key + ` in table "TABLE": not there`},
		"an expired one": {do: func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			want := terms(july)
			want.Expiry = now
			_, err := e.seeder().Create(ctx, campOn(july), want, dynamo.Start{})
			return err
		}, want: `seed ` + key + `: its expiry is 2026-06-01T12:00:00.000Z: already expired`},
		"a range": {fault{"Query", 1, lost}, func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			r := days(3)
			r.ID = "a range"
			_, err := e.seeder().ReadRange(ctx, r)
			return err
		}, `read range a range: query "availabilitySignal::mockPark1::backcountryCamp::1::1" in table "TABLE": `},
		"a range that is searched for": {fault{"Query", 1, lost}, func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			r := days(3)
			r.ID = "a range"
			_, _, err := e.seeder().FindRange(ctx, r)
			return err
		}, `read range a range: query "`},
		"a date's change": {fault{"UpdateItem", 1, lost}, func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			was, _, err := e.seeder().CreateRange(ctx, days(1))
			if err != nil {
				return err
			}
			r := days(1)
			r.ID, r.Pattern = was.ID, tiered
			_, err = e.seeder().UpdateRange(ctx, r, r)
			return err
		}, "2026-07-01: update by its seeder "},
		"a date's adoption": {fault{"UpdateItem", 1, lost}, func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			e.stand(t, july, "")
			_, _, err := e.seeder().CreateRange(ctx, adopting(1))
			return err
		}, "already there: 2026-07-01: signal id-2026-07-01, which has no owner\n2026-07-01: adopt \"availabilitySignal::"},
		"a range that is gone": {do: func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			r := days(3)
			r.ID = "a range"
			_, _, err := e.seeder().FindRange(ctx, r)
			return err
		}, want: `find range a range of "mockPark1/backcountryCamp/1/1" in table "TABLE": not there`},
		"a range's deletion": {fault{"Query", 1, lost}, func(ctx context.Context, e *engine, _ *dynamo.Store) error {
			return e.seeder().DeleteRange(ctx, camp, "a range")
		}, `read range a range: query "`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min")
			newer := bucket("newer", "one").Item()
			newer[signal.AttrFormat] = signal.N(signal.BucketFormat + 1)
			e.put(t, newer)
			e.set(tt.fault)
			err := tt.do(t.Context(), e, dynamo.NewStore(e, e.table))
			want := strings.ReplaceAll(tt.want, "TABLE", e.table)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("\n got %v\nwant %s", err, want)
			}
		})
	}
}

// listWith lists the bucket with one signal, whose attributes are changed.
func (e *engine) listWith(ctx context.Context, changed signal.Item) error {
	item := protocol.Seed(seeding(july), now).Item
	maps.Copy(item, changed)
	if _, err := e.store.Write(ctx, protocol.Write{Op: "put", Kind: protocol.Put, Key: item.Key(), Item: item}); err != nil {
		return err
	}
	return firstError(e.seeder().ListBucket(ctx, cadenceIndex, "5min"))
}

// firstError is the error that a listing ends in.
func firstError[T any](all func(func(T, error) bool)) (first error) {
	for _, err := range all {
		if err != nil {
			first = err
		}
	}
	return first
}

// A write that others were quicker with names its signal.
func TestErrors_nameWhatWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	const update = `update by its seeder "availabilitySignal::mockPark1::backcountryCamp::1::1 2026-07-01" in table "TABLE"`
	for want, meanwhile := range map[string]func(*testing.T, *engine){
		update + `: not there`: func(t *testing.T, e *engine) {
			t.Helper()
			e.write(t, protocol.Write{Op: "remove", Kind: protocol.Delete, Key: campOn(july).Key()})
		},
		update + `, which is not as it was a moment ago: `: func(t *testing.T, e *engine) {
			t.Helper()
			e.change(t, july, signal.Item{signal.AttrPattern: tiered.Value()})
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.register(t, "5min", "15min")
			made := create(t, e, july)
			e.set(fault{"UpdateItem", 1, before(func() { meanwhile(t, e) })})
			next := terms(july)
			next.Bucket = "15min"
			_, err := e.seeder().Update(t.Context(), campOn(july), made.GlobalID, next)
			if err == nil || !strings.HasPrefix(err.Error(), strings.ReplaceAll(want, "TABLE", e.table)) {
				t.Errorf("\n got %v\nwant %s", err, want)
			}
		})
	}
}
