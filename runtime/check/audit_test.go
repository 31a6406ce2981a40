package check_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// valued makes the signal a clean one with a value of a while ago.
func valued(value string, ago time.Duration) with {
	return func(i signal.Item) {
		clean(i)
		i[signal.AttrValue] = signal.S(value)
		i[signal.AttrLastUpdatedAt] = signal.S(signal.FormatInstant(time.Now().Add(-ago)))
	}
}

// inAudit runs a test in a world whose bucket is audited within that time.
func inAudit(t *testing.T, staleness time.Duration, test func(*world)) {
	t.Helper()
	inWorld(t, func(w *world) {
		w.bucket.Checks.MaxStaleness = staleness
		test(w)
	})
}

// atOnce is a max_staleness by which all is audited at every tick.
const atOnce = time.Minute

func TestAudit_findsAForgottenFlip(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		right := w.seed("2026-07-01", valued("7", time.Hour))
		wrong := w.seed("2026-07-02", valued("9", time.Hour))
		never := w.seed("2026-07-03", clean)
		before := w.table.item(wrong)
		w.takes(10 * time.Second)

		began := time.Now()
		report := w.run()

		w.wantCounts(report, check.Counts{Audited: 3, Mismatched: 1})
		if w.bit(right) != signal.Clean || w.table.item(right).Text(signal.AttrLastUpdatedAt) != signal.FormatInstant(began) {
			t.Errorf("want it clean, and right as of now: %v", w.table.item(right))
		}
		for _, k := range []signal.Key{wrong, never} {
			item := w.table.item(k)
			if w.bit(k) != signal.Dirty || item.Int(signal.AttrRev) != 1 || item.Text(signal.AttrDirtySince) != signal.FormatInstant(began.Add(10*time.Second)) {
				t.Errorf("want it flipped when that was found: %v", item)
			}
		}
		// The audit writes no value, and says nothing new of the old one.
		for _, name := range []string{signal.AttrValue, signal.AttrLastUpdatedAt} {
			if !w.table.item(wrong)[name].Equal(before[name]) {
				t.Errorf("%s was written", name)
			}
		}
		lines := w.logged("audit_mismatch: the value was another than the source's, and nobody had flipped the signal")
		if len(lines) != 1 || lines[0]["key"] != wrong.String() || lines[0]["level"] != "WARN" {
			t.Errorf("log: %v", lines)
		}

		time.Sleep(5 * time.Minute)
		w.wantCounts(w.run(), check.Counts{Seen: 2, Due: 2, Claimed: 2, Computed: 2, Changed: 2, Cleaned: 2, Audited: 3})
		if w.value(wrong) != "7" || w.value(never) != "7" {
			t.Error("the values are not right by the next tick")
		}
	})
}

func TestAudit_leavesDirtyAndExpiredAlone(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.seed("2026-07-01", valued("9", time.Hour), attr(signal.AttrTTL, signal.N(time.Now().Unix()-1)))
		w.seed("2026-07-02", valued("9", time.Hour), attr(signal.AttrExpiry, signal.S(signal.FormatInstant(time.Now()))))
		// The index says clean, the table dirty: it is checked soon enough.
		late := w.seed("2026-07-03", attr(signal.AttrNotBefore, signal.N(time.Now().Add(time.Hour).UnixMilli())))
		ghost := w.table.item(late)
		clean(ghost)
		w.table.ghosts = []signal.Item{ghost}
		w.wantCounts(w.run(), check.Counts{Seen: 1, NotDue: 1})
		if len(w.asked) != 0 {
			t.Errorf("the source was asked for %v", w.asked)
		}
	})
}

// Between the audit's reads and its write, bookings go on.
func TestAudit_flippedMeanwhile(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		same, other := w.seed("2026-07-01", valued("7", time.Hour)), w.seed("2026-07-02", valued("9", time.Hour))
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			w.flip(d.Key())
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		before := w.table.item(same)
		w.wantCounts(w.run(), check.Counts{Audited: 2})
		if w.bit(same) != signal.Dirty || !w.table.item(same)[signal.AttrLastUpdatedAt].Equal(before[signal.AttrLastUpdatedAt]) {
			t.Errorf("a dirty signal was confirmed: %v", w.table.item(same))
		}
		if w.bit(other) != signal.Dirty {
			t.Error("it is not dirty")
		}
	})
}

func TestAudit_off(t *testing.T) {
	inAudit(t, 0, func(w *world) {
		w.seed("2026-07-01", valued("9", time.Hour))
		w.wantCounts(w.run(), check.Counts{})
		if len(w.asked) != 0 || len(w.table.sent(protocol.OpAdvance)) != 0 {
			t.Error("it was audited")
		}
	})
}

// In effect at the next tick.
func TestAudit_turnedOnInTheRegistry(t *testing.T) {
	inAudit(t, 0, func(w *world) {
		w.seed("2026-07-01", valued("9", time.Hour))
		w.run()
		w.bucket.Checks.MaxStaleness = atOnce
		if report := w.run(); report.Mismatched != 1 {
			t.Errorf("report: %+v", report)
		}
	})
}

// Every entry is passed within max_staleness, at an even pace, wherever it is.
func TestAudit_passesAllWithinMaxStaleness(t *testing.T) {
	inAudit(t, 24*time.Hour, func(w *world) {
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		var keys []signal.Key
		add := func(n int) {
			for range n {
				i := len(keys)
				// Most in one shard, some in others that are not in use any more.
				shard := map[bool]int{true: i % 16}[i%10 == 0]
				keys = append(keys, w.seed(first.AddDays(i).String(), valued("7", 0),
					attr(signal.AttrGSIPK, signal.S(signal.ShardKey("5min", shard)))))
			}
		}
		add(500)
		least, most := int64(1<<62), int64(0)
		for tick := range 2 * 288 {
			if tick == 300 {
				// In the middle of a pass, there are three times as many.
				add(1000)
			}
			report := w.run()
			if tick < 300 && tick > 0 && tick%216 > 10 && tick%216 < 200 {
				least, most = min(least, report.Audited), max(most, report.Audited)
			}
			time.Sleep(5 * time.Minute)
			for _, k := range keys {
				at, err := signal.ParseInstant(w.table.item(k).Text(signal.AttrLastUpdatedAt))
				if err != nil {
					t.Fatal(err)
				}
				if age := time.Since(at); age > 24*time.Hour+5*time.Minute {
					t.Fatalf("%s was not audited for %s", k, age)
				}
			}
		}
		// 450 in one shard make two in five minutes; the others a few in all.
		if least < 2 || most > 8 {
			t.Errorf("%d to %d audits in a tick, want an even pace", least, most)
		}
	})
}

func TestAudit_cursorSurvivesARun(t *testing.T) {
	inAudit(t, 24*time.Hour, func(w *world) {
		// The source is asked in the cursor's order, whatever shard is the first.
		w.bucket.Checks.Concurrency = 1
		w.runner.Random = func() float64 { return 0.5 }
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 500 {
			w.seed(first.AddDays(i).String(), valued("7", 0))
		}
		for range 50 {
			w.run()
			time.Sleep(5 * time.Minute)
		}
		times := map[string]int{}
		for _, d := range w.asked {
			times[d.String()]++
		}
		for d, n := range times {
			if n != 1 {
				t.Errorf("%s was audited %d times in a quarter of the pass", d, n)
			}
		}
		if len(times) < 110 || len(times) > 125 {
			t.Errorf("%d of 500 were audited in 50 ticks of 216", len(times))
		}
		item := w.table.item(signal.AuditKey("5min", 0))
		c := protocol.ParseCursor(item)
		if last := w.asked[len(w.asked)-1]; c.After != last.Key() || c.Passed != int64(len(times)) || c.Entries != 500 {
			t.Errorf("cursor: %+v, want it after %s", c, last)
		}
	})
}

// Two runs at once may audit the same entries; the cursor is advanced by one.
func TestAudit_byTwoRunsAtOnce(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.seed("2026-07-01", valued("7", time.Hour))
		overtaken := false
		w.on(protocol.OpAdvance, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
			overtaken = true
			write, _ := protocol.Advance("5min", 0, protocol.Cursor{PassStarted: time.Now(), Counted: time.Now(), Entries: 1, Passed: 1})
			for shard := range signal.MaxShards {
				write.Key = signal.AuditKey("5min", shard)
				if _, err := w.table.apply(write); err != nil && !errors.Is(err, dynamo.ErrRefused) {
					t.Error(err)
				}
			}
			return do()
		})
		w.run()
		if !overtaken || len(w.table.sent(protocol.OpAdvance)) != 1 {
			t.Errorf("%d advances, want one that is refused", len(w.table.sent(protocol.OpAdvance)))
		}
		if lines := w.logged("audit stopped; the next run goes on with it"); len(lines) != 1 || lines[0]["error"] != "another run audits the bucket" {
			t.Errorf("log: %v", lines)
		}
	})
}

func TestAudit_endsInTimeForTheNextRun(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 200 {
			w.seed(first.AddDays(i).String(), valued("7", 0))
		}
		w.takes(10 * time.Second)
		report := w.run()
		if report.Audited != 24 || report.DurationMS != 240_000 {
			t.Errorf("want it to end after four of the five minutes: %+v", report)
		}
		// And it goes on where it stopped.
		time.Sleep(time.Minute)
		asked := len(w.asked)
		w.run()
		if next := w.asked[asked]; next.Date != first.AddDays(24) {
			t.Errorf("the next run began with %s, want the 25th", next)
		}
	})
}

func TestAudit_inAnInvocationThatEnds(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.Concurrency = 4
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 40 {
			w.seed(first.AddDays(i).String(), valued("9", 0))
		}
		w.takes(30 * time.Second)
		report := w.runFor(time.Minute)
		// Four are through, the next four would not be.
		w.wantCounts(report, check.Counts{Audited: 4, Mismatched: 4})
		asked := len(w.asked)
		w.takes(0)
		w.run()
		for _, d := range w.asked[asked:] {
			if d.Date == first.AddDays(4) {
				return
			}
		}
		t.Error("what there was no time for was passed over")
	})
}

func TestAudit_sourceErrors(t *testing.T) {
	first := signal.Date{Year: 2026, Month: time.July, Day: 1}
	seed := func(w *world, n int) {
		w.bucket.Checks.Concurrency = 1
		for i := range n {
			w.seed(first.AddDays(i).String(), valued("7", time.Hour))
		}
	}
	t.Run("outage", func(t *testing.T) {
		inAudit(t, atOnce, func(w *world) {
			seed(w, 100)
			w.estimate = failing(errDown)
			report := w.run()
			w.wantCounts(report, check.Counts{AuditFailed: 10})
			if report.SourceError != errDown.Error() {
				t.Errorf("source error: %q", report.SourceError)
			}
		})
	})
	t.Run("outage, also for what was checked", func(t *testing.T) {
		inAudit(t, atOnce, func(w *world) {
			seed(w, 100)
			w.seed("2030-01-01")
			w.estimate = failing(errDown)
			w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, BackedOff: 1, AuditFailed: 10})
		})
	})
	t.Run("one product in a working source", func(t *testing.T) {
		inAudit(t, atOnce, func(w *world) {
			seed(w, 100)
			w.seed("2030-01-01")
			w.failsFor("2026-08-01")
			w.wantCounts(w.run(), check.Counts{
				Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1,
				AuditFailed: 31, Audited: 70,
			})
		})
	})
	t.Run("one product, where nothing else shows that the source works", func(t *testing.T) {
		inAudit(t, atOnce, func(w *world) {
			seed(w, 100)
			w.failsFor("2026-08-01")
			audited := int64(0)
			for range 4 {
				audited += w.run().Audited
				time.Sleep(5 * time.Minute)
			}
			if audited != 69 {
				t.Errorf("%d audited in four ticks, want all others", audited)
			}
		})
	})
	t.Run("data that no value can be made of", func(t *testing.T) {
		inAudit(t, atOnce, func(w *world) {
			seed(w, 30)
			bad := w.seed("2026-06-30", valued("7", 0), attr(signal.AttrPattern, signal.S("?")))
			w.estimates(map[string]error{"2026-07-02": &source.ItemError{Item: "pool", Reason: "broken"}})
			w.wantCounts(w.run(), check.Counts{AuditFailed: 2, Audited: 29})
			if w.bit(bad) != signal.Clean {
				t.Error("it was flipped")
			}
			lines := w.logged("signal not audited")
			if len(lines) != 2 || lines[0]["key"] != bad.String() || lines[0]["reason"] != "it cannot be audited: invalid availability estimation pattern: expected a map" {
				t.Errorf("log: %v", lines)
			}
		})
	})
	t.Run("not after the checks found it gone", func(t *testing.T) {
		// Of twelve, two are enough to probe.
		for dirty, checked := range map[int64]int64{30: 20, 12: 12} {
			inAudit(t, atOnce, func(w *world) {
				seed(w, 10)
				for i := range dirty {
					w.seed(fmt.Sprintf("2027-01-%02d", i+1))
				}
				w.estimate = failing(errDown)
				w.wantCounts(w.run(), check.Counts{Seen: dirty, Due: dirty, Claimed: checked, BackedOff: checked, Remaining: dirty - checked})
			})
		}
	})
}

func TestAudit_whoseTableFails(t *testing.T) {
	for name, prepare := range map[string]func(*world){
		"listing": func(w *world) {
			w.table.onQuery = func(_ context.Context, q dynamo.Query) error {
				if q.Equals == signal.Clean {
					return dynamo.ErrThrottled
				}
				return nil
			}
		},
		"cursor": func(w *world) {
			w.on(protocol.OpAdvance, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrThrottled })
		},
	} {
		t.Run(name, func(t *testing.T) {
			inAudit(t, atOnce, func(w *world) {
				w.seed("2026-07-01", valued("7", 0))
				dirty := w.seed("2026-07-02")
				prepare(w)
				if report := w.run(); report.Cleaned != 1 || w.bit(dirty) != signal.Clean {
					t.Errorf("report: %+v", report)
				}
				if lines := w.logged("audit stopped; the next run goes on with it"); len(lines) != 1 {
					t.Errorf("log: %v", lines)
				}
				if !w.runItem()[protocol.AttrReport].Exists() {
					t.Error("the run is not noted")
				}
			})
		})
	}
}

func TestAudit_keepsTheWriteBudget(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.bucket.Checks.WriteBudget = 50
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 500 {
			w.seed(first.AddDays(i).String(), valued("9", 0))
		}
		writes := w.indexWrites()
		if report := w.run(); report.Mismatched != 500 {
			t.Errorf("report: %+v", report)
		}
		if n := most(writes["cadenceBucket::5min"]); n > 105 {
			t.Errorf("%d units in a second, want 100 at most", n)
		}
	})
}

// What an index that includes no more than is documented must do.
func TestAudit_asksTheIndexForItsKeysAlone(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		w.seed("2026-07-01", valued("7", 0))
		var asked []string
		w.table.onQuery = func(_ context.Context, q dynamo.Query) error {
			if q.Equals == signal.Clean && q.Limit > 0 {
				asked = q.Attrs
			}
			return nil
		}
		w.run()
		if diff := cmp.Diff([]string{"pk", "sk"}, asked); diff != "" {
			t.Error(diff)
		}
	})
}
