package check_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A check costs a claim and a finish, and nothing is sent once more for safety's sake.
func TestRun_aClaimAndAFinishForEachCheck(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seedMany(3)
		w.run()
		for _, op := range []protocol.Op{protocol.OpClaim, protocol.OpFinishClean} {
			if n := len(w.table.sent(op)); n != 3 {
				t.Errorf("%s: %d for 3 signals", op, n)
			}
		}
	})
}

// Whatever the table has said to one claim shows that it answers: the others that it
// turns down are then their own fault, and the run goes on to the last of them.
func TestRun_anyAnswerShowsThatTheTableWorks(t *testing.T) {
	for name, first := range map[string]struct {
		answer func(w *world, key signal.Key, do func() (signal.Item, error)) (signal.Item, error)
		want   check.Counts
	}{
		"granted": {
			func(_ *world, _ signal.Key, do func() (signal.Item, error)) (signal.Item, error) { return do() },
			check.Counts{Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1},
		},
		"refused": {
			func(w *world, key signal.Key, do func() (signal.Item, error)) (signal.Item, error) {
				w.seed(key.SK, attr(signal.AttrClaimedBy, signal.S("another run's")), attr(signal.AttrLeaseUntil, signal.N(time.Now().Add(time.Minute).UnixMilli())))
				return do()
			},
			check.Counts{Refused: 1},
		},
		"granted, and read back": {
			func(_ *world, _ signal.Key, do func() (signal.Item, error)) (signal.Item, error) {
				_, _ = do()
				return nil, dynamo.ErrUnknown
			},
			check.Counts{Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency = 1
				keys := w.seedMany(41)
				w.turnsDown(keys[1:], dynamo.ErrRejected)
				w.on(protocol.OpClaim, 1, func(do func() (signal.Item, error)) (signal.Item, error) { return first.answer(w, keys[0], do) })
				want := first.want
				want.Seen, want.Due, want.Failed = 41, 41, 40
				w.wantCounts(w.run(), want)
			})
		})
	}
}

// What became of a claim that had no answer, and cannot be read back, is no answer
// either: where the table turns down all others, the run ends.
func TestRun_noAnswerShowsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		keys := w.seedMany(41)
		w.turnsDown(keys[1:], dynamo.ErrRejected)
		w.on(protocol.OpClaim, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrUnknown })
		w.table.onRead = func(signal.Key) error { return dynamo.ErrUnknown }
		report, err := w.tryRun(w.Context())
		if !errors.Is(err, dynamo.ErrRejected) {
			t.Errorf("error: %v", err)
		}
		w.wantCounts(report, check.Counts{Seen: 41, Due: 41, Abandoned: 1, Failed: 20, Remaining: 20})
	})
}

// The lease counts from the claim that was granted, not from one that met somebody's
// transaction: or it would end before what it is for.
func TestRun_leaseCountsFromTheLastClaim(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.on(protocol.OpClaim, 1, func(func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(20 * time.Second)
			return nil, dynamo.ErrConflict
		})
		var left, asked time.Duration
		w.estimate = func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
			left = time.UnixMilli(w.table.item(d.Key()).Int(signal.AttrLeaseUntil)).Sub(time.Now().Truncate(time.Millisecond))
			began := time.Now()
			<-ctx.Done()
			asked = time.Since(began)
			return signal.Estimate{}, ctx.Err()
		}
		w.run()
		if lease := w.bucket.Checks.Lease; left != lease || asked != lease-10*time.Second {
			t.Errorf("a lease of %s, and the source cut off after %s; want %s, and ten seconds before that", left, asked, lease)
		}
	})
}

// A check that would end exactly when the reading has to might be cut off.
func TestRun_beginsNothingThatEndsTooLate(t *testing.T) {
	for what, prepare := range map[string]func(w *world){
		"checks": func(w *world) { w.seedMany(100) },
		"audits": func(w *world) {
			w.bucket.Checks.MaxStaleness = atOnce
			for i := range 28 {
				w.seed(fmt.Sprintf("2026-07-%02d", i+1), valued("7", time.Hour))
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency = 1
				prepare(w)
				w.takes(5 * time.Second)
				// The source may be read for 55 s.
				w.runFor(time.Minute)
				if len(w.asked) != 10 {
					t.Errorf("%d were begun, want the 10 that end before the 55th second", len(w.asked))
				}
			})
		})
	}
}
