package check_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// expiredFor makes the signal one that expired a while ago.
func expiredFor(d time.Duration) with {
	return func(i signal.Item) {
		at := time.Now().Add(-d)
		i[signal.AttrExpiry], i[signal.AttrTTL] = signal.S(signal.FormatInstant(at)), signal.N(at.Unix())
	}
}

func TestSweep_removesWhatTTLHasLeft(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		gone := []signal.Key{
			w.seed("2026-07-01", expiredFor(time.Hour)),
			w.seed("2026-07-02", expiredFor(30*24*time.Hour)),
			// As a seeder of another language may leave it: the index shows no ttl.
			w.seed("2026-07-03", expiredFor(2*time.Hour), func(i signal.Item) { delete(i, signal.AttrTTL) }),
			w.seed("2026-07-04", expiredFor(time.Hour), clean),
			w.seed("2026-07-05", expiredFor(time.Hour), func(i signal.Item) { delete(i, signal.AttrGlobalID) }),
			w.seed("2026-07-06", expiredFor(time.Hour), attr(signal.AttrSeededBy, signal.S("somebody else"))),
			w.seed("2026-07-07", expiredFor(time.Hour), func(i signal.Item) { delete(i, signal.AttrExpiry) }),
		}
		kept := []signal.Key{
			w.seed("2026-08-01", expiredFor(59*time.Minute)),
			w.seed("2026-08-02", expiredFor(59*time.Minute), clean),
			w.seed("2026-08-03", valued("7", 0)),
		}
		report := w.run()
		w.wantCounts(report, check.Counts{Seen: 7, Expired: 7, Due: 1, Audited: 1, Swept: 7})
		for _, k := range gone {
			if w.table.item(k) != nil {
				t.Errorf("%s is still there", k)
			}
		}
		for _, k := range kept {
			if w.table.item(k) == nil {
				t.Errorf("%s was swept", k)
			}
		}
	})
}

func TestSweep_isBounded(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 450 {
			// Both kinds.
			w.seed(first.AddDays(i).String(), expiredFor(time.Hour), []with{clean, func(signal.Item) {}}[i%2])
		}
		for tick, want := range []int64{200, 200, 50, 0} {
			if report := w.run(); report.Swept != want {
				t.Errorf("tick %d: swept %d, want %d", tick+1, report.Swept, want)
			}
			time.Sleep(5 * time.Minute)
		}
	})
}

// Only what it has read, and as long as it is expired.
func TestSweep_spares(t *testing.T) {
	for name, change := range map[string]func(w *world, item signal.Item){
		"what is seeded anew meanwhile": func(w *world, item signal.Item) {
			item[signal.AttrGlobalID] = signal.S("the next one")
		},
		"what is not to expire any more": func(_ *world, item signal.Item) {
			later := time.Now().Add(24 * time.Hour)
			item[signal.AttrExpiry], item[signal.AttrTTL] = signal.S(signal.FormatInstant(later)), signal.N(later.Unix())
		},
		"what is expired for less than an hour now": func(_ *world, item signal.Item) { expiredFor(30 * time.Minute)(item) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				key := w.seed("2026-07-01", expiredFor(2*time.Hour))
				w.on(protocol.OpSweep, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
					item := w.table.item(key)
					change(w, item)
					w.table.put(item)
					return do()
				})
				w.wantCounts(w.run(), check.Counts{Seen: 1, Expired: 1})
				if w.table.item(key) == nil {
					t.Error("it was swept")
				}
			})
		})
	}
}

func TestSweep_whatIsNotASignal(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01", expiredFor(2*time.Hour), attr(signal.AttrPK, signal.S("somebody's::item")))
		w.wantCounts(w.run(), check.Counts{Seen: 1, Expired: 1})
		if w.table.item(key) == nil {
			t.Error("it was deleted")
		}
	})
}

func TestSweep_whoseAnswerIsLost(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01", expiredFor(2*time.Hour))
		w.on(protocol.OpSweep, 1, func(do func() (signal.Item, error)) (signal.Item, error) {
			if _, err := do(); err != nil {
				return nil, err
			}
			return do()
		})
		w.wantCounts(w.run(), check.Counts{Seen: 1, Expired: 1, Swept: 1})
	})
}

func TestSweep_thatFails(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 20 {
			w.seed(fmt.Sprintf("2026-07-%02d", i+1), expiredFor(2*time.Hour))
		}
		dirty := w.seed("2026-08-01")
		w.on(protocol.OpSweep, always, func(func() (signal.Item, error)) (signal.Item, error) { return nil, dynamo.ErrAccessDenied })
		report := w.run()
		if report.Swept != 0 || report.Cleaned != 1 || w.bit(dirty) != signal.Clean {
			t.Errorf("report: %+v", report)
		}
		lines := w.logged("expired signal not swept")
		if len(lines) == 0 || len(lines) > 8 {
			t.Fatalf("%d log lines", len(lines))
		}
		if lines[0]["key"] == nil || lines[0]["error"] != report.SweepError {
			t.Errorf("log: %v", lines[0])
		}
	})
}

// What is met among the dirty is removed before the audit, which may take all the time
// that there is.
func TestSweep_beforeTheAudit(t *testing.T) {
	inAudit(t, atOnce, func(w *world) {
		gone := w.seed("2026-07-01", expiredFor(2*time.Hour))
		w.seed("2026-07-02", valued("7", time.Hour))
		w.takes(time.Hour)
		if report := w.runFor(time.Minute); report.Swept != 1 || w.table.item(gone) != nil {
			t.Errorf("report: %+v", report)
		}
	})
}

// That time is up is no fault to report.
func TestSweep_endsInSilence(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01", expiredFor(2*time.Hour))
		w.table.onRead = func(signal.Key) error {
			time.Sleep(57 * time.Second)
			return dynamo.ErrUnknown
		}
		w.wantCounts(w.runFor(time.Minute), check.Counts{Seen: 1, Expired: 1})
		if lines := w.warnings(); len(lines) != 0 {
			t.Errorf("warnings: %q", lines)
		}
	})
}

// A removal costs a unit of its shard: two at once, then two a second.
func TestSweep_keepsTheWriteBudget(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.WriteBudget = 1
		first := signal.Date{Year: 2026, Month: time.July, Day: 1}
		for i := range 100 {
			w.seed(first.AddDays(i).String(), expiredFor(2*time.Hour))
		}
		if report := w.run(); report.Swept != 100 || report.DurationMS != 49_000 {
			t.Errorf("report: %+v", report)
		}
	})
}
