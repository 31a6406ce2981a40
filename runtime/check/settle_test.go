package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// lag makes the source one that shows everything so late.
func (w *world) lag(by time.Duration) (change func(available int64)) {
	type version struct {
		at        time.Time
		available int64
	}
	versions := []version{{time.Time{}, 7}}
	w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		seen := int64(0)
		for _, v := range versions {
			if !v.at.After(time.Now().Add(-by)) {
				seen = v.available
			}
		}
		return signal.Estimate{Available: seen, Capacity: 10}, nil
	}
	return func(available int64) {
		w.mu.Lock()
		defer w.mu.Unlock()
		versions = append(versions, version{time.Now(), available})
	}
}

func TestRun_settlesWithASourceThatLags(t *testing.T) {
	inWorld(t, func(w *world) {
		w.runner.Settle = 90 * time.Second
		change := w.lag(60 * time.Second)
		key := w.seed("2026-07-01")
		change(4)
		answer := w.estimate
		w.estimate = func(ctx context.Context, d signal.ProductDate) (signal.Estimate, error) {
			// By when it has answered, and not by when the run began, it is put off.
			time.Sleep(5 * time.Second)
			return answer(ctx, d)
		}

		w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Settling: 1})
		if w.bit(key) != signal.Dirty || w.value(key) != "7" || !w.free(key) {
			t.Errorf("want the value that there was, and dirty: %v", w.table.item(key))
		}
		if got := w.putOff(key); got != 90*time.Second {
			t.Errorf("put off by %s, want the settle", got)
		}
		time.Sleep(time.Minute)
		w.wantCounts(w.run(), check.Counts{Seen: 1, NotDue: 1})
		time.Sleep(time.Minute)
		w.wantCounts(w.run(), check.Counts{Seen: 1, Due: 1, Claimed: 1, Computed: 1, Changed: 1, Cleaned: 1})
		if w.bit(key) != signal.Clean || w.value(key) != "4" {
			t.Errorf("want it clean and right: %v", w.table.item(key))
		}
	})
}

// Flips that come while it settles begin that anew; the value is refreshed all the
// same.
func TestRun_settlesAnewAfterAFlip(t *testing.T) {
	inWorld(t, func(w *world) {
		w.runner.Settle = 90 * time.Second
		change := w.lag(60 * time.Second)
		key := w.seed("2026-07-01")
		w.run()
		for range 5 {
			time.Sleep(100 * time.Second)
			change(int64(time.Now().Minute() % 10))
			w.flip(key)
			if report := w.run(); report.Settling != 1 || w.bit(key) != signal.Dirty {
				t.Fatalf("cleaned by a read that may not have seen the change: %+v", report)
			}
		}
		change(5)
		w.flip(key)
		for range 2 {
			time.Sleep(100 * time.Second)
			w.run()
		}
		if w.bit(key) != signal.Clean || w.value(key) != "5" {
			t.Errorf("two runs after the last flip: %v", w.table.item(key))
		}
	})
}
