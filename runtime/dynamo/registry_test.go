package dynamo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func bucket(name, globalID string) signal.Bucket {
	return signal.Bucket{
		Format: signal.BucketFormat, Name: name, Cadence: signal.Cadence{Minutes: 5}, ScheduleExpression: "rate(5 minutes)",
		Shards: 1, RuleARN: "arn:aws:events:ca-central-1:123456789012:rule/x", Enabled: false,
		Checks: signal.Checks{Concurrency: 4, Lease: time.Minute, MaxAttempts: 2, WriteBudget: 100}, GlobalID: globalID,
	}
}

func TestRegistry_bucketReadsAsWritten(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	r := dynamo.NewRegistry(e.store)
	want := bucket("5min", "one")
	if err := r.Create(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	want.Cadence, want.ScheduleExpression, want.Shards, want.Enabled = signal.Cadence{Hours: 1}, "rate(1 hour)", 3, true
	if err := r.Update(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := r.Get(t.Context(), "5min")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bucket (-want +got):\n%s", diff)
	}
}

func TestRegistry_oneOfAName(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	r := dynamo.NewRegistry(e.store)
	if _, err := r.Get(t.Context(), "5min"); !errors.Is(err, dynamo.ErrNotRegistered) {
		t.Errorf("none: %v", err)
	}
	if err := r.Create(t.Context(), bucket("5min", "one")); err != nil {
		t.Fatal(err)
	}
	// The answer to a first sending may have been lost.
	if err := r.Create(t.Context(), bucket("5min", "one")); err != nil {
		t.Errorf("the same again: %v", err)
	}
	if err := r.Create(t.Context(), bucket("5min", "two")); !errors.Is(err, dynamo.ErrExists) {
		t.Errorf("another: %v", err)
	}
	if err := r.Update(t.Context(), bucket("5min", "two")); !errors.Is(err, dynamo.ErrNotOurs) {
		t.Errorf("update of another's: %v", err)
	}
	if err := r.Delete(t.Context(), bucket("5min", "two")); err != nil {
		t.Errorf("delete of another's: %v", err)
	}
	if got, err := r.Get(t.Context(), "5min"); err != nil || got.GlobalID != "one" {
		t.Errorf("there is %v, %v", got.GlobalID, err)
	}
}

func TestRegistry_unusableItems(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	newer := bucket("newer", "one").Item()
	newer[signal.AttrFormat] = signal.N(signal.BucketFormat + 1)
	e.put(t, newer)
	other := bucket("other", "one").Item()
	other[signal.AttrSchema] = signal.S("product")
	e.put(t, other)
	r := dynamo.NewRegistry(e.store)
	if _, err := r.Get(t.Context(), "newer"); !errors.Is(err, signal.ErrFormat) {
		t.Errorf("newer format: %v", err)
	}
	if err := r.Update(t.Context(), bucket("newer", "one")); !errors.Is(err, signal.ErrFormat) {
		t.Errorf("update of a newer format: %v", err)
	}
	if _, err := r.Get(t.Context(), "other"); !errors.Is(err, signal.ErrRegistry) {
		t.Errorf("another schema: %v", err)
	}
}

func TestRegistry_deleteTakesWhatItsRunsKeep(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	r := dynamo.NewRegistry(e.store)
	b := bucket("5min", "one")
	if err := r.Create(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	e.write(t, protocol.TakeRun("5min", "run-1", now))
	e.write(t, protocol.Seed(seeding(july), now))
	for _, what := range []string{"the bucket", "nothing"} {
		if err := r.Delete(t.Context(), b); err != nil {
			t.Errorf("delete %s: %v", what, err)
		}
		for _, key := range []signal.Key{signal.RegistryKey("5min"), signal.RunKey("5min")} {
			if item := e.item(t, key); item != nil {
				t.Errorf("%s is still there", key)
			}
		}
	}
	if item := e.item(t, campOn(july).Key()); item == nil {
		t.Error("its signal is gone")
	}
}

// What cannot be read or written is no bucket that is gone: else it would be taken for
// deleted, or made anew.
func TestRegistry_failures(t *testing.T) {
	t.Parallel()
	changing := func(ctx context.Context, r *dynamo.Registry, b signal.Bucket) error { return r.Update(ctx, b) }
	deleting := func(ctx context.Context, r *dynamo.Registry, b signal.Bucket) error { return r.Delete(ctx, b) }
	for name, tt := range map[string]struct {
		op string
		do func(context.Context, *dynamo.Registry, signal.Bucket) error
	}{
		"an update cannot read it":             {"GetItem", changing},
		"an update cannot write it":            {"UpdateItem", changing},
		"a deletion cannot read it":            {"GetItem", deleting},
		"a deletion cannot list what it keeps": {"Query", deleting},
		"a deletion cannot delete":             {"DeleteItem", deleting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			r := dynamo.NewRegistry(dynamo.NewStore(e, e.table))
			b := bucket("5min", "one")
			if err := r.Create(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			e.write(t, protocol.TakeRun("5min", "run-1", now))
			e.set(fault{tt.op, 1, fail(code("AccessDeniedException", "not you"))})
			if err := tt.do(t.Context(), r, b); !errors.Is(err, dynamo.ErrAccessDenied) || errors.Is(err, dynamo.ErrNotOurs) {
				t.Errorf("%v, want that it is denied", err)
			}
			if e.called(tt.op) != 1 {
				t.Errorf("%s was called %d times", tt.op, e.called(tt.op))
			}
			if e.item(t, signal.RegistryKey("5min")) == nil {
				t.Error("its registry item is gone")
			}
		})
	}
}
