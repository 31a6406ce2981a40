package protocol_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A check does the same with what it reads of the item that it has claimed as with
// all of it, and whatever the answer to its finish is.
func TestOp_readsWhatACheckNeeds(t *testing.T) {
	t.Parallel()
	items := map[string]signal.Item{
		"new":      with(dirtyItem(), signal.Item{"value": {}, "lastUpdatedAt": {}, "claimedRev": {}}),
		"checked":  dirtyItem(),
		"moved":    with(dirtyItem(), signal.Item{"gsipk": signal.S("cadenceBucket::1h")}),
		"failing":  with(dirtyItem(), signal.Item{"attempts": signal.N(7), "notBefore": signal.N(claimedAtMS - 1)}),
		"settling": with(dirtyItem(), signal.Item{"settleRev": signal.N(5), "settleFrom": signal.S("2026-06-30T11:50:00.000Z")}),
		"a note":   with(dirtyItem(), signal.Item{"note": signal.S("the application's")}),
	}
	outcomes := map[string]protocol.Outcome{
		"computed":     twelve(),
		"fault":        {Kind: protocol.Fault, NotBefore: retryAt},
		"source fault": {Kind: protocol.SourceFault, NotBefore: retryAt},
		"not started":  {Kind: protocol.NotStarted},
	}
	for name, item := range items {
		for _, settle := range []time.Duration{0, time.Minute} {
			c := newCheck(16).Settling(settle)
			whole := applied(t, c.Write(), item)
			read := maps.Clone(whole)
			maps.DeleteFunc(read, func(attr string, _ signal.Value) bool { return !protocol.OpClaim.Reads(attr) })
			if read["note"].Exists() {
				t.Error("it reads what is the application's")
			}
			free := with(whole, signal.Item{"claimedBy": {}, "leaseUntil": {}})
			for kind, outcome := range outcomes {
				ours, same := c.Applied(read).Computed(outcome), c.Applied(whole).Computed(outcome)
				if diff := cmp.Diff(same.Write(), ours.Write()); diff != "" {
					t.Errorf("%s, %s, settling for %s: another finish (-whole +read):\n%s", name, kind, settle, diff)
				}
				answers := []signal.Item{
					nil, whole, free, flipped(t, whole),
					with(free, signal.Item{"globalId": signal.S("another")}),
					with(free, signal.Item{"claimedRev": signal.N(99)}),
					with(free, signal.Item{"value": signal.S("99")}),
					with(free, signal.Item{"lastUpdatedAt": signal.S(readAtText)}),
					with(free, signal.Item{"attempts": signal.N(99)}),
					with(free, signal.Item{"notBefore": signal.N(99)}),
				}
				for i, old := range answers {
					a, b := same.Refused(old), ours.Refused(old)
					if a.Action() != b.Action() || a.Result() != b.Result() {
						t.Errorf("%s, %s, settling for %s: refused for %d, it is %q and %q", name, kind, settle, i, a.Result(), b.Result())
					}
				}
			}
		}
	}
	for _, op := range []protocol.Op{protocol.OpTakeRun, protocol.OpAuditFlip} {
		if !op.Reads(signal.AttrRev) || !op.Reads("anything") {
			t.Errorf("%s does not read all of its item", op)
		}
	}
}
