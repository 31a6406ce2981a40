package protocol_test

import (
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func audit(t *testing.T, item signal.Item) protocol.Audit {
	t.Helper()
	a, ok := protocol.NewAudit(key(), item, claimedAt)
	if !ok {
		t.Fatalf("there is nothing to audit about %v", item)
	}
	return a
}

func TestAudit_sameValue(t *testing.T) {
	t.Parallel()
	w := audit(t, cleanItem()).Write("37", readAt, retryAt)
	wantItem(t, applied(t, w, cleanItem()), with(cleanItem(), signal.Item{"lastUpdatedAt": signal.S(readAtText)}))

	for name, changed := range map[string]signal.Item{
		"flipped meanwhile":             flipped(t, cleanItem()),
		"flipped and checked meanwhile": with(cleanItem(), signal.Item{"rev": signal.N(5)}),
		"checked meanwhile":             with(cleanItem(), signal.Item{"lastUpdatedAt": signal.S(claimedAtText)}),
		"dirty by other means":          with(cleanItem(), signal.Item{"gsisk": signal.S("dirty")}),
		"seeded anew meanwhile":         with(cleanItem(), signal.Item{"globalId": signal.S("other")}),
		"gone":                          nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, w, changed)
		})
	}
	t.Run("what was absent must still be", func(t *testing.T) {
		t.Parallel()
		bare := with(cleanItem(), signal.Item{"rev": {}, "lastUpdatedAt": {}})
		w := audit(t, bare).Write("37", readAt, retryAt)
		wantItem(t, applied(t, w, bare), with(bare, signal.Item{"lastUpdatedAt": signal.S(readAtText)}))
		refused(t, w, with(bare, signal.Item{"rev": signal.N(1)}))
		refused(t, w, with(bare, signal.Item{"lastUpdatedAt": signal.S(claimedAtText)}))
	})
}

func TestAudit_flips(t *testing.T) {
	t.Parallel()
	never := with(cleanItem(), signal.Item{"value": {}, "lastUpdatedAt": {}})
	for name, tt := range map[string]struct {
		item     signal.Item
		mismatch bool
	}{"another value": {cleanItem(), true}, "no value": {never, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := audit(t, tt.item)
			next := applied(t, a.Write("36", readAt, retryAt), tt.item)
			// It never writes a value.
			wantItem(t, next, with(tt.item, signal.Item{
				"gsisk": signal.S("dirty"), "rev": signal.N(5), "dirtySince": signal.S(signal.FormatInstant(retryAt)),
			}))
			if got := a.Mismatch(next); got != tt.mismatch {
				t.Errorf("Mismatch() = %v, want %v", got, tt.mismatch)
			}
		})
	}
	a := audit(t, cleanItem())
	w := a.Write("36", readAt, retryAt)
	refused(t, w, nil)
	// Somebody's flip, or check, has come meanwhile: nobody has forgotten one.
	for name, meanwhile := range map[string]signal.Item{
		"flipped":     flipped(t, cleanItem()),
		"checked":     with(cleanItem(), signal.Item{"lastUpdatedAt": signal.S(claimedAtText)}),
		"seeded anew": with(cleanItem(), signal.Item{"globalId": signal.S("other")}),
	} {
		if a.Mismatch(applied(t, w, meanwhile)) {
			t.Errorf("%s meanwhile, and still a mismatch", name)
		}
	}
}

func TestAudit_ofNothing(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]signal.Item{
		"gone":    nil,
		"dirty":   dirtyItem(),
		"claimed": claimedItem(),
		"expired": with(cleanItem(), signal.Item{"ttl": signal.N(claimedAt.Unix())}),
	} {
		if _, ok := protocol.NewAudit(key(), item, claimedAt); ok {
			t.Errorf("%s: it can be audited", name)
		}
	}
}
