package check_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestRun_logsItsMetrics(t *testing.T) {
	for name, level := range map[string]slog.Level{"info": slog.LevelInfo, "errors alone": slog.LevelError} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.runner.Log = slog.New(slog.NewJSONHandler(&w.logs, &slog.HandlerOptions{Level: level}))
				w.runner.Table = "reservations"
				w.seed("2026-07-01", dirtyFor(90*time.Second))
				w.seed("2026-07-02", dirtyFor(time.Minute))
				w.run()
				lines := w.logged("run")
				if len(lines) != 1 {
					t.Fatalf("%d lines, want one: %s", len(lines), w.logs.String())
				}
				line := lines[0]
				metric := func(name, unit string) any { return map[string]any{"Name": name, "Unit": unit} }
				want := map[string]any{
					"Timestamp": float64(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()),
					"CloudWatchMetrics": []any{map[string]any{
						"Namespace":  "Availability",
						"Dimensions": []any{[]any{"bucket", "table"}},
						"Metrics": []any{
							metric("seen", "Count"), metric("claimed", "Count"), metric("computed", "Count"), metric("changed", "Count"),
							metric("raced", "Count"), metric("expired", "Count"), metric("failed", "Count"), metric("quarantined", "Count"),
							metric("released", "Count"), metric("audited", "Count"), metric("mismatched", "Count"), metric("swept", "Count"),
							metric("remaining", "Count"), metric("oldestDirtyAgeSeconds", "Seconds"), metric("throttles", "Count"),
							metric("durationMs", "Milliseconds"),
						},
					}},
				}
				if diff := cmp.Diff(want, line["_aws"]); diff != "" {
					t.Errorf("_aws (-want +got):\n%s", diff)
				}
				// CloudWatch takes the values from the line's own fields.
				for field, want := range map[string]any{
					"bucket": "cadenceBucket::5min", "table": "reservations",
					"seen": 2.0, "claimed": 2.0, "computed": 2.0, "changed": 2.0, "raced": 0.0, "expired": 0.0, "failed": 0.0,
					"quarantined": 0.0, "released": 0.0, "audited": 0.0, "mismatched": 0.0, "swept": 0.0, "remaining": 0.0,
					"oldestDirtyAgeSeconds": 90.0, "throttles": 0.0, "durationMs": 0.0,
				} {
					if line[field] != want {
						t.Errorf("%s = %v, want %v", field, line[field], want)
					}
				}
			})
		})
	}
}

func TestRun_metricsWithoutATableName(t *testing.T) {
	inWorld(t, func(w *world) {
		w.run()
		directives, _ := w.logged("run")[0]["_aws"].(map[string]any)["CloudWatchMetrics"].([]any)
		if diff := cmp.Diff([]any{[]any{"bucket"}}, directives[0].(map[string]any)["Dimensions"]); diff != "" {
			t.Error(diff)
		}
	})
}

// A run that fails has no metrics: the alarm that no run has ended well goes by their
// absence. Nor has one that finds its bucket taken, which knows of no dirty signal.
func TestRun_noMetricsOfARunThatWasNone(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(*world)
		says    string
	}{
		"it cannot list what is dirty": {func(w *world) {
			w.table.onQuery = func(context.Context, dynamo.Query) error { return dynamo.ErrAccessDenied }
		}, "run failed"},
		"another run has the bucket": {func(w *world) {
			w.table.put(signal.Item{
				signal.AttrPK: signal.S(signal.BucketID("5min")), signal.AttrSK: signal.S(signal.RunKey("5min").SK),
				protocol.AttrRunBy: signal.S("another"), protocol.AttrRunUntil: signal.N(time.Now().Add(time.Minute).UnixMilli()),
			})
		}, "another run has the bucket: nothing to do"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.seed("2026-07-01", dirtyFor(time.Minute))
				w.table.put(w.bucket.Item())
				test.prepare(w)
				_, _ = w.runner.Run(w.Context(), "5min") // What it returns is another test's.
				if len(w.logged(test.says)) != 1 || len(w.logged("run")) > 0 || bytes.Contains(w.logs.Bytes(), []byte("_aws")) {
					t.Errorf("want %q and no metrics:\n%s", test.says, w.logs.String())
				}
			})
		})
	}
}

// The line is of when the run ends; its metrics are of when it began.
func TestRun_logsWhenItEnds(t *testing.T) {
	inWorld(t, func(w *world) {
		w.seed("2026-07-01")
		w.takes(3 * time.Second)
		began := time.Now()
		w.run()
		line := w.logged("run")[0]
		at, err := time.Parse(time.RFC3339Nano, line["time"].(string))
		if want := began.Add(3 * time.Second); err != nil || !at.Equal(want) {
			t.Errorf("the line is of %v, want %s", line["time"], want)
		}
		if got, want := line["_aws"].(map[string]any)["Timestamp"], float64(began.UnixMilli()); got != want {
			t.Errorf("its metrics are of %v, want %v", got, want)
		}
	})
}
