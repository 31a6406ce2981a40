package chart_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/chart"
)

// FuzzRemember has anything stand in the file that a report is written into: it is
// refused, or its runs are drawn and remembered with the bucket's own.
func FuzzRemember(f *testing.F) {
	f.Add([]byte(`{"table": "signals", "runs": {"5min": [{"started": "2026-07-01T11:58:00Z", "ended": "2026-07-01T11:58:02Z", "checked": 9}]}}`))
	f.Add([]byte(`{"table": "signals", "runs": {"5min": [{"ended": "0000-01-01T00:00:00Z", "failed": 9223372036854775807, "remaining": 1, "medianAge": -9223372036854775808}, {}]}}`))
	f.Add([]byte(`{"table": "another", "runs": null}`))
	own := chart.Run{Started: now, Ended: now, Seen: now, Checked: 3, MedianAge: -1, OldestAge: -1}
	f.Fuzz(func(t *testing.T, history []byte) {
		board := func() chart.Board {
			return chart.Board{Title: "signals", Buckets: []chart.Bucket{{Name: "5min", Runs: []chart.Run{own}}}}
		}
		b := board()
		page := slices.Concat([]byte(`<script type="application/json" id="history">`), history, []byte(`</script>`))
		if err := b.Remember(page); err != nil {
			if !errors.Is(err, chart.ErrHistory) {
				t.Error(err)
			}
			return
		}
		runs := b.Buckets[0].Runs
		if !slices.IsSortedFunc(runs, func(a, b chart.Run) int { return a.Ended.Compare(b.Ended) }) || !slices.Contains(runs, own) && len(runs) < 500 {
			t.Errorf("%+v", runs)
		}
		var drawn bytes.Buffer
		if err := b.WriteHTML(&drawn); err != nil {
			t.Fatal(err)
		}
		for _, odd := range []string{"NaN", "Inf"} {
			if bytes.Contains(drawn.Bytes(), []byte(odd)) {
				t.Errorf("%s is drawn of %+v", odd, runs)
			}
		}
		again := board()
		if err := again.Remember(drawn.Bytes()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(runs, again.Buckets[0].Runs); diff != "" {
			t.Errorf("remembered (-want +got):\n%s", diff)
		}
	})
}
