package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Each part of what a write asks of the item is enough to refuse it.

func TestIdentity_of(t *testing.T) {
	t.Parallel()
	id := protocol.Identity{GlobalID: "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b", SeededBy: signal.S("terraform:range")}
	for name, tt := range map[string]struct {
		id   protocol.Identity
		item signal.Item
		want bool
	}{
		"its own":                      {id, cleanItem(), true},
		"gone":                         {id, nil, false},
		"another incarnation":          {id, with(cleanItem(), signal.Item{"globalId": signal.S("another")}), false},
		"another's":                    {id, with(cleanItem(), signal.Item{"seededBy": signal.S("stream")}), false},
		"nobody's any more":            {id, with(cleanItem(), signal.Item{"seededBy": {}}), false},
		"no signal":                    {id, with(cleanItem(), signal.Item{"schema": signal.S("product")}), false},
		"nobody's, and still so":       {protocol.Identity{GlobalID: id.GlobalID}, with(cleanItem(), signal.Item{"seededBy": {}}), true},
		"nobody's, and somebody's now": {protocol.Identity{GlobalID: id.GlobalID}, cleanItem(), false},
		"without globalId, given one":  {protocol.Identity{SeededBy: id.SeededBy}, cleanItem(), false},
	} {
		if got := tt.id.Of(tt.item); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
		_, ok := protocol.DeleteBySeeder(key(), tt.id).Apply(tt.item)
		if ok != tt.want {
			t.Errorf("%s: a deletion is applied: %t, want %t", name, ok, tt.want)
		}
	}
}

func TestRetakeRun_asRead(t *testing.T) {
	t.Parallel()
	read := signal.Item{"startedAt": signal.S("9999-01-01T00:00:00.000Z"), "runUntil": signal.N(claimedAtMS)}
	retake := protocol.RetakeRun("5min", "a", claimedAt, read)
	applied(t, retake, read)
	refused(t, retake, with(read, signal.Item{"startedAt": signal.S("2026-06-30T12:00:00.000Z")}))
	refused(t, retake, with(read, signal.Item{"startedAt": {}}))
	refused(t, retake, with(read, signal.Item{"runUntil": signal.N(claimedAtMS + 60_000)}))
	refused(t, retake, with(read, signal.Item{"runUntil": {}}))
}

// A hold, like a claim, is over at its very end; and one as far ahead as clocks
// differ is still a run's.
func TestRunItem_bounds(t *testing.T) {
	t.Parallel()
	held := signal.Item{"runUntil": signal.N(claimedAtMS)}
	applied(t, protocol.TakeRunUnnoted("5min", "a", claimedAt), held)
	refused(t, protocol.TakeRunUnnoted("5min", "a", claimedAt.Add(-time.Millisecond)), held)

	hourAgo := claimedAt.Add(-time.Hour)
	if what, astray := protocol.Astray(held, hourAgo); astray {
		t.Errorf("a hold of an hour is astray for its %s", what)
	}
	if _, is := protocol.RunHeld(held, hourAgo); !is {
		t.Error("a hold of an hour is none")
	}
	tooLong := hourAgo.Add(-time.Millisecond)
	if what, astray := protocol.Astray(held, tooLong); !astray || what != protocol.AttrRunUntil {
		t.Errorf("astray for %q, %t", what, astray)
	}
	if _, is := protocol.RunHeld(held, tooLong); is {
		t.Error("a hold of more than an hour is one")
	}
}

// A run that was not noted notes no end: the report is that of the start in the item.
func TestEndRun_ofTheNotedStart(t *testing.T) {
	t.Parallel()
	item := applied(t, protocol.TakeRun("5min", "a", claimedAt), nil)
	item = applied(t, protocol.ReleaseRun("5min", "a"), item)
	earlier := claimedAt.Add(-time.Minute)
	item = applied(t, protocol.TakeRunUnnoted("5min", "b", earlier), item)
	refused(t, protocol.EndRun("5min", "b", earlier, readAt, signal.M(nil)), item)
	applied(t, protocol.ReleaseRun("5min", "b"), item)
}

func TestReregister_spoiledFormat(t *testing.T) {
	t.Parallel()
	b := hourlyBucket()
	spoiled := with(b.Item(), signal.Item{"format": signal.S("1")})
	w := protocol.Reregister(b, spoiled)
	mended := applied(t, w, spoiled)
	// The SDK sends it again when the answer is lost.
	wantItem(t, applied(t, w, mended), mended)
	// What this project never looks into cannot be told from another of its kind.
	opaque := with(b.Item(), signal.Item{"format": signal.Other()})
	refused(t, protocol.Reregister(b, opaque), opaque)
}

// A value that settles was a good check: failures before it do not count on.
func TestCheck_settlingEndsTheRowOfFailures(t *testing.T) {
	t.Parallel()
	c, item := checkLagging(t, with(dirtyItem(), signal.Item{"attempts": signal.N(3)}), claimedAt, readAt)
	if attempts := applied(t, c.Write(), item)["attempts"]; attempts.Exists() {
		t.Errorf("attempts: %v", attempts)
	}
}

// An outcome stands only where it is this check's in every part.
func TestCheck_anothersOutcomeIsNotItsOwn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		outcome protocol.Outcome
		changes []signal.Item
	}{
		"clean": {twelve(), []signal.Item{
			{"value": signal.S("13")},
			{"lastUpdatedAt": signal.S("2026-06-30T12:00:02.000Z")},
		}},
		"failed": {protocol.Outcome{Kind: protocol.Fault, NotBefore: retryAt}, []signal.Item{
			{"notBefore": signal.N(retryAtMS + 2)},
		}},
		"released": {protocol.Outcome{Kind: protocol.NotStarted}, []signal.Item{
			{"globalId": signal.S("another")},
			{"claimedRev": signal.N(4)},
			{"value": signal.S("13")},
			{"lastUpdatedAt": signal.S("2026-06-30T12:00:02.000Z")},
			{"attempts": signal.N(1)},
			{"notBefore": signal.N(retryAtMS)},
			{"gsisk": signal.S("clean")},
			{"claimedBy": signal.S("theirs")},
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, item := computedCheck(t, 1, dirtyItem(), tt.outcome)
			item = applied(t, c.Write(), item)
			for _, change := range tt.changes {
				old := with(item, change)
				refused(t, c.Write(), old)
				wantDone(t, c.Refused(old), protocol.Superseded)
			}
		})
	}
}
