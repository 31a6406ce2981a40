package check_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
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

// What was clean and has been flipped for its check is told as flipped, even if its
// turn never came: it is dirty now, and was not.
func TestCheckNow_saysWhatItHasFlippedForNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		var keys []signal.Key
		for day := range 40 {
			state := with(clean)
			if day%2 == 0 {
				state = dirtyFor(time.Hour)
			}
			keys = append(keys, w.seed(signal.Date{Year: 2026, Month: time.July, Day: 1}.AddDays(day).String(), state))
		}
		w.estimate = failing(errDown)
		flipped := map[bool]int{}
		for key, o := range w.checkNow(keys...) {
			if o.Result == check.Unreached {
				flipped[o.Flipped]++
			}
			if was := slices.Index(keys, key)%2 == 1; o.Flipped != was {
				t.Errorf("%s, which was clean: %t, is told as %+v", key, was, o)
			}
		}
		if flipped[true] == 0 {
			t.Errorf("not reached, by whether it was flipped: %v", flipped)
		}
	})
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

// So it is where no claim gets through at all, which is an error beside.
func TestCheckNow_saysWhatNoClaimGotThroughTo(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		keys := w.seedMany(40)
		w.table.put(w.bucket.Item())
		w.turnsDown(keys, dynamo.ErrAccessDenied)
		came, hear := w.heard()
		_, err := w.runner.CheckNow(w.Context(), w.bucket.Name, keys, hear)
		if diff := cmp.Diff(map[protocol.Result]int{protocol.Failed: 20, check.Unreached: 20}, results(came)); diff != "" || !errors.Is(err, dynamo.ErrAccessDenied) {
			t.Errorf("%v (-want +got):\n%s", err, diff)
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

// Whoever hears of many signals need not mind hearing of two at once.
func TestCheckNow_tellsOneAtATime(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 50
		w.table.put(w.bucket.Item())
		var telling atomic.Int64
		_, err := w.runner.CheckNow(w.Context(), w.bucket.Name, w.seedMany(200), func(check.Outcome) {
			if telling.Add(1) > 1 {
				t.Error("told of two at once")
			}
			for range 10 {
				runtime.Gosched()
			}
			telling.Add(-1)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// What cannot be checked keeps nobody from looking at the others.
func TestCheckNow_goesOnAfterWhatIsGone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		key := w.seed("2026-07-01")
		gone := signal.Key{PK: key.PK, SK: "2026-07-02"}
		if diff := cmp.Diff(map[protocol.Result]int{check.Gone: 1, protocol.Cleaned: 1}, results(w.checkNow(gone, key))); diff != "" {
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
				key := w.seed("2026-07-01", attr(signal.AttrValue, signal.S("9")), test.given)
				before := w.table.item(key)
				got := w.checkNow(key)[key]
				if got.Before != "9" || got.Value != "" {
					t.Errorf("%q before, %q now", got.Before, got.Value)
				}
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
		// 302 one after the other, ten seconds each.
		if lines := w.logged("audit on demand"); len(lines) != 1 || lines[0]["durationMs"] != 3_020_000.0 {
			t.Errorf("log: %v", lines)
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

// What expires while others are audited is not asked for any more.
func TestAuditNow_expiredMeanwhile(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		first := w.seed("2026-07-01", valued("7", time.Hour))
		next := w.seed("2026-07-02", valued("7", time.Hour), attr(signal.AttrExpiry, signal.S(signal.FormatInstant(time.Now().Add(5*time.Second)))))
		w.takes(10 * time.Second)
		came, _ := w.auditNow(0, []signal.Key{first, next})
		if came[next].Result != check.Passed || len(w.asked) != 1 {
			t.Errorf("%+v, and the source was asked for %v", came[next], w.asked)
		}
	})
}

// A run on demand does without its hold of the bucket where that cannot be had for the
// moment, and does nothing where no write is allowed.
func TestRunNow_withoutItsHold(t *testing.T) {
	for _, passing := range []error{dynamo.ErrThrottled, dynamo.ErrConflict, dynamo.ErrUnknown} {
		t.Run(passing.Error(), func(t *testing.T) {
			inWorld(t, func(w *world) {
				key := w.seed("2026-07-01")
				w.table.put(w.bucket.Item())
				w.on(protocol.OpTakeRun, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, passing })
				report, err := w.runner.RunNow(w.Context(), w.bucket.Name)
				if err != nil || report.Cleaned != 1 || w.bit(key) != signal.Clean {
					t.Errorf("%v, %+v", err, report)
				}
			})
		})
	}
	t.Run("denied", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.seed("2026-07-01")
			w.table.put(w.bucket.Item())
			w.on(protocol.OpTakeRun, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrAccessDenied })
			report, err := w.runner.RunNow(w.Context(), w.bucket.Name)
			if !errors.Is(err, dynamo.ErrAccessDenied) || report.Claimed != 0 || len(w.asked) != 0 {
				t.Errorf("%v, %+v", err, report)
			}
		})
	})
}

// How the bucket's runs have gone says whether an error of the source is the signal's
// fault, on demand too.
func TestCheckNow_blamesByHowTheRunsHaveGone(t *testing.T) {
	for name, test := range map[string]struct {
		computed, backedOff int64
		want                protocol.Result
	}{
		"well":     {100, 0, protocol.Failed},
		"in vain":  {0, 100, protocol.BackedOff},
		"not once": {0, 0, protocol.BackedOff},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.previousRun(5*time.Minute, test.computed, 0, test.backedOff)
				key := w.seed("2026-07-01")
				w.estimate = failing(errDown)
				if got := w.checkNow(key)[key]; got.Result != test.want {
					t.Errorf("%q, want %q: %s", got.Result, test.want, got.Reason)
				}
			})
		})
	}
}

// What is done on demand leaves its counts, and a line with what went wrong.
func TestCheckNow_reports(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := append(w.seedMany(2), w.seed("2026-08-01", clean), w.seed("2026-08-02", attr(signal.AttrSchema, signal.S("booking"))))
		w.table.put(w.bucket.Item())
		report, err := w.runner.CheckNow(w.Context(), w.bucket.Name, keys, func(check.Outcome) {})
		if err != nil {
			t.Fatal(err)
		}
		w.wantCounts(report, check.Counts{Seen: 3, Due: 3, Claimed: 3, Computed: 3, Changed: 3, Cleaned: 3})
		if _, err = w.runner.CheckNow(w.Context(), "1h", keys, func(check.Outcome) {}); !errors.Is(err, dynamo.ErrNotRegistered) {
			t.Errorf("error: %v", err)
		}
		lines := w.logged("check on demand")
		if len(lines) != 2 || lines[0]["error"] != nil || lines[1]["error"] != err.Error() {
			t.Errorf("log: %v", lines)
		}
	})
}

// A run on demand is no tick: it is noted nowhere, not even beside one that began in the
// same millisecond.
func TestRunNow_isNotNoted(t *testing.T) {
	for _, ago := range []time.Duration{0, time.Minute} {
		t.Run(ago.String(), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.seed("2026-07-01")
				w.table.put(w.bucket.Item())
				w.previousRun(0, 100, 0, 0)
				before := w.runItem()
				time.Sleep(ago)
				report, err := w.runner.RunNow(w.Context(), w.bucket.Name)
				if err != nil || report.Cleaned != 1 {
					t.Errorf("%v, %+v", err, report)
				}
				if diff := cmp.Diff(before, w.runItem()); diff != "" {
					t.Errorf("the run item has changed:\n%s", diff)
				}
				if lines := w.logged("run on demand"); len(lines) != 1 || lines[0]["durationMs"] != 0.0 {
					t.Errorf("log: %v", lines)
				}
			})
		})
	}
}

// What the bucket's checks may do at once is what is read at once, too.
func TestCheckNow_readsNoMoreAtOnceThanItChecks(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 4
		keys := w.seedMany(20)
		now, most := 0, 0
		w.table.onRead = func(key signal.Key) error {
			if key == signal.RunKey(w.bucket.Name) {
				return nil
			}
			w.mu.Lock()
			now++
			most = max(most, now)
			w.mu.Unlock()
			time.Sleep(time.Second)
			w.mu.Lock()
			now--
			w.mu.Unlock()
			return nil
		}
		w.checkNow(keys...)
		if most != 4 {
			t.Errorf("%d reads at once, want 4", most)
		}
	})
}

// Where it cannot be read how the bucket's runs have gone, nothing is checked.
func TestCheckNow_withoutTheRunItem(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01", clean)
		w.table.put(w.bucket.Item())
		w.table.onRead = func(signal.Key) error { return dynamo.ErrAccessDenied }
		_, err := w.runner.CheckNow(w.Context(), w.bucket.Name, []signal.Key{key}, func(o check.Outcome) { t.Errorf("%+v", o) })
		if !errors.Is(err, dynamo.ErrAccessDenied) || w.bit(key) != signal.Clean {
			t.Errorf("%v; it is %s", err, w.bit(key))
		}
	})
}

// Whatever hangs, what is done on demand ends with its invocation: the source is not
// asked for longer than 55 s of a minute, and nothing written for longer than 58.75 s.
func TestOnDemand_endsWithItsInvocation(t *testing.T) {
	for name, test := range map[string]struct {
		hangs bool
		takes time.Duration
		do    func(w *world, ctx context.Context, keys []signal.Key) error
		ends  time.Duration
	}{
		"an audit's source": {false, time.Hour, func(w *world, ctx context.Context, keys []signal.Key) error {
			_, _, err := w.runner.AuditNow(ctx, w.bucket.Name, keys, func(check.Outcome) {})
			return err
		}, 55 * time.Second},
		"a check's source": {false, time.Hour, func(w *world, ctx context.Context, keys []signal.Key) error {
			w.flip(keys[0])
			_, err := w.runner.CheckNow(ctx, w.bucket.Name, keys, func(check.Outcome) {})
			return err
		}, 55 * time.Second},
		"a check's finish": {true, 0, func(w *world, ctx context.Context, keys []signal.Key) error {
			_, err := w.runner.CheckNow(ctx, w.bucket.Name, keys, func(check.Outcome) {})
			return err
		}, 58_750 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				keys := w.seedClean(1)
				w.table.put(w.bucket.Item())
				w.runner.Store = slow{table: w.table, hangs: test.hangs}
				w.takes(test.takes)
				ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
				defer cancel()
				began := time.Now()
				if err := test.do(w, ctx, keys); err != nil || time.Since(began) != test.ends {
					t.Errorf("%v after %s, want it ended after %s", err, time.Since(began), test.ends)
				}
			})
		})
	}
}
