package check_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// failing is a source that always fails.
func failing(err error) func(context.Context, signal.ProductDate) (signal.Estimate, error) {
	return func(context.Context, signal.ProductDate) (signal.Estimate, error) { return signal.Estimate{}, err }
}

var errDown = errors.New("no answer")

// failsFor fails for dates before one, and answers for the others.
func (w *world) failsFor(before string) {
	w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
		if d.Date.String() < before {
			return signal.Estimate{}, errDown
		}
		return signal.Estimate{Available: 7, Capacity: 10}, nil
	}
}

func TestRun_endsWhenTheSourceIsGone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		keys := w.seedMany(100)
		w.estimate = failing(errDown)
		report := w.run()
		// Ten in a row, then ten others at random.
		w.wantCounts(report, check.Counts{Seen: 100, Due: 100, Claimed: 20, BackedOff: 20, Remaining: 80})
		if report.SourceError != errDown.Error() {
			t.Errorf("source error: %q", report.SourceError)
		}
		for _, k := range keys {
			if !w.free(k) || w.bit(k) != signal.Dirty {
				t.Errorf("%s is not free and dirty", k)
			}
		}
		lines := w.logged("the source fails for every signal that was probed, too: the run ends, and leaves the rest to the next")
		if len(lines) != 1 || lines[0]["probed"] != 10.0 {
			t.Errorf("log: %v", lines)
		}
	})
}

func TestRun_releasesWhatIsClaimedWhenTheSourceIsGone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 4
		keys := w.seedMany(100)
		hangs := atomic.Int64{}
		w.estimate = func(ctx context.Context, _ signal.ProductDate) (signal.Estimate, error) {
			if hangs.Add(1) <= 2 {
				// Two requests hang while all others fail.
				<-ctx.Done()
				return signal.Estimate{}, ctx.Err()
			}
			time.Sleep(100 * time.Millisecond)
			return signal.Estimate{}, errDown
		}
		report := w.run()
		if report.Released != 2 || report.BackedOff < 20 || report.BackedOff > 24 || report.DurationMS > 5000 {
			t.Errorf("report: %+v", report)
		}
		for _, k := range keys {
			if !w.free(k) {
				t.Errorf("%s is still claimed", k)
			}
		}
	})
}

func TestRun_probesOneAtATimeAndAtRandom(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 8
		w.runner.Random = func() float64 { return 0.5 }
		w.seedMany(1000)
		calls, now, most := atomic.Int64{}, atomic.Int64{}, atomic.Int64{}
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			now.Add(1)
			defer now.Add(-1)
			// No two fail at the same time: what is asked after the ninth error is asked
			// before the first probe.
			time.Sleep(500*time.Millisecond + time.Duration(calls.Add(1))*time.Millisecond)
			if w.askedSoFar() > 20 {
				most.Store(max(most.Load(), now.Load()))
			}
			time.Sleep(500 * time.Millisecond)
			return signal.Estimate{}, errDown
		}
		w.run()
		if most.Load() != 1 {
			t.Errorf("%d probes at once", most.Load())
		}
		// The queue is in the order of the dates here.
		probes := w.asked[len(w.asked)-10:]
		for _, d := range probes {
			if days := d.Date.Start(time.UTC).Sub(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)).Hours() / 24; days < 450 || days > 550 {
				t.Errorf("probed %s, want one from the middle of those that wait", d)
			}
		}
	})
}

func (w *world) askedSoFar() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked)
}

// One success is enough: then it is not the source, and everybody else is checked.
func TestRun_productWhoseEveryDateFails(t *testing.T) {
	for _, concurrency := range []int{1, 32} {
		t.Run(fmt.Sprint(concurrency), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.bucket.Checks.Concurrency = concurrency
				seed := uint64(7)
				w.runner.Random = func() float64 {
					w.mu.Lock()
					defer w.mu.Unlock()
					seed = seed*6364136223846793005 + 1442695040888963407
					return float64(seed>>11) / (1 << 53)
				}
				// The 60 of the product have been dirty for longest; 400 others wait.
				w.seedMany(460)
				w.failsFor("2026-08-30")
				report := w.run()
				if report.Cleaned != 400 || report.BackedOff != 60 || report.Remaining != 0 {
					t.Errorf("want all others checked in the same run: %+v", report)
				}
			})
		})
	}
}

func TestRun_goesOnWhenNobodyIsLeftToProbe(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 11
		w.seedMany(11)
		w.takes(10 * time.Second)
		slow := w.estimate
		w.estimate = func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
			if d.Date.String() == "2026-07-11" {
				// But it works.
				return slow(ctx, d)
			}
			// By then all of them have been asked for.
			time.Sleep(time.Second)
			return signal.Estimate{}, errDown
		}
		w.wantCounts(w.run(), check.Counts{Seen: 11, Due: 11, Claimed: 11, Computed: 1, Changed: 1, Cleaned: 1, BackedOff: 10})
	})
}

// Whatever is an item's own fault says nothing about the source.
func TestRun_itemErrorsAreNoOutage(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.seedMany(50)
		w.estimate = failing(&source.ItemError{Item: "pool", Reason: "broken"})
		w.wantCounts(w.run(), check.Counts{Seen: 50, Due: 50, Claimed: 50, Failed: 50})
	})
}

// 90 % of the answers are 429: what little gets through is used, and nobody is to
// blame.
func TestRun_brownOut(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 4
		keys := w.seedMany(200)
		w.run()
		n := 0
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if n++; n%10 != 0 {
				return signal.Estimate{}, fmt.Errorf("answered 429: %w", source.ErrBusy)
			}
			return signal.Estimate{Available: 3, Capacity: 10}, nil
		}
		for range 12 * 12 {
			for _, k := range keys {
				w.flip(k)
			}
			report := w.run()
			if report.Quarantined != 0 || report.Failed != 0 {
				t.Fatalf("report: %+v", report)
			}
			time.Sleep(5 * time.Minute)
		}
		for _, k := range keys {
			if w.table.item(k)[signal.AttrAttempts].Exists() {
				t.Errorf("%s has an attempt counted against it", k)
			}
		}
	})
}

// Errors count in a row: after a success, and after a probing that has shown that the
// source works, the ninth is not the tenth.
func TestRun_countsErrorsAnewAfterASuccess(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.Concurrency = 1
		w.runner.Random = func() float64 { return 0.99 }
		keys := w.seedMany(33)
		// Ten errors, and the last as a probe; nine and a success, twice; two more.
		want := slices.Concat(keys[:10], keys[32:], keys[10:32])
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
			if n := w.askedSoFar(); n == 11 || n == 21 || n > 30 {
				return signal.Estimate{Available: 7, Capacity: 10}, nil
			}
			return signal.Estimate{}, errDown
		}
		w.run()
		var asked []signal.Key
		for _, d := range w.asked {
			asked = append(asked, d.Key())
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("asked for (-want +got):\n%s", diff)
		}
	})
}
