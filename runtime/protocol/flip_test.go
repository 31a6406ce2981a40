package protocol_test

import (
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestFlip(t *testing.T) {
	t.Parallel()
	flip := protocol.Flip(key(), flippedAt)
	flipped := signal.Item{"gsisk": signal.S("dirty"), "rev": signal.N(5), "dirtySince": signal.S(flippedAtText)}

	t.Run("a clean signal", func(t *testing.T) {
		t.Parallel()
		wantItem(t, applied(t, flip, cleanItem()), with(cleanItem(), flipped))
	})
	t.Run("a dirty one counts on and is dirty since the first", func(t *testing.T) {
		t.Parallel()
		since := signal.Item{"dirtySince": signal.S("2026-06-30T11:00:00.000Z")}
		wantItem(t, applied(t, flip, with(dirtyItem(), since)),
			with(dirtyItem(), signal.Item{"rev": signal.N(6), "dirtySince": since["dirtySince"]}))
	})
	t.Run("a claimed one stays claimed", func(t *testing.T) {
		t.Parallel()
		wantItem(t, applied(t, flip, claimedItem()), with(claimedItem(), signal.Item{"rev": signal.N(6)}))
	})
	t.Run("one that was seeded without a rev", func(t *testing.T) {
		t.Parallel()
		item := with(cleanItem(), signal.Item{"rev": {}, "claimedRev": {}})
		wantItem(t, applied(t, flip, item), with(item, with(flipped, signal.Item{"rev": signal.N(1)})))
	})
	t.Run("none is not created", func(t *testing.T) {
		t.Parallel()
		refused(t, flip, nil)
	})
}

func TestNeedsFlip(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		item signal.Item
		want bool
	}{
		{"gone", nil, false},
		{"clean", cleanItem(), true},
		{"clean, never claimed", with(cleanItem(), signal.Item{"claimedRev": {}}), true},
		{"clean, without a rev", with(cleanItem(), signal.Item{"rev": {}, "claimedRev": {}}), true},
		{"without a dirty bit", with(cleanItem(), signal.Item{"gsisk": {}}), true},
		{"dirty, never claimed", with(dirtyItem(), signal.Item{"claimedRev": {}}), false},
		{"dirty, never claimed, without a rev", with(dirtyItem(), signal.Item{"claimedRev": {}, "rev": {}}), false},
		{"dirty, flipped since the last claim", dirtyItem(), false},
		{"claimed, not flipped since", claimedItem(), true},
		{"claimed, flipped since", with(claimedItem(), signal.Item{"rev": signal.N(6)}), false},
		{"claimed at rev 0", with(claimedItem(), signal.Item{"rev": signal.N(0), "claimedRev": signal.N(0)}), true},
		// An absent rev counts as 0, whoever claimed it.
		{"claimed at rev 0, which is absent", with(claimedItem(), signal.Item{"rev": {}, "claimedRev": signal.N(0)}), true},
		// A failed check leaves its claimedRev: the next flip is written, once.
		{"released, not flipped since", with(claimedItem(), signal.Item{"claimedBy": {}, "leaseUntil": {}}), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := protocol.NeedsFlip(tt.item); got != tt.want {
				t.Errorf("NeedsFlip() = %t, want %t", got, tt.want)
			}
		})
	}
}
