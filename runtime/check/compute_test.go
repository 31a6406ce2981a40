package check_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// estimates answers by date, and with 7 of 10 for all others.
func (w *world) estimates(errs map[string]error) {
	w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
		return signal.Estimate{Available: 7, Capacity: 10}, errs[d.Date.String()]
	}
}

// putOff is for how long a signal is put off.
func (w *world) putOff(k signal.Key) time.Duration {
	return time.Until(time.UnixMilli(w.table.item(k).Int(signal.AttrNotBefore)))
}

// previousRun is what the bucket's run item says of the run before.
func (w *world) previousRun(ago time.Duration, computed, failed, backedOff int64) {
	started := time.Now().Add(-ago)
	for _, write := range []protocol.Write{
		protocol.TakeRun(w.bucket.Name, "before", started),
		protocol.EndRun(w.bucket.Name, "before", started, started, signal.M(map[string]signal.Value{
			"computed": signal.N(computed), "failed": signal.N(failed), "backedOff": signal.N(backedOff),
		})),
	} {
		if _, err := w.table.apply(write); err != nil {
			w.Fatal(err)
		}
	}
}

func TestRun_badItemsDoNotStopTheOthers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 2
		broken := &source.ItemError{Item: `inventory pool "a"`, Reason: "cannot be counted"}
		bad := map[signal.Key]string{
			w.seed("2026-07-01"): `read it: inventory pool "a" cannot be counted`,
			w.seed("2026-07-02", attr(signal.AttrPattern, signal.Value{})):            "invalid availability estimation pattern: the item has none",
			w.seed("2026-07-03", attr(signal.AttrPK, signal.S("inventory::a::b"))):    `invalid signal key "inventory::a::b": expected it to begin with "availabilitySignal::"`,
			w.seed("2026-07-04", attr(signal.AttrSK, signal.S("the fourth of July"))): `key "` + loop.PK() + ` the fourth of July": invalid date "the fourth of July": expected a calendar date as YYYY-MM-DD, such as 2026-07-01`,
		}
		w.estimates(map[string]error{"2026-07-01": fmt.Errorf("read it: %w", broken)})
		for i := range 20 {
			w.seed(fmt.Sprintf("2026-08-%02d", i+1))
		}

		report := w.run()

		w.wantCounts(report, check.Counts{Seen: 24, Due: 24, Claimed: 24, Computed: 20, Changed: 20, Cleaned: 20, Failed: 4})
		named := map[string]string{}
		for _, f := range report.Failures {
			named[f.Key] = f.Reason
		}
		for k, reason := range bad {
			if named[k.String()] != reason {
				t.Errorf("%s:\n got %s\nwant %s", k, named[k.String()], reason)
			}
			if item := w.table.item(k); item.Int(signal.AttrAttempts) != 1 || w.putOff(k) != 5*time.Minute || w.bit(k) != signal.Dirty || !w.free(k) {
				t.Errorf("want it dirty, free, and put off by a cadence: %v", item)
			}
		}
	})
}

func TestRun_namesTheFirstOfManyFailures(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 28 {
			w.seed(fmt.Sprintf("2026-07-%02d", i+1), attr(signal.AttrPattern, signal.S("?")))
		}
		if report := w.run(); report.Failed != 28 || len(report.Failures) != 20 {
			t.Errorf("%d failed, %d named; want 28 and 20", report.Failed, len(report.Failures))
		}
		if lines := w.logged("signal not checked"); len(lines) != 28 {
			t.Errorf("%d log lines, want one for each", len(lines))
		}
	})
}

func TestRun_failuresInARow(t *testing.T) {
	for _, test := range []struct {
		name     string
		cadence  signal.Cadence
		attempts int64
		random   float64
		want     time.Duration
		// lastRun is how long ago the run before was.
		lastRun time.Duration
	}{
		{"first", signal.Cadence{Minutes: 5}, 0, 0, 5 * time.Minute, 20 * time.Minute},
		{"second", signal.Cadence{Minutes: 5}, 1, 0, 10 * time.Minute, 20 * time.Minute},
		{"fourth", signal.Cadence{Minutes: 5}, 3, 0, 40 * time.Minute, 20 * time.Minute},
		{"fifth: an hour at most", signal.Cadence{Minutes: 5}, 4, 0, time.Hour, 20 * time.Minute},
		{"seventh", signal.Cadence{Minutes: 5}, 6, 0, time.Hour, 20 * time.Minute},
		{"a cadence of more than an hour", signal.Cadence{Days: 1}, 0, 0, time.Hour, 20 * time.Minute},
		{"spread", signal.Cadence{Minutes: 5}, 1, 0.5, 8*time.Minute + 45*time.Second, 20 * time.Minute},
		// For a cron expression, the time since the last start is the cadence.
		{"cron", signal.Cadence{ID: "5min"}, 1, 0, 40 * time.Minute, 20 * time.Minute},
		{"cron, delivered twice", signal.Cadence{ID: "5min"}, 0, 0, time.Minute, time.Second},
		{"cron, for the first time", signal.Cadence{ID: "5min"}, 0, 0, time.Minute, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Cadence = test.cadence
				w.runner.Random = func() float64 { return test.random }
				if test.lastRun > 0 {
					w.previousRun(test.lastRun, 1, 0, 0)
				}
				key := w.seed("2026-07-01", attr(signal.AttrPattern, signal.S("?")), attr(signal.AttrAttempts, signal.N(test.attempts)))
				w.run()
				if got := w.putOff(key); got != test.want {
					t.Errorf("put off by %s, want %s", got, test.want)
				}
				if got := w.table.item(key).Int(signal.AttrAttempts); got != test.attempts+1 {
					t.Errorf("attempts = %d, want %d", got, test.attempts+1)
				}
			})
		})
	}
}

func TestRun_successEndsTheRowOfFailures(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01", attr(signal.AttrAttempts, signal.N(3)))
		w.run()
		if w.table.item(key)[signal.AttrAttempts].Exists() {
			t.Error("it still has attempts")
		}
	})
}

// Nothing shows that the source works for others: the signals are not to blame.
func TestRun_sourceOutage(t *testing.T) {
	for name, previous := range map[string]func(*world){
		"no run before":             func(*world) {},
		"nothing to check before":   func(w *world) { w.previousRun(5*time.Minute, 0, 0, 0) },
		"less than half had worked": func(w *world) { w.previousRun(5*time.Minute, 49, 1, 50) },
		"more than half had failed": func(w *world) { w.previousRun(5*time.Minute, 49, 51, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				previous(w)
				young := w.seed("2026-07-01", dirtyFor(time.Minute))
				older := w.seed("2026-07-02", dirtyFor(40*time.Minute))
				oldest := w.seed("2026-07-03", dirtyFor(9*time.Hour))
				unknown := w.seed("2026-07-04", func(i signal.Item) { delete(i, signal.AttrDirtySince) })
				down := errors.New("read inventory: no answer")
				w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) { return signal.Estimate{}, down }

				report := w.run()

				w.wantCounts(report, check.Counts{Seen: 4, Due: 4, Claimed: 4, BackedOff: 4})
				if report.SourceError != down.Error() || len(report.Failures) != 0 {
					t.Errorf("report: %+v", report)
				}
				for k, want := range map[signal.Key]time.Duration{
					young: 5 * time.Minute, older: 20 * time.Minute, oldest: time.Hour, unknown: 5 * time.Minute,
				} {
					if got := w.putOff(k); got != want {
						t.Errorf("%s is put off by %s, want %s", k, got, want)
					}
					if item := w.table.item(k); item[signal.AttrAttempts].Exists() || !w.free(k) || w.bit(k) != signal.Dirty {
						t.Errorf("want it dirty, free, and no attempt counted: %v", item)
					}
				}
				if lines := w.logged("source failed"); len(lines) != 1 {
					t.Errorf("%d log lines, want the first alone", len(lines))
				}
				if lines := w.logged("run"); len(lines) != 1 || lines[0]["level"] != "WARN" || lines[0]["sourceError"] != down.Error() {
					t.Errorf("line of the run: %v", lines)
				}

				// And as soon as it works again, they are checked.
				w.estimates(nil)
				time.Sleep(time.Hour)
				if report := w.run(); report.Cleaned != 4 {
					t.Errorf("after the outage: %+v", report)
				}
			})
		})
	}
}

// A signal is put off from when its check has failed, and by how long it has been dirty
// then.
func TestRun_putsOffFromTheFailure(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, date := range []string{"2026-07-01", "2026-07-02"} {
			w.seed(date, dirtyFor(39*time.Minute))
		}
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			time.Sleep(time.Minute)
			if d.Date.Day == 1 {
				return signal.Estimate{}, &source.ItemError{Item: "pool", Reason: "broken"}
			}
			return signal.Estimate{}, errDown
		}
		w.run()
		for date, want := range map[string]time.Duration{"2026-07-01": 5 * time.Minute, "2026-07-02": 20 * time.Minute} {
			if got := w.putOff(signal.Key{PK: loop.PK(), SK: date}); got != want {
				t.Errorf("%s is put off by %s, want %s", date, got, want)
			}
		}
	})
}

// Where a source that fails would put signals off by a cadence of more than an hour,
// the next tick would come too early for them.
func TestRun_sourceOutageOfADailyBucket(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Cadence = signal.Cadence{Days: 1}
		key := w.seed("2026-07-01", dirtyFor(time.Minute))
		w.estimate = failing(errDown)
		w.run()
		if got := w.putOff(key); got != time.Hour {
			t.Errorf("put off by %s, want an hour", got)
		}
	})
}

// The first of a source's errors is reported: those that follow are often for its sake.
func TestRun_reportsTheFirstSourceError(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedMany(2)
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			return signal.Estimate{}, errors.New("no answer for " + d.Date.String())
		}
		if report := w.run(); report.SourceError != "no answer for 2026-07-01" {
			t.Errorf("source error: %s", report.SourceError)
		}
	})
}

// A signal for which a working source fails is not to fail unnoticed for ever.
func TestRun_sourceThatFailsForOneSignal(t *testing.T) {
	inWorld(t, func(w *world) {
		w.previousRun(5*time.Minute, 50, 10, 40)
		poisoned, busy := w.seed("2026-07-01"), w.seed("2026-07-02", dirtyFor(time.Minute))
		w.seed("2026-07-03")
		w.estimates(map[string]error{
			"2026-07-01": errors.New("500 internal error"),
			"2026-07-02": fmt.Errorf("read: %w", source.ErrBusy),
		})
		w.wantCounts(w.run(), check.Counts{Seen: 3, Due: 3, Claimed: 3, Computed: 1, Changed: 1, Cleaned: 1, Failed: 1, BackedOff: 1})
		if w.table.item(poisoned).Int(signal.AttrAttempts) != 1 || w.table.item(busy)[signal.AttrAttempts].Exists() {
			t.Error("want an attempt counted for the poisoned one, and none for the one whose source was busy")
		}
	})
}

func TestRun_usesThePatternAsClaimed(t *testing.T) {
	inWorld(t, func(w *world) {
		key := w.seed("2026-07-01")
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			// Its seeder changes the pattern, which flips it.
			item := w.table.item(key)
			tiered(item)
			w.table.put(item)
			w.flip(key)
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		w.run()
		if w.value(key) != "7" || w.bit(key) != signal.Dirty {
			t.Errorf("value %q, %s; want the old pattern's, and dirty", w.value(key), w.bit(key))
		}
		w.estimates(nil)
		w.run()
		if w.value(key) != "medium" || w.bit(key) != signal.Clean {
			t.Errorf("value %q, %s; want the new pattern's, and clean", w.value(key), w.bit(key))
		}
	})
}

// The longest wait stays the longest, however often it would have been doubled.
func TestRun_longestBackOff(t *testing.T) {
	for _, attempts := range []int64{5, 62, 63, 64, 99} {
		inWorld(t, func(w *world) {
			w.bucket.Checks.MaxAttempts = 100
			bad := w.seed("2026-07-01", attr(signal.AttrPattern, signal.S("?")), attr(signal.AttrAttempts, signal.N(attempts-1)))
			w.run()
			if got := w.putOff(bad).Round(time.Second); got != time.Hour {
				t.Errorf("after %d failures it is put off by %s, want an hour", attempts, got)
			}
		})
	}
}
