package check_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// on answers the n-th sending of an operation, and lets all others through.
func (w *world) on(op protocol.Op, n int, answer func(do func() (signal.Item, error)) (signal.Item, error)) {
	sent := 0
	before := w.table.onWrite
	w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
		if before != nil {
			inner := do
			do = func() (signal.Item, error) { return before(write, inner) }
		}
		if write.Op != op {
			return do()
		}
		w.mu.Lock()
		sent++
		now := sent
		w.mu.Unlock()
		if n > 0 && now != n {
			return do()
		}
		return answer(do)
	}
}

// always is for on: every sending.
const always = 0

func TestRun_claimWhoseAnswerIsLost(t *testing.T) {
	t.Run("applied", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpClaim, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
				_, _ = do()
				return nil, dynamo.ErrUnknown
			})
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
			if w.bit(key) != signal.Clean || len(w.table.sent(protocol.OpClaim)) != 1 {
				t.Error("want it cleaned by the one claim, which is looked up and never repeated")
			}
		})
	})
	// The rev that is claimed is the claim's own, not that of the item read back.
	t.Run("applied, and flipped before it is read back", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpClaim, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
				_, _ = do()
				w.flip(key)
				return nil, dynamo.ErrUnknown
			})
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Raced: 1})
			if w.bit(key) != signal.Dirty {
				t.Error("the flip is lost")
			}
		})
	})
	t.Run("not applied", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpClaim, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrUnknown })
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Refused: 1})
			if len(w.asked) != 0 || w.bit(key) != signal.Dirty {
				t.Error("it was checked without a claim")
			}
		})
	})
	t.Run("and cannot be read back", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpClaim, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrUnknown })
			w.table.onRead = func(signal.Key) error { return dynamo.ErrUnknown }
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Abandoned: 1})
			lines := w.logged("outcome unknown: another run takes the signal when its lease is over")
			if len(lines) != 1 || lines[0]["key"] != key.String() {
				t.Errorf("log: %v", lines)
			}
		})
	})
}

func TestRun_finishWhoseAnswerIsLost(t *testing.T) {
	// The SDK repeats it, and is refused by what it wrote itself.
	repeated := func(do func() (signal.Item, error)) (signal.Item, error) {
		if _, err := do(); err != nil {
			return nil, err
		}
		return do()
	}
	t.Run("clean", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, 1, repeated)
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
			if w.bit(key) != signal.Clean || w.value(key) != "7" {
				t.Error("not cleaned")
			}
		})
	})
	t.Run("failed", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01", attr(signal.AttrPattern, signal.S("none")))
			w.on(protocol.OpFinishFailed, 1, repeated)
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Failed: 1})
			if got := w.table.item(key).Int(signal.AttrAttempts); got != 1 {
				t.Errorf("attempts = %d, want 1: a repeated finish counts once", got)
			}
		})
	})
	t.Run("for good", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrUnknown })
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Abandoned: 1})

			time.Sleep(w.bucket.Checks.Lease)
			if report := w.run(); report.Cleaned != 1 {
				t.Errorf("once its lease is over: %+v", report)
			}
		})
	})
}

func TestRun_flipDuringACheck(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01", dirtyFor(time.Hour))
		available := int64(9)
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			e := signal.Estimate{Available: available, Capacity: 10}
			if available == 9 {
				available = 4
				w.flip(key)
			}
			return e, nil
		}
		began := time.Now()
		w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Raced: 1})
		item := w.table.item(key)
		if w.bit(key) != signal.Dirty || w.value(key) != "9" || !w.free(key) {
			t.Errorf("want dirty, free, and the value 9 all the same: %v", item)
		}
		if got := item.Text(signal.AttrDirtySince); got != signal.FormatInstant(began) {
			t.Errorf("dirtySince = %s, want %s, when the claim began", got, signal.FormatInstant(began))
		}
		w.run()
		if w.bit(key) != signal.Clean || w.value(key) != "4" {
			t.Errorf("after the next run it is %s with %s", w.bit(key), w.value(key))
		}
	})
}

// Between claim and finish a signal may be replaced, moved or deleted.
func TestRun_signalThatChangesHandsMeanwhile(t *testing.T) {
	meanwhile := func(w *world, change func(signal.Item) signal.Item) {
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			next := change(w.table.item(d.Key()))
			if next == nil {
				delete(w.table.items, d.Key())
			} else {
				w.table.put(next)
			}
			return signal.Estimate{Available: 3, Capacity: 10}, nil
		}
	}
	t.Run("moved to another bucket", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Shards = 16
			key := signal.Key{PK: loop.PK(), SK: "2026-07-01"}
			away := signal.ShardKey("5min", (signal.Shard(key, 16)+1)%16)
			w.seed(key.SK, attr(signal.AttrGSIPK, signal.S(away)))
			meanwhile(w, func(i signal.Item) signal.Item {
				i[signal.AttrGSIPK] = signal.S(signal.BucketID("1h"))
				return i
			})
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
			if got := w.table.item(key).Text(signal.AttrGSIPK); got != signal.BucketID("1h") || w.bit(key) != signal.Clean {
				t.Errorf("it is %s in %s, want clean in the bucket it was moved to", w.bit(key), got)
			}
		})
	})
	t.Run("claimed by another run", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			meanwhile(w, func(i signal.Item) signal.Item {
				i[signal.AttrClaimedBy] = signal.S("another run's")
				return i
			})
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Superseded: 1})
			if w.value(key) != "" || w.free(key) {
				t.Error("it was written under another run's claim")
			}
		})
	})
	t.Run("deleted", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			meanwhile(w, func(signal.Item) signal.Item { return nil })
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Superseded: 1})
			if w.table.item(key) != nil {
				t.Error("it is there again")
			}
		})
	})
	t.Run("seeded anew", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			meanwhile(w, func(signal.Item) signal.Item {
				w.seed("2026-07-01", attr(signal.AttrGlobalID, signal.S("the next one")))
				return w.table.item(key)
			})
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Superseded: 1})
			if w.value(key) != "" || w.bit(key) != signal.Dirty {
				t.Error("the new signal got the old one's value")
			}
		})
	})
}

func TestRun_conflictWithATransaction(t *testing.T) {
	conflict := func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrConflict }
	t.Run("of a claim", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.runner.Random = func() float64 { return 0.5 }
			key := w.seed("2026-07-01")
			for n := range 2 {
				w.on(protocol.OpClaim, n+1, conflict)
			}
			report := w.run()
			claims := w.table.sent(protocol.OpClaim)
			if w.bit(key) != signal.Clean || report.Cleaned != 1 || len(claims) != 3 || report.DurationMS == 0 {
				t.Fatalf("want it claimed after a while: %d claims, %+v", len(claims), report)
			}
			ids := map[string]bool{}
			for _, c := range claims {
				for _, a := range c.Set {
					if a.Attr == signal.AttrClaimedBy {
						id, _ := a.Value.Text()
						ids[id] = true
					}
				}
			}
			if len(ids) != 3 {
				t.Error("a claim has the id of another")
			}
		})
	})
	t.Run("of a claim, again and again", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.runner.Random = func() float64 { return 0.99 }
			hot, other := w.seed("2026-07-01"), w.seed("2026-07-02")
			w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
				if write.Op == protocol.OpClaim && write.Key == hot {
					return nil, dynamo.ErrConflict
				}
				return do()
			}
			report := w.run()
			w.wantCounts(report, check.Counts{Seen: 2, Due: 2, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1, Remaining: 1})
			if w.bit(other) != signal.Clean || w.table.item(hot)[signal.AttrAttempts].Exists() || report.DurationMS > 5000 {
				t.Error("want the other one cleaned soon, and no attempt counted for the hot one")
			}
		})
	})
	t.Run("of a claim and its finish, four times each", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			for n := range 4 {
				w.on(protocol.OpClaim, n+1, conflict)
				w.on(protocol.OpFinishClean, n+1, conflict)
			}
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
			if w.bit(key) != signal.Clean {
				t.Error("not cleaned")
			}
		})
	})
}

func TestRun_throttling(t *testing.T) {
	throttled := func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrThrottled }
	t.Run("of a claim", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Checks.Concurrency = 1
			key := w.seed("2026-07-01", dirtyFor(time.Hour))
			w.seed("2026-07-02")
			w.on(protocol.OpClaim, 1, throttled)
			w.wantCounts(w.run(), check.Counts{Seen: 2, Due: 2, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1, Remaining: 1, Throttles: 1})
			if w.bit(key) != signal.Dirty || w.table.item(key)[signal.AttrAttempts].Exists() {
				t.Error("want it left to the next run")
			}
		})
	})
	t.Run("of all claims slows the run down", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Checks.Concurrency = 1
			w.runner.Random = func() float64 { return 0.5 }
			for i := range 10 {
				w.seed(fmt.Sprintf("2026-07-%02d", i+1))
			}
			w.on(protocol.OpClaim, always, throttled)
			report := w.run()
			if report.Remaining != 10 || report.Throttles != 10 || report.DurationMS != 5000 {
				t.Errorf("want half a second between two claims: %+v", report)
			}
		})
	})
	t.Run("of a finish", func(t *testing.T) {
		inWorld(t, func(w *world) {
			key := w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, 1, throttled)
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1, Throttles: 1})
			if w.bit(key) != signal.Clean {
				t.Error("not cleaned")
			}
		})
	})
	t.Run("of every finish", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.seed("2026-07-01")
			w.on(protocol.OpFinishClean, always, throttled)
			report := w.run()
			if report.Abandoned != 1 || report.Throttles != 6 || report.Failed != 0 {
				t.Errorf("want it given up after six: %+v", report)
			}
		})
	})
	t.Run("that the SDK hid", func(t *testing.T) {
		inWorld(t, func(w *world) {
			hidden := int64(40)
			w.runner.Throttled = func() int64 { return hidden }
			w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
				hidden += 2
				return signal.Estimate{}, nil
			}
			w.seed("2026-07-01")
			if report := w.run(); report.Throttles != 2 {
				t.Errorf("throttles = %d, want the 2 of this run", report.Throttles)
			}
		})
	})
}

// turnsDown makes the table turn down the claims of some signals.
func (w *world) turnsDown(keys []signal.Key, err error) {
	w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
		if write.Op == protocol.OpClaim && slices.Contains(keys, write.Key) {
			return nil, err
		}
		return do()
	}
}

func TestRun_writesThatTheTableTurnsDown(t *testing.T) {
	denied := fmt.Errorf("claim: %w: not authorized", dynamo.ErrAccessDenied)
	t.Run("one claim", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Checks.Concurrency = 1
			bad := w.seed("2026-07-01", dirtyFor(time.Hour))
			w.seed("2026-07-02")
			w.on(protocol.OpClaim, 1, func(func() (signal.Item, error)) (signal.Item, error) { return nil, denied })
			report := w.run()
			w.wantCounts(report, check.Counts{Seen: 2, Due: 2, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1, Failed: 1})
			if len(report.Failures) != 1 || report.Failures[0] != (check.Failure{Key: bad.String(), Reason: denied.Error()}) {
				t.Errorf("failures: %v", report.Failures)
			}
		})
	})
	t.Run("every claim", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.bucket.Checks.Concurrency = 1
			for i := range 28 {
				w.seed(fmt.Sprintf("2026-07-%02d", i+1))
			}
			w.on(protocol.OpClaim, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, denied })
			report, err := w.tryRun(w.Context())
			if !errors.Is(err, dynamo.ErrAccessDenied) || !strings.Contains(err.Error(), "not authorized") {
				t.Errorf("error: %v", err)
			}
			w.wantCounts(report, check.Counts{Seen: 28, Due: 28, Failed: 20, Remaining: 8})
			if item := w.runItem(); !item[protocol.AttrReport].Exists() || item[protocol.AttrRunBy].Exists() {
				t.Errorf("want the run noted, and its bucket given back: %v", item)
			}
		})
	})
	t.Run("those of the oldest", func(t *testing.T) {
		for _, concurrency := range []int{1, 4, 50} {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency = concurrency
				random := rand.New(rand.NewPCG(1, 2))
				w.runner.Random = func() float64 {
					w.mu.Lock()
					defer w.mu.Unlock()
					return random.Float64()
				}
				keys := w.seedMany(120)
				w.turnsDown(keys[:60], denied)
				w.wantCounts(w.run(), check.Counts{Seen: 120, Due: 120, Claimed: 60, Computed: 60, Changed: 60, Cleaned: 60, Failed: 60})
			})
		}
	})
	t.Run("all that are left", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.turnsDown(w.seedMany(3), denied)
			w.wantCounts(w.run(), check.Counts{Seen: 3, Due: 3, Failed: 3})
			if item := w.runItem(); !item[protocol.AttrReport].Exists() {
				t.Errorf("the run is not noted: %v", item)
			}
		})
	})
	t.Run("too few others to show anything", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.turnsDown(w.seedMany(12), denied)
			w.wantCounts(w.run(), check.Counts{Seen: 12, Due: 12, Failed: 12})
		})
	})
	t.Run("a finish", func(t *testing.T) {
		inWorld(t, func(w *world) {
			bad := w.seed("2026-07-01")
			w.seed("2026-07-02")
			w.table.onWrite = func(write protocol.Write, do func() (signal.Item, error)) (signal.Item, error) {
				if write.Op == protocol.OpFinishClean && write.Key == bad {
					return nil, dynamo.ErrRejected
				}
				return do()
			}
			report := w.run()
			w.wantCounts(report, check.Counts{Seen: 2, Due: 2, Claimed: 2, Computed: 2, Changed: 1, Cleaned: 1, Failed: 1})
			if len(report.Failures) != 1 || report.Failures[0].Key != bad.String() {
				t.Errorf("failures: %v", report.Failures)
			}
		})
	})
}
