package check_test

import (
	"context"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A mistake in somebody's source is no reason to leave the other signals alone.
func TestRun_sourceThatPanics(t *testing.T) {
	inWorld(t, func(w *world) {
		bad := w.seed("2026-07-01")
		w.seed("2026-07-02")
		w.estimate = func(_ context.Context, d signal.ProductDate) (signal.Estimate, error) {
			if d.Date.Day == 1 {
				panic("careless")
			}
			return signal.Estimate{Available: 7, Capacity: 10}, nil
		}
		report := w.run()
		w.wantCounts(report, check.Counts{Seen: 2, Due: 2, Claimed: 2, Computed: 1, Changed: 1, Cleaned: 1, Failed: 1})
		if len(report.Failures) != 1 || report.Failures[0] != (check.Failure{Key: bad.String(), Reason: "the source panicked: careless"}) {
			t.Errorf("failures: %v", report.Failures)
		}
		if item := w.table.item(bad); item.Int(signal.AttrAttempts) != 1 || !w.free(bad) {
			t.Errorf("want an attempt counted, and the claim given back: %v", item)
		}
		lines := w.logged("the source panicked")
		if len(lines) != 1 || lines[0]["level"] != "ERROR" || lines[0]["key"] == nil || !strings.Contains(lines[0]["stack"].(string), "panic_test.go") {
			t.Errorf("want a line with the stack: %v", lines)
		}
	})
}

func TestAudit_sourceThatPanics(t *testing.T) {
	inWorld(t, func(w *world) {
		w.bucket.Checks.MaxStaleness = w.bucket.Cadence.Duration()
		w.seed("2026-07-01", clean)
		w.estimate = func(context.Context, signal.ProductDate) (signal.Estimate, error) { panic("careless") }
		report := w.run()
		w.wantCounts(report, check.Counts{AuditFailed: 1})
		if report.SourceError != "" {
			t.Errorf("source error: %s", report.SourceError)
		}
	})
}
