package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

const lease = 2 * time.Minute

func TestClaim(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		item signal.Item
		rev  int64
	}{
		{"a dirty signal", dirtyItem(), 5},
		{"one that was never claimed", with(dirtyItem(), signal.Item{"claimedRev": {}}), 5},
		{"an absent rev becomes 0", with(dirtyItem(), signal.Item{"rev": {}, "claimedRev": {}}), 0},
		{
			"whose back-off ends now",
			with(dirtyItem(), signal.Item{"notBefore": signal.N(claimedAtMS), "attempts": signal.N(3)}), 5,
		},
		{
			"another run's lease ends now",
			with(dirtyItem(), signal.Item{"claimedBy": signal.S("theirs"), "claimedRev": signal.N(3), "leaseUntil": signal.N(claimedAtMS)}), 5,
		},
		{
			"whose times are no whole numbers",
			with(dirtyItem(), signal.Item{"ttl": signal.Decimal("1782820800.5"), "notBefore": signal.Decimal("1782820799999.5")}), 5,
		},
		{"never expires", with(dirtyItem(), signal.Item{"expiry": {}, "ttl": {}}), 5},
		{
			"expires in a moment",
			with(dirtyItem(), signal.Item{"expiry": signal.S("2026-06-30T12:00:00.126Z"), "ttl": signal.N(claimedAtMS/1000 + 1)}), 5,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := with(tt.item, signal.Item{
				"claimedBy": signal.S("ours"), "leaseUntil": signal.N(leaseUntilMS),
				"rev": signal.N(tt.rev), "claimedRev": signal.N(tt.rev),
			})
			wantItem(t, applied(t, protocol.Claim(key(), "ours", claimedAt, lease), tt.item), want)
		})
	}
}

func TestClaim_refused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		item signal.Item
	}{
		{"none is not created", nil},
		{"clean", cleanItem()},
		{"without a dirty bit", with(dirtyItem(), signal.Item{"gsisk": {}})},
		{"backing off", with(dirtyItem(), signal.Item{"notBefore": signal.N(claimedAtMS + 1)})},
		{"backing off for a fraction", with(dirtyItem(), signal.Item{"notBefore": signal.Decimal("99999999999999.5")})},
		{"leased", with(dirtyItem(), signal.Item{"claimedBy": signal.S("theirs"), "leaseUntil": signal.N(claimedAtMS + 1)})},
		{"expired by both", with(dirtyItem(), signal.Item{"expiry": signal.S("2026-06-30T12:00:00.000Z"), "ttl": signal.N(claimedAtMS / 1000)})},
		{"expiry is now", with(dirtyItem(), signal.Item{"expiry": signal.S(claimedAtText)})},
		{"expiry is past, and there is no ttl", with(dirtyItem(), signal.Item{"expiry": signal.S("2026-06-30T11:59:59.999Z"), "ttl": {}})},
		{"ttl is this second", with(dirtyItem(), signal.Item{"ttl": signal.N(claimedAtMS / 1000)})},
		{"ttl is past, and there is no expiry", with(dirtyItem(), signal.Item{"ttl": signal.N(claimedAtMS/1000 - 1), "expiry": {}})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			refused(t, protocol.Claim(key(), "ours", claimedAt, lease), tt.item)
			onDemand := protocol.ClaimOnDemand(key(), "ours", claimedAt, lease)
			if !tt.item[signal.AttrNotBefore].Exists() {
				refused(t, onDemand, tt.item)
				return
			}
			// Nobody who asks for it has to wait for a back-off.
			if item := applied(t, onDemand, tt.item); item.Text(signal.AttrClaimedBy) != "ours" {
				t.Errorf("claimed on demand: %v", item)
			}
		})
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	// What a claim is refused for and what is called expired are the same.
	for _, tt := range []struct {
		name string
		now  time.Time
		want bool
	}{
		{"a moment before", time.Date(2026, 7, 2, 6, 59, 59, 999e6, time.UTC), false},
		{"at its expiry", time.Date(2026, 7, 2, 7, 0, 0, 0, time.UTC), true},
		{"later", time.Date(2026, 7, 3, 0, 0, 0, 0, time.UTC), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, item := range map[string]signal.Item{
				"both":   dirtyItem(),
				"expiry": with(dirtyItem(), signal.Item{"ttl": {}}),
				"ttl":    with(dirtyItem(), signal.Item{"expiry": {}}),
			} {
				if got := protocol.Expired(item, tt.now); got != tt.want {
					t.Errorf("Expired() by %s = %t, want %t", name, got, tt.want)
				}
				if _, ok := protocol.Claim(key(), "ours", tt.now, lease).Apply(item); ok == tt.want {
					t.Errorf("by %s: claimed is %t, expired is %t", name, ok, tt.want)
				}
			}
			if protocol.Expired(with(dirtyItem(), signal.Item{"ttl": {}, "expiry": {}}), tt.now) {
				t.Error("a signal without ttl and expiry has expired")
			}
		})
	}
}
