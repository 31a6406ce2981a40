package check_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// A batch's failure is no signal's fault, however well the source works.
func TestRun_onlyASignalAskedForAloneIsBlamed(t *testing.T) {
	inWorld(t, func(w *world) {
		broken := errors.New("broken")
		w.previousRun(5*time.Minute, 10, 0, 0)
		w.estimates(map[string]error{
			"2026-07-01": fmt.Errorf("ask: %w: %w", source.ErrShared, broken),
			"2026-07-02": fmt.Errorf("ask: %w", broken),
		})
		shared, alone := w.seed("2026-07-01"), w.seed("2026-07-02")

		w.wantCounts(w.run(), check.Counts{Seen: 2, Due: 2, Claimed: 2, BackedOff: 1, Failed: 1})
		if w.table.item(shared)[signal.AttrAttempts].Exists() {
			t.Error("the signal of a batch is blamed")
		}
		if got := w.table.item(alone).Int(signal.AttrAttempts); got != 1 {
			t.Errorf("attempts of the one that was asked for alone = %d", got)
		}
	})
}
