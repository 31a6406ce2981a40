package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestCheck_quarantineShowsInNotBefore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		attempts int64
		outcome  protocol.OutcomeKind
		want     bool
	}{
		{"the seventh failure", 6, protocol.Fault, false},
		{"the eighth", 7, protocol.Fault, true},
		{"the hundredth", 99, protocol.Fault, true},
		{"the source fails after seven", 7, protocol.SourceFault, false},
		{"the source fails after eight", 8, protocol.SourceFault, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for ms := range 4 {
				at := retryAt.Add(time.Duration(ms)*time.Millisecond + time.Microsecond)
				c, item := computedCheck(t, 1, with(dirtyItem(), signal.Item{"attempts": signal.N(tt.attempts)}),
					protocol.Outcome{Kind: tt.outcome, NotBefore: at})
				item = applied(t, c.Write(), item)
				if got := protocol.Quarantined(item["notBefore"]); got != tt.want {
					t.Errorf("quarantined = %v, want %v", got, tt.want)
				}
				if late := time.UnixMilli(item.Int("notBefore")).Sub(at); late < 0 || late > 2*time.Millisecond {
					t.Errorf("put off until %s later than asked for", late)
				}
			}
		})
	}
	if protocol.Quarantined(signal.Value{}) {
		t.Error("one that is not put off is in quarantine")
	}
}
