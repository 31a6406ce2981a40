package check_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// checkNow checks signals of the bucket now, which must work, and returns what came
// of each.
func (w *world) checkNow(keys ...signal.Key) map[signal.Key]check.Outcome {
	w.Helper()
	w.table.put(w.bucket.Item())
	came := map[signal.Key]check.Outcome{}
	if _, err := w.runner.CheckNow(w.Context(), w.bucket.Name, keys, func(o check.Outcome) {
		if _, twice := came[o.Key]; twice {
			w.Errorf("%s is told of twice", o.Key)
		}
		came[o.Key] = o
	}); err != nil {
		w.Fatal(err)
	}
	return came
}

// Whoever asks for a check learns whether there was one: that it was not claimed is
// no proof that somebody else has it.
func TestCheckNow_saysWhatBecameOfTheClaim(t *testing.T) {
	for name, test := range map[string]struct {
		claim  func(w *world, key signal.Key) func(do func() (signal.Item, error)) (signal.Item, error)
		always bool
		result protocol.Result
		reason string
	}{
		"never arrived": {
			claim: func(*world, signal.Key) func(func() (signal.Item, error)) (signal.Item, error) {
				return func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrUnknown }
			},
			result: check.Unreached, reason: "the claim did not get through",
		},
		"never arrived, and another's lease ended that moment": {
			claim: func(w *world, key signal.Key) func(func() (signal.Item, error)) (signal.Item, error) {
				w.table.items[key][signal.AttrClaimedBy] = signal.S("another")
				w.table.items[key][signal.AttrLeaseUntil] = signal.N(time.Now().UnixMilli())
				return func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrUnknown }
			},
			result: check.Unreached, reason: "the claim did not get through",
		},
		"another was faster, and is at it": {
			claim: func(w *world, key signal.Key) func(func() (signal.Item, error)) (signal.Item, error) {
				return func(do func() (signal.Item, error)) (signal.Item, error) {
					w.table.items[key][signal.AttrClaimedBy] = signal.S("another")
					w.table.items[key][signal.AttrLeaseUntil] = signal.N(time.Now().Add(time.Minute).UnixMilli())
					return do()
				}
			},
			result: protocol.NotClaimed, reason: "another check has it, until ",
		},
		"another was faster, and has cleaned it": {
			claim: func(w *world, key signal.Key) func(func() (signal.Item, error)) (signal.Item, error) {
				return func(do func() (signal.Item, error)) (signal.Item, error) {
					clean(w.table.items[key])
					return do()
				}
			},
			result: protocol.NotClaimed, reason: "another check was faster",
		},
		"deleted": {
			claim: func(w *world, key signal.Key) func(func() (signal.Item, error)) (signal.Item, error) {
				return func(do func() (signal.Item, error)) (signal.Item, error) {
					delete(w.table.items, key)
					return do()
				}
			},
			result: check.Gone, reason: "there is no such signal",
		},
		"throttled": {
			claim: func(*world, signal.Key) func(func() (signal.Item, error)) (signal.Item, error) {
				return func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrThrottled }
			},
			result: check.Unreached, reason: "throttled",
		},
		"met transactions": {
			claim: func(*world, signal.Key) func(func() (signal.Item, error)) (signal.Item, error) {
				return func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrConflict }
			},
			always: true,
			result: check.Unreached, reason: "conflict",
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				key := w.seed("2026-07-01")
				n := 1
				if test.always {
					n = always
				}
				w.on(protocol.OpClaim, n, test.claim(w, key))
				got := w.checkNow(key)[key]
				if got.Result != test.result || !strings.Contains(got.Reason, test.reason) {
					t.Errorf("got %q: %s; want %q: %s", got.Result, got.Reason, test.result, test.reason)
				}
			})
		})
	}
}

// What a check leaves open is said, too.
func TestCheckNow_saysWhyItIsStillDirty(t *testing.T) {
	t.Run("abandoned", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrUnknown })
			if got := w.checkNow(key)[key]; got.Result != protocol.Abandoned || !strings.Contains(got.Reason, "whether it was stored is unknown") {
				t.Errorf("got %q: %s", got.Result, got.Reason)
			}
		})
	})
	t.Run("superseded", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
				w.table.items[key][signal.AttrClaimedBy] = signal.S("another")
				return do()
			})
			if got := w.checkNow(key)[key]; got.Result != protocol.Superseded || !strings.Contains(got.Reason, "another check took it over, or") {
				t.Errorf("got %q: %s", got.Result, got.Reason)
			}
		})
	})
	t.Run("deleted before its flip", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01", clean)
			w.on(protocol.OpFlip, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
				delete(w.table.items, key)
				return do()
			})
			if got := w.checkNow(key)[key]; got.Result != check.Gone {
				t.Errorf("got %q: %s", got.Result, got.Reason)
			}
		})
	})
	t.Run("no flip", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01", clean)
			w.on(protocol.OpFlip, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, errors.New("no route") })
			if got := w.checkNow(key)[key]; got.Result != check.Unreached || !strings.Contains(got.Reason, "no route") {
				t.Errorf("got %q: %s", got.Result, got.Reason)
			}
		})
	})
}

// A check of a product's dates flips those that are clean, which costs the cadence
// index as much as their finishes do.
func TestCheckNow_keepsTheWriteBudget(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget = 100
		var keys []signal.Key
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 500 {
			keys = append(keys, w.seed(first.AddDays(i).String(), clean))
		}
		var flips []time.Time
		w.on(protocol.OpFlip, always, func(do func() (signal.Item, error)) (signal.Item, error) {
			w.mu.Lock()
			flips = append(flips, time.Now(), time.Now())
			w.mu.Unlock()
			return do()
		})
		for key, o := range w.checkNow(keys...) {
			if o.Result != protocol.Cleaned || !o.Flipped {
				t.Fatalf("%s: %+v", key, o)
			}
		}
		if n := most(flips); len(flips) != 1000 || n > 210 {
			t.Errorf("%d units for flips in a second, %d in all; want the 200 of its budget and no more than 5 %% above", n, len(flips))
		}
	})
}

// A flip is written to the shard that the signal is in, not to the one that it is to
// move to.
func TestCheckNow_flipsInEachShard(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget = 10
		var keys []signal.Key
		for i := range 150 {
			keys = append(keys, w.seedIn(1+i%15, 0, clean))
		}
		began := time.Now()
		w.checkNow(keys...)
		// Moved to one shard, they cost it one unit each, of 20 a second.
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

// What there is no time left to check is not flipped for it, and told all the same,
// before the invocation ends.
func TestCheckNow_flipsOnlyWhileThereIsTime(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget = 1
		var keys []signal.Key
		for i := range 40 {
			keys = append(keys, w.seed(signal.Date{Year: 2026, Month: time.July, Day: 1}.AddDays(i).String(), clean))
		}
		w.table.put(w.bucket.Item())
		w.on(protocol.OpFlip, always, func(do func() (signal.Item, error)) (signal.Item, error) {
			item, err := do()
			if got, want := item.Text(signal.AttrDirtySince), signal.FormatInstant(time.Now()); got != want {
				t.Errorf("dirty since %s, want %s", got, want)
			}
			return item, err
		})
		ctx, cancel := context.WithTimeout(w.Context(), 30*time.Second)
		defer cancel()
		came, hear := w.heard()
		report, err := w.runner.CheckNow(ctx, w.bucket.Name, keys, hear)
		if err != nil {
			t.Fatal(err)
		}
		// One flip a second, until 30 s less a margin of 5.
		if n := len(w.table.sent(protocol.OpFlip)); n > 26 || report.DurationMS != 25_000 {
			t.Errorf("%d flips in %d ms", n, report.DurationMS)
		}
		if diff := cmp.Diff(map[protocol.Result]int{check.Unreached: 40}, results(came)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// What is cut off for a lease that is too short is not the signal's fault, whoever
// asked for the check.
func TestCheckNow_leaseTooShortIsNotTheSignalsFault(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Lease, w.runner.SourceTimeout = 30*time.Second, 40*time.Second
		w.seed("2026-06-30")
		w.run()
		key := w.seed("2026-07-01")
		w.estimate = func(ctx context.Context, _ signal.ProductDate) (signal.Estimate, error) {
			<-ctx.Done()
			return signal.Estimate{}, ctx.Err()
		}
		got := w.checkNow(key)[key]
		if got.Result != protocol.BackedOff || w.table.item(key).Int(signal.AttrAttempts) != 0 {
			t.Errorf("got %q: %s; %v", got.Result, got.Reason, w.table.item(key))
		}
	})
}
