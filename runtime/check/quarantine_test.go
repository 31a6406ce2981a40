package check_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

func TestRun_quarantine(t *testing.T) {
	inWorld(t, func(w *world) {
		bad := w.seed("2026-07-01")
		broken := map[string]error{"2026-07-01": &source.ItemError{Item: "pool", Reason: "broken"}}
		w.estimates(broken)
		began := time.Now()
		tried, counted := []time.Duration(nil), 0
		for time.Since(began) < 40*time.Hour {
			report := w.run()
			if report.Failed == 1 {
				tried = append(tried, time.Since(began))
			}
			switch attempts := w.table.item(bad).Int(signal.AttrAttempts); {
			case attempts < 8 && (report.Quarantined != 0 || len(report.InQuarantine) != 0):
				t.Fatalf("in quarantine after %d failures", attempts)
			case attempts >= 8 && (report.Quarantined != 1 || !slices.Equal(report.InQuarantine, []string{bad.String()})):
				t.Fatalf("after %s and %d failures: want it counted and named at every tick, whether due or not: %+v", time.Since(began), attempts, report)
			case attempts >= 8 && report.Failed == 0 && report.OldestDirtyAgeSeconds != 0:
				t.Fatalf("what is in quarantine makes the oldest dirty age %d s, for which somebody is called", report.OldestDirtyAgeSeconds)
			case attempts > 1 && attempts < 8 && report.OldestDirtyAgeSeconds == 0:
				t.Fatalf("what has failed, and is tried again, has no age: %+v", report)
			case attempts >= 8:
				counted++
			}
			if w.bit(bad) != signal.Dirty {
				t.Fatal("it is not dirty any more")
			}
			time.Sleep(5 * time.Minute)
		}
		for i, at := range tried[8:] {
			// At the tick after six hours.
			if gap := at - tried[i+7]; gap < 6*time.Hour || gap > 6*time.Hour+5*time.Minute {
				t.Errorf("in quarantine it is tried again after %s, want six hours", gap)
			}
		}
		if len(tried) < 12 || counted < 100 {
			t.Errorf("tried %d times", len(tried))
		}

		// Once somebody has corrected the data, it is as any other.
		delete(broken, "2026-07-01")
		time.Sleep(7 * time.Hour)
		if report := w.run(); report.Cleaned != 1 || report.Quarantined != 0 || len(report.InQuarantine) != 0 {
			t.Errorf("corrected: %+v", report)
		}
		if w.table.item(bad)[signal.AttrAttempts].Exists() {
			t.Error("it still has attempts")
		}
	})
}

func TestRun_quarantineBeginsWhereTheBucketSays(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.MaxAttempts = 2
		bad := w.seed("2026-07-01", attr(signal.AttrPattern, signal.S("?")))
		if report := w.run(); report.Quarantined != 0 {
			t.Errorf("the first failure: %+v", report)
		}
		time.Sleep(5 * time.Minute)
		if report := w.run(); report.Quarantined != 1 {
			t.Errorf("the second: %+v", report)
		}
		if got := w.putOff(bad).Round(time.Second); got != 6*time.Hour {
			t.Errorf("put off by %s, want six hours", got)
		}
	})
}

// One that had failed as often before the bucket said that this is too often was never
// counted, and is not taken off the count.
func TestRun_quarantineThatWasNone(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.MaxAttempts = 2
		w.seed("2026-07-01", attr(signal.AttrAttempts, signal.N(5)))
		w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
	})
}

// Whoever was put off as the source failed is not in quarantine, however many they
// are and however long that lasts.
func TestRun_outageOfADayQuarantinesNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		keys := w.seedMany(100)
		w.run()
		for range 24 * 12 {
			time.Sleep(5 * time.Minute)
			for _, k := range keys {
				w.flip(k)
			}
			w.estimates(nil)
			down := errors.New("no answer")
			w.estimate = failing(down)
			if report := w.run(); report.Quarantined != 0 {
				t.Fatalf("quarantined %d", report.Quarantined)
			}
		}
		for _, k := range keys {
			if n := w.table.item(k).Int(signal.AttrAttempts); n > 1 {
				t.Errorf("%s has %d attempts, want at most the one of when the outage began", k, n)
			}
		}
		w.estimates(nil)
		time.Sleep(time.Hour)
		if report := w.run(); report.Cleaned != 100 {
			t.Errorf("after the outage: %+v", report)
		}
	})
}

func TestRun_namesTheFirstInQuarantine(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.MaxAttempts = 1
		for range 25 {
			w.seedIn(0, 0, attr(signal.AttrPattern, signal.S("?")))
		}
		if report := w.run(); report.Quarantined != 25 || len(report.InQuarantine) != 20 {
			t.Errorf("%d in quarantine, %d named", report.Quarantined, len(report.InQuarantine))
		}
	})
}

// One that recovers leaves the others in quarantine, and named.
func TestRun_oneOfTwoRecovers(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.MaxAttempts = 1
		recovers, stays := w.seed("2026-07-01"), w.seed("2026-07-02")
		broken := &source.ItemError{Item: "pool", Reason: "broken"}
		w.estimates(map[string]error{recovers.SK: broken, stays.SK: broken})
		w.run()
		w.estimates(map[string]error{stays.SK: broken})
		time.Sleep(7 * time.Hour)
		report := w.run()
		if !slices.Equal(report.InQuarantine, []string{stays.String()}) || report.Quarantined != 1 || report.Cleaned != 1 {
			t.Errorf("want %s alone in quarantine: %+v", stays, report)
		}
	})
}
