package check_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/golden"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What a run leaves in its item is as it always was.
func TestGolden_runEnded(t *testing.T) {
	inWorld(t, func(w *world) {
		w.run()
		time.Sleep(5 * time.Minute)
		w.seed("2026-07-01", dirtyFor(4*time.Minute))
		w.run()
		if diff := cmp.Diff(golden.Item(t, "run-ended"), w.table.item(signal.RunKey("5min"))); diff != "" {
			t.Errorf("run item (-want +got):\n%s", diff)
		}
	})
}
