package check_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// heard collects what is told of signals, each of which must be told of once.
func (w *world) heard() (came map[signal.Key]check.Outcome, hear func(check.Outcome)) {
	came = map[signal.Key]check.Outcome{}
	return came, func(o check.Outcome) {
		if _, twice := came[o.Key]; twice {
			w.Errorf("%s is told of twice", o.Key)
		}
		came[o.Key] = o
	}
}

// results counts what came of signals.
func results(came map[signal.Key]check.Outcome) map[protocol.Result]int {
	n := map[protocol.Result]int{}
	for _, o := range came {
		n[o.Result]++
	}
	return n
}

// Whoever asks for many learns of those, too, that there was no more asking for.
func TestCheckNow_saysWhatWasNotReached(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		keys := w.seedMany(100)
		w.estimate = failing(errDown)
		came := w.checkNow(keys...)
		if diff := cmp.Diff(map[protocol.Result]int{protocol.BackedOff: 20, check.Unreached: 80}, results(came)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for key, o := range came {
			want := "there was no time for it, or the source is gone"
			if o.Result == protocol.BackedOff {
				want = "the source failed: " + errDown.Error()
			}
			if !strings.Contains(o.Reason, want) || o.Value != "" {
				t.Errorf("%s: %+v", key, o)
			}
		}
	})
}

// A value that was stored is told with the one before it, and why the signal is not
// clean all the same.
func TestCheckNow_storedAndStillDirty(t *testing.T) {
	t.Run("flipped again", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01", attr(signal.AttrValue, signal.S("9")))
			w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
				w.flip(d.Key())
				return signal.Estimate{Available: 7, Capacity: 10}, nil
			}
			want := check.Outcome{Key: key, Result: protocol.Raced, Before: "9", Value: "7", Reason: "it was flipped again meanwhile: the next run checks it"}
			if diff := cmp.Diff(want, w.checkNow(key)[key]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	})
	t.Run("settling", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.runner.Settle = time.Minute
			key := w.seed("2026-07-01")
			want := check.Outcome{Key: key, Result: protocol.Settling, Value: "7", Reason: "the source lags: a check after the settle time cleans it"}
			if diff := cmp.Diff(want, w.checkNow(key)[key]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	})
	t.Run("no time to ask", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01", attr(signal.AttrValue, signal.S("9")))
			w.on(protocol.OpClaim, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
				time.Sleep(56 * time.Second)
				return do()
			})
			ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
			defer cancel()
			w.table.put(w.bucket.Item())
			came, hear := w.heard()
			if _, err := w.runner.CheckNow(ctx, w.bucket.Name, []signal.Key{key}, hear); err != nil {
				t.Fatal(err)
			}
			want := check.Outcome{Key: key, Result: protocol.Released, Before: "9", Reason: "there was no time for it, or the source is gone: it is still dirty"}
			if diff := cmp.Diff(want, came[key]); diff != "" || !w.free(key) {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	})
}

// The one that has been dirty for longest is checked first, in whatever order they
// are named; those that were clean come last.
func TestCheckNow_oldestFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		want := w.seedMany(5)
		last := w.seed("2026-06-01", clean)
		named := slices.Concat([]signal.Key{last}, want)
		slices.Reverse(named[1:])
		w.checkNow(named...)
		var asked []signal.Key
		for _, d := range w.asked {
			asked = append(asked, d.Key())
		}
		if diff := cmp.Diff(append(want, last), asked); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// What cannot be checked is told with the reason, and neither flipped nor claimed.
func TestCheckNow_notToBeChecked(t *testing.T) {
	for name, test := range map[string]struct {
		given  func(signal.Item)
		result protocol.Result
		reason string
	}{
		"no signal":            {attr(signal.AttrSchema, signal.S("booking")), check.Gone, "there is no such signal"},
		"in another bucket":    {attr(signal.AttrGSIPK, signal.S("cadenceBucket::1h")), check.Gone, "it is not in bucket 5min any more"},
		"in no bucket":         {attr(signal.AttrGSIPK, signal.S("5min")), check.Gone, "it is not in bucket 5min any more"},
		"expired":              {expiredFor(time.Second), protocol.ExpiredMeanwhile, "its date is over"},
		"never to be claimed":  {attr(signal.AttrTTL, signal.S("2027")), protocol.Failed, "its ttl is not of type Number"},
		"clean, and expired":   {func(i signal.Item) { clean(i); expiredFor(time.Second)(i) }, protocol.ExpiredMeanwhile, "its date is over"},
		"clean, in another":    {func(i signal.Item) { clean(i); i[signal.AttrGSIPK] = signal.S("cadenceBucket::1h") }, check.Gone, "it is not in bucket"},
		"of a key with a slip": {func(i signal.Item) { i[signal.AttrPK] = signal.S("availabilitySignal::a") }, protocol.Failed, "availabilitySignal::a"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				key := w.seed("2026-07-01", test.given)
				before := w.table.item(key)
				got := w.checkNow(key)[key]
				if got.Result != test.result || !strings.Contains(got.Reason, test.reason) || got.Flipped {
					t.Errorf("got %q: %s; want %q: %s", got.Result, got.Reason, test.result, test.reason)
				}
				if len(w.asked) != 0 {
					t.Errorf("the source was asked for %v", w.asked)
				}
				if name == "of a key with a slip" {
					return
				}
				if diff := cmp.Diff(before, w.table.item(key)); diff != "" {
					t.Errorf("the item has changed:\n%s", diff)
				}
			})
		})
	}
	t.Run("not to be read", func(t *testing.T) {
		inWorld(t, func(w *world) {
			keys := w.seedMany(2)
			w.table.onRead = func(k signal.Key) error {
				if k == keys[0] {
					return errors.New("no route")
				}
				return nil
			}
			came := w.checkNow(keys...)
			if got := came[keys[0]]; got.Result != check.Unreached || !strings.Contains(got.Reason, "no route") || came[keys[1]].Result != protocol.Cleaned {
				t.Errorf("%+v", came)
			}
		})
	})
	t.Run("there is none", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := signal.ProductDate{Product: loop, Date: signal.Date{Year: 2026, Month: time.July, Day: 1}}.Key()
			if got := w.checkNow(key)[key]; got.Result != check.Gone || w.table.item(key) != nil {
				t.Errorf("%+v", got)
			}
		})
	})
}

// auditNow audits signals of the bucket now, which must work, in an invocation of
// that length; 0 is without an end.
func (w *world) auditNow(d time.Duration, keys []signal.Key) (came map[signal.Key]check.Outcome, complete bool) {
	w.Helper()
	w.table.put(w.bucket.Item())
	ctx := w.Context()
	if d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	came, hear := w.heard()
	_, complete, err := w.runner.AuditNow(ctx, w.bucket.Name, keys, hear)
	if err != nil {
		w.Fatal(err)
	}
	return came, complete
}

// An audit on demand looks at all that is clean, in whatever shard and on however
// many pages, and takes as long as it takes.
func TestAuditNow_all(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		keys := w.seedClean(300)
		wrong := w.seed("2026-06-02", valued("9", time.Hour), attr(signal.AttrGSIPK, signal.S("cadenceBucket::5min::15")))
		never := w.seed("2026-06-03", clean, attr(signal.AttrGSIPK, signal.S("cadenceBucket::5min::7")))
		w.seed("2026-06-04")
		w.takes(10 * time.Second)
		came, complete := w.auditNow(0, nil)
		want := map[protocol.Result]int{check.Same: len(keys), check.Mismatched: 1, check.Valueless: 1}
		if diff := cmp.Diff(want, results(came)); diff != "" || !complete {
			t.Errorf("complete: %t (-want +got):\n%s", complete, diff)
		}
		if o := came[wrong]; o.Before != "9" || o.Result != check.Mismatched || w.bit(wrong) != signal.Dirty {
			t.Errorf("%+v", o)
		}
		if o := came[never]; o.Result != check.Valueless || w.bit(never) != signal.Dirty {
			t.Errorf("%+v", o)
		}
		if n := len(w.table.sent(protocol.OpAdvance)); n != 0 {
			t.Errorf("the walk of the bucket's own audit was moved %d times", n)
		}
	})
}

// Where there is no time for all, that is said, and nothing of what was not looked at.
func TestAuditNow_inAnInvocationThatEnds(t *testing.T) {
	for name, named := range map[string]bool{"all": false, "named": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency = 1
				keys := w.seedClean(20)
				w.takes(10 * time.Second)
				if !named {
					keys = nil
				}
				came, complete := w.auditNow(time.Minute, keys)
				// 60 s less a margin of 5, and none is begun that would end after it.
				if diff := cmp.Diff(map[protocol.Result]int{check.Same: 5}, results(came)); diff != "" || complete {
					t.Errorf("complete: %t (-want +got):\n%s", complete, diff)
				}
			})
		})
	}
}

// What there is nothing to compare with is told, too.
func TestAuditNow_passes(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		right := w.seed("2026-07-01", valued("7", time.Hour))
		dirty := w.seed("2026-07-02")
		over := w.seed("2026-07-03", valued("7", time.Hour), expiredFor(time.Hour))
		meanwhile := w.seed("2026-07-04", valued("9", time.Hour))
		gone := signal.ProductDate{Product: loop, Date: signal.Date{Year: 2026, Month: time.July, Day: 5}}.Key()
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			if d.Key() == meanwhile {
				w.flip(meanwhile)
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		came, complete := w.auditNow(0, []signal.Key{right, dirty, over, meanwhile, gone})
		const nothing = "it is gone, dirty or expired: nothing to compare"
		want := map[signal.Key]check.Outcome{
			right:     {Key: right, Result: check.Same, Before: "7"},
			dirty:     {Key: dirty, Result: check.Passed, Reason: nothing},
			over:      {Key: over, Result: check.Passed, Reason: "its date is over"},
			meanwhile: {Key: meanwhile, Result: check.Passed, Before: "9", Reason: "it has changed meanwhile"},
			gone:      {Key: gone, Result: check.Passed, Reason: nothing},
		}
		if diff := cmp.Diff(want, came); diff != "" || !complete {
			t.Errorf("complete: %t (-want +got):\n%s", complete, diff)
		}
	})
}

// entries are the table's own items.
func (w *world) entries(keys []signal.Key, then error) func(yield func(signal.Item, error) bool) {
	return func(yield func(signal.Item, error) bool) {
		for _, k := range keys {
			if !yield(w.table.item(k), nil) {
				return
			}
		}
		if then != nil {
			yield(nil, then)
		}
	}
}

func (w *world) seedExpired(n int) []signal.Key {
	first := signal.Date{Year: 2026, Month: time.July, Day: 1}
	keys := make([]signal.Key, n)
	for i := range keys {
		keys[i] = w.seed(first.AddDays(i).String(), expiredFor(2*time.Hour))
	}
	return keys
}

// What may not be deleted is not tried hundreds of times, and the cause is said.
func TestSweepNow_denied(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(450)
		w.on(protocol.OpSweep, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrAccessDenied })
		report, err := w.runner.SweepNow(w.Context(), w.entries(keys, nil))
		if err != nil || report.Expired != 450 || report.Swept != 0 || !strings.Contains(report.SweepError, dynamo.ErrAccessDenied.Error()) {
			t.Errorf("%v, %+v", err, report)
		}
		if n := len(w.table.sent(protocol.OpSweep)); n > 8 {
			t.Errorf("%d deletions were tried", n)
		}
	})
}

// One that cannot be deleted keeps no other from being, nor from being tried.
func TestSweepNow_oneFails(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(450)
		first := errors.New("no route")
		w.on(protocol.OpSweep, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, first })
		report, err := w.runner.SweepNow(w.Context(), w.entries(keys, nil))
		if err != nil || report.Expired != 450 || report.Swept != 449 || report.SweepError != first.Error() {
			t.Errorf("%v, %+v", err, report)
		}
	})
}

// A listing that breaks off is an error.
func TestSweepNow_listingFails(t *testing.T) {
	inWorld(t, func(w *world) {
		live := w.seed("2026-08-01")
		keys := append(w.seedExpired(3), live)
		report, err := w.runner.SweepNow(w.Context(), w.entries(keys, dynamo.ErrThrottled))
		if !errors.Is(err, dynamo.ErrThrottled) || report.Expired != 3 || w.table.item(live) == nil {
			t.Errorf("%v, %+v", err, report)
		}
	})
}

// A function's answer is there before its time is over.
func TestSweepNow_endsInTime(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedExpired(1000)
		w.on(protocol.OpSweep, always, func(do func() (signal.Item, error)) (signal.Item, error) {
			time.Sleep(time.Second)
			return do()
		})
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		report, err := w.runner.SweepNow(ctx, w.entries(keys, nil))
		if err != nil || ctx.Err() != nil || report.Swept == 0 || report.Swept == 1000 || report.DurationMS > 58_000 {
			t.Errorf("%v, %v, %+v", err, ctx.Err(), report)
		}
	})
}
