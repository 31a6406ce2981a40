package protocol_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The test's signal belongs into shard 1 of a bucket of sixteen.
const homeOfSixteen = "cadenceBucket::5min::1"

func newCheck(shards int) protocol.Check {
	return protocol.NewCheck(key(), checkedBucket(shards), "ours", claimedAt)
}

// claimedCheck is a check that has claimed an item.
func claimedCheck(t *testing.T, shards int, item signal.Item) (protocol.Check, signal.Item) {
	t.Helper()
	c := newCheck(shards)
	item = applied(t, c.Write(), item)
	return c.Applied(item), item
}

// computedCheck is one that has also been computed.
func computedCheck(t *testing.T, shards int, item signal.Item, o protocol.Outcome) (protocol.Check, signal.Item) {
	t.Helper()
	c, item := claimedCheck(t, shards, item)
	wantAction(t, c, protocol.Compute)
	c = c.Computed(o)
	wantAction(t, c, protocol.Send)
	return c, item
}

// twelve is a computed value.
func twelve() protocol.Outcome { return protocol.Outcome{Value: "12", AsOf: readAt} }

// checkedClean is what a clean finish makes of an item.
func checkedClean(item signal.Item) signal.Item {
	return with(item, signal.Item{
		"gsisk": signal.S("clean"), "value": signal.S("12"), "lastUpdatedAt": signal.S(readAtText),
		"claimedBy": {}, "leaseUntil": {}, "dirtySince": {}, "attempts": {}, "notBefore": {}, "settleRev": {}, "settleFrom": {},
	})
}

// checkedRaced is what a raced finish makes of an item.
func checkedRaced(item signal.Item) signal.Item {
	return with(item, signal.Item{
		"value": signal.S("12"), "lastUpdatedAt": signal.S(readAtText), "dirtySince": signal.S(claimedAtText),
		"claimedBy": {}, "leaseUntil": {}, "attempts": {}, "notBefore": {},
	})
}

func flipped(t *testing.T, item signal.Item) signal.Item {
	t.Helper()
	return applied(t, protocol.Flip(key(), readAt), item)
}

func wantAction(t *testing.T, c protocol.Check, want protocol.Action) {
	t.Helper()
	if got := c.Action(); got != want {
		t.Fatalf("the next action is %d, want %d (result %q)", got, want, c.Result())
	}
}

func wantDone(t *testing.T, c protocol.Check, want protocol.Result) {
	t.Helper()
	wantAction(t, c, protocol.Done)
	if got := c.Result(); got != want {
		t.Errorf("the check ended as %q, want %q", got, want)
	}
}

func TestCheck_claimsFirst(t *testing.T) {
	t.Parallel()
	c := newCheck(1)
	wantAction(t, c, protocol.SendOnce)
	want := protocol.Claim(key(), "ours", claimedAt, 120*time.Second)
	if diff := cmp.Diff(want, c.Write()); diff != "" {
		t.Errorf("claim (-want +got):\n%s", diff)
	}
	want = protocol.ClaimOnDemand(key(), "ours", claimedAt, 120*time.Second)
	if diff := cmp.Diff(want, c.OnDemand().Write()); diff != "" {
		t.Errorf("claim on demand (-want +got):\n%s", diff)
	}
	if c.Key() != key() {
		t.Errorf("Key() = %v, want %v", c.Key(), key())
	}
	c, item := claimedCheck(t, 1, dirtyItem())
	wantItem(t, c.Claimed(), item)
}

func TestCheck_finishes(t *testing.T) {
	t.Parallel()
	troubled := with(dirtyItem(), signal.Item{
		"attempts": signal.N(2), "notBefore": signal.N(claimedAtMS - 1),
		"settleRev": signal.N(5), "settleFrom": signal.S("2026-06-30T11:59:00.000Z"),
	})
	released := signal.Item{"claimedBy": {}, "leaseUntil": {}}
	tests := []struct {
		name    string
		item    signal.Item
		outcome protocol.Outcome
		result  protocol.Result
		want    func(claimed signal.Item) signal.Item
	}{
		{"clean", dirtyItem(), twelve(), protocol.Cleaned, checkedClean},
		{"clean, forgets what went wrong before", troubled, twelve(), protocol.Cleaned, checkedClean},
		{
			"failed for the first time", dirtyItem(),
			protocol.Outcome{Kind: protocol.Fault, NotBefore: retryAt},
			protocol.Failed,
			func(i signal.Item) signal.Item {
				return with(i, with(released, signal.Item{"attempts": signal.N(1), "notBefore": signal.N(retryAtMS)}))
			},
		},
		{
			"failed again", troubled,
			protocol.Outcome{Kind: protocol.Fault, NotBefore: retryAt},
			protocol.Failed,
			func(i signal.Item) signal.Item {
				return with(i, with(released, signal.Item{"attempts": signal.N(3), "notBefore": signal.N(retryAtMS)}))
			},
		},
		{
			"backed off, attempts as they are", troubled,
			protocol.Outcome{Kind: protocol.SourceFault, NotBefore: retryAt},
			protocol.BackedOff,
			func(i signal.Item) signal.Item {
				return with(i, with(released, signal.Item{"notBefore": signal.N(retryAtMS)}))
			},
		},
		{
			"released", troubled,
			protocol.Outcome{Kind: protocol.NotStarted},
			protocol.Released,
			func(i signal.Item) signal.Item { return with(i, released) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, item := computedCheck(t, 1, tt.item, tt.outcome)
			next := applied(t, c.Write(), item)
			wantItem(t, next, tt.want(item))
			wantDone(t, c.Applied(next), tt.result)
			// It applies once.
			refused(t, c.Write(), next)
		})
	}
}

func TestCheck_racedByAFlip(t *testing.T) {
	t.Parallel()
	before := with(dirtyItem(), signal.Item{"attempts": signal.N(2), "notBefore": signal.N(claimedAtMS - 1)})
	c, item := computedCheck(t, 1, before, twelve())
	item = flipped(t, item)
	refused(t, c.Write(), item)
	c = c.Refused(item)
	wantAction(t, c, protocol.Send)
	next := applied(t, c.Write(), item)
	wantItem(t, next, checkedRaced(item))
	wantDone(t, c.Applied(next), protocol.Raced)
	if protocol.NeedsFlip(next) {
		t.Error("a raced signal will be checked again, so that further flips need not be written")
	}
	// Flipped without pause, it is still refreshed by every check.
	again := protocol.NewCheck(key(), checkedBucket(1), "next", retryAt)
	if _, ok := again.Write().Apply(next); !ok {
		t.Error("a raced signal cannot be claimed again")
	}
}

// A value that was made while the check could not finish must still not be lost
// when failures and flips meet.
func TestCheck_failsThoughFlipped(t *testing.T) {
	t.Parallel()
	for _, kind := range []protocol.OutcomeKind{protocol.Fault, protocol.SourceFault, protocol.NotStarted} {
		c, item := computedCheck(t, 1, dirtyItem(), protocol.Outcome{Kind: kind, NotBefore: retryAt})
		item = flipped(t, item)
		next := applied(t, c.Write(), item)
		if next.Text("gsisk") != "dirty" || next.Int("rev") != item.Int("rev") {
			t.Errorf("outcome %d leaves %v", kind, next)
		}
	}
}

func TestCheck_claimRefused(t *testing.T) {
	t.Parallel()
	past := signal.Item{"expiry": signal.S("2026-06-30T12:00:00.000Z")}
	tests := []struct {
		name string
		old  signal.Item
		want protocol.Result
	}{
		{"gone", nil, protocol.NotClaimed},
		{"clean by now", cleanItem(), protocol.NotClaimed},
		{"clean and expired", with(cleanItem(), past), protocol.NotClaimed},
		{"another run has it", with(claimedItem(), signal.Item{"claimedBy": signal.S("theirs")}), protocol.NotClaimed},
		{"backing off", with(dirtyItem(), signal.Item{"notBefore": signal.N(retryAtMS)}), protocol.NotClaimed},
		{"dirty and expired", with(dirtyItem(), past), protocol.ExpiredMeanwhile},
		{"dirty, and ttl is past", with(dirtyItem(), signal.Item{"ttl": signal.N(1), "expiry": {}}), protocol.ExpiredMeanwhile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCheck(1)
			refused(t, c.Write(), tt.old)
			wantDone(t, c.Refused(tt.old), tt.want)
		})
	}
}

func TestCheck_lostClaimAnswer(t *testing.T) {
	t.Parallel()
	lost := newCheck(1).Unknown()
	wantAction(t, lost, protocol.ReadBack)

	t.Run("it was applied, and flipped since", func(t *testing.T) {
		t.Parallel()
		item := flipped(t, claimedItem())
		c := lost.Read(item)
		wantAction(t, c, protocol.Compute)
		// What was claimed is rev 5, though rev is 6 by now: this cannot clean.
		c = c.Computed(twelve())
		refused(t, c.Write(), item)
		c = c.Refused(item)
		wantItem(t, applied(t, c.Write(), item), checkedRaced(item))
	})
	t.Run("it was applied", func(t *testing.T) {
		t.Parallel()
		c := lost.Read(claimedItem()).Computed(twelve())
		wantItem(t, applied(t, c.Write(), claimedItem()), checkedClean(claimedItem()))
	})
	for name, item := range map[string]signal.Item{
		"it was not applied": dirtyItem(),
		"another run has it": with(claimedItem(), signal.Item{"claimedBy": signal.S("theirs")}),
		"the signal is gone": nil,
		"it is clean by now": cleanItem(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDone(t, lost.Read(item), protocol.NotClaimed)
		})
	}
	t.Run("it cannot be read", func(t *testing.T) {
		t.Parallel()
		wantDone(t, lost.Abandon(), protocol.Abandoned)
	})
}

func TestCheck_conflict(t *testing.T) {
	t.Parallel()
	c := newCheck(1).Conflict("anew", readAt)
	wantAction(t, c, protocol.SendOnce)
	want := protocol.Claim(key(), "anew", readAt, 120*time.Second)
	if diff := cmp.Diff(want, c.Write()); diff != "" {
		t.Errorf("claim after a conflict (-want +got):\n%s", diff)
	}

	c = c.Applied(applied(t, c.Write(), dirtyItem())).Computed(twelve())
	finish := c.Write()
	c = c.Conflict("unused", retryAt)
	wantAction(t, c, protocol.Send)
	if diff := cmp.Diff(finish, c.Write()); diff != "" {
		t.Errorf("a finish is sent again as it was (-want +got):\n%s", diff)
	}
}

func TestCheck_superseded(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]signal.Item{
		"claimed by another run":       with(claimedItem(), signal.Item{"claimedBy": signal.S("theirs")}),
		"finished by another run":      with(cleanItem(), signal.Item{"rev": signal.N(5), "claimedRev": signal.N(5)}),
		"gone":                         nil,
		"seeded again meanwhile":       with(cleanItem(), signal.Item{"globalId": signal.S("other"), "value": {}, "lastUpdatedAt": {}, "rev": signal.N(0)}),
		"the same value, read earlier": with(cleanItem(), signal.Item{"value": signal.S("12")}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, o := range []protocol.Outcome{
				twelve(),
				{Kind: protocol.Fault, NotBefore: retryAt},
				{Kind: protocol.SourceFault, NotBefore: retryAt},
				{Kind: protocol.NotStarted},
			} {
				c, _ := computedCheck(t, 1, dirtyItem(), o)
				refused(t, c.Write(), old)
				wantDone(t, c.Refused(old), protocol.Superseded)
			}
		})
	}
}

// The SDK sends a finish again when the answer is lost, and is then refused
// although it was applied.
func TestCheck_finishRepeatedAfterItWasApplied(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		outcome protocol.Outcome
		result  protocol.Result
	}{
		{"clean", twelve(), protocol.Cleaned},
		{"failed", protocol.Outcome{Kind: protocol.Fault, NotBefore: retryAt}, protocol.Failed},
		{"backed off", protocol.Outcome{Kind: protocol.SourceFault, NotBefore: retryAt}, protocol.BackedOff},
		{"released", protocol.Outcome{Kind: protocol.NotStarted}, protocol.Released},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, item := computedCheck(t, 1, dirtyItem(), tt.outcome)
			item = applied(t, c.Write(), item)
			refused(t, c.Write(), item)
			wantDone(t, c.Refused(item), tt.result)
			// Its outcome stands even if the next flip has come already.
			wantDone(t, c.Refused(flipped(t, item)), tt.result)
		})
	}
	t.Run("raced", func(t *testing.T) {
		t.Parallel()
		c, item := computedCheck(t, 1, dirtyItem(), twelve())
		item = flipped(t, item)
		c = c.Refused(item)
		item = applied(t, c.Write(), item)
		refused(t, c.Write(), item)
		wantDone(t, c.Refused(item), protocol.Raced)
	})
}

func TestCheck_finishUnknown(t *testing.T) {
	t.Parallel()
	c, _ := computedCheck(t, 1, dirtyItem(), twelve())
	wantDone(t, c.Unknown(), protocol.Abandoned)
}
