package protocol_test

import (
	"testing"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// settle is by how much the tests' source lags.
const settle = 30 * time.Second

// settlingOutcome is a value computed at an instant.
func settlingOutcome(asOf time.Time) protocol.Outcome {
	return protocol.Outcome{Value: "12", AsOf: asOf, NotBefore: asOf.Add(time.Second + settle)}
}

// checkLagging takes a check of a lagging source to its finish.
func checkLagging(t *testing.T, item signal.Item, claimed, asOf time.Time) (protocol.Check, signal.Item) {
	t.Helper()
	c := protocol.NewCheck(key(), checkedBucket(1), "ours", claimed).Settling(settle)
	item = applied(t, c.Write(), item)
	return c.Applied(item).Computed(settlingOutcome(asOf)), item
}

func TestCheck_settles(t *testing.T) {
	t.Parallel()
	c, item := checkLagging(t, dirtyItem(), claimedAt, readAt)
	next := applied(t, c.Write(), item)
	wantItem(t, next, with(item, signal.Item{
		"value": signal.S("12"), "lastUpdatedAt": signal.S(readAtText), "dirtySince": signal.S(claimedAtText),
		"notBefore": signal.N(readAt.Add(31 * time.Second).UnixMilli()),
		"settleRev": signal.N(5), "settleFrom": signal.S(readAtText),
		"claimedBy": {}, "leaseUntil": {},
	}))
	wantDone(t, c.Applied(next), protocol.Settling)
	if !protocol.NeedsFlip(next) {
		t.Error("a settling signal is as good as claimed: every flip must be written")
	}
	// It applies once, and its outcome stands.
	refused(t, c.Write(), next)
	wantDone(t, c.Refused(next), protocol.Settling)

	// The next check finds it settled.
	later := readAt.Add(settle + time.Minute)
	c, item = checkLagging(t, next, later, later)
	wantItem(t, applied(t, c.Write(), item), with(checkedClean(item), signal.Item{"lastUpdatedAt": signal.S(signal.FormatInstant(later))}))
}

func TestCheck_mayCleanOnceItHasSettled(t *testing.T) {
	t.Parallel()
	from := readAt
	settling := func(rev int64) signal.Item {
		return with(dirtyItem(), signal.Item{
			"settleRev": signal.N(rev), "settleFrom": signal.S(signal.FormatInstant(from)), "claimedRev": signal.N(rev),
		})
	}
	for name, tt := range map[string]struct {
		item signal.Item
		asOf time.Time
		want protocol.Op
		from time.Time
	}{
		"never settled":                         {dirtyItem(), from.Add(time.Hour), protocol.OpFinishSettling, from.Add(time.Hour)},
		"settled for long enough":               {settling(5), from.Add(settle), protocol.OpFinishClean, time.Time{}},
		"not quite":                             {settling(5), from.Add(settle - time.Millisecond), protocol.OpFinishSettling, from},
		"another rev":                           {settling(4), from.Add(time.Hour), protocol.OpFinishSettling, from.Add(time.Hour)},
		"without settleFrom":                    {with(settling(5), signal.Item{"settleFrom": {}}), from.Add(time.Hour), protocol.OpFinishSettling, time.Time{}},
		"dirty for long, but for how many revs": {with(dirtyItem(), signal.Item{"dirtySince": signal.S("2026-06-01T00:00:00.000Z")}), from.Add(time.Hour), protocol.OpFinishSettling, from.Add(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, item := checkLagging(t, tt.item, tt.asOf, tt.asOf)
			w := c.Write()
			if w.Op != tt.want {
				t.Fatalf("%s, want %s", w.Op, tt.want)
			}
			var want string
			if !tt.from.IsZero() {
				want = signal.FormatInstant(tt.from)
			}
			if got := applied(t, w, item).Text("settleFrom"); got != want {
				t.Errorf("settleFrom = %q, want %q", got, want)
			}
		})
	}
}

func TestCheck_racedWhileItSettles(t *testing.T) {
	t.Parallel()
	c, item := checkLagging(t, dirtyItem(), claimedAt, readAt)
	item = flipped(t, item)
	refused(t, c.Write(), item)
	c = c.Refused(item)
	next := applied(t, c.Write(), item)
	wantItem(t, next, checkedRaced(item))
	wantDone(t, c.Applied(next), protocol.Raced)
}

// A source that does not lag any more cleans at once.
func TestCheck_ofAConsistentSourceDoesNotSettle(t *testing.T) {
	t.Parallel()
	c := newCheck(1).Settling(0)
	item := applied(t, c.Write(), with(dirtyItem(), signal.Item{"settleRev": signal.N(1), "settleFrom": signal.S(readAtText)}))
	wantItem(t, applied(t, c.Applied(item).Computed(twelve()).Write(), item), checkedClean(item))
}

// An operator is told that a signal only waits for its source to catch up, and so has
// nothing to mend: of no other that is put off may that be said.
func TestIsSettling(t *testing.T) {
	t.Parallel()
	c, claimed := checkLagging(t, dirtyItem(), claimedAt, readAt)
	settling := applied(t, c.Write(), claimed)
	again := func(item signal.Item, o protocol.Outcome) signal.Item {
		later := readAt.Add(settle + time.Minute)
		c := protocol.NewCheck(key(), checkedBucket(1), "ours", later).Settling(settle)
		item = applied(t, c.Write(), item)
		return applied(t, c.Applied(item).Computed(o).Write(), item)
	}
	gone := protocol.Outcome{Kind: protocol.SourceFault, NotBefore: readAt.Add(time.Hour)}
	neverFlipped := with(dirtyItem(), signal.Item{"rev": signal.N(0), "claimedRev": {}})
	for name, tt := range map[string]struct {
		item signal.Item
		want bool
	}{
		"its first check is through":                  {settling, true},
		"the source was gone when it was asked again": {again(settling, gone), true},
		"its second check failed":                     {again(settling, protocol.Outcome{Kind: protocol.Fault, NotBefore: retryAt}), false},
		"being checked for the first time":            {claimed, false},
		"claimed again, for a later flip":             {with(flipped(t, settling), signal.Item{"claimedRev": signal.N(6)}), false},
		"put off, and never flipped nor settled":      {again(neverFlipped, gone), false},
		"of a rev that nobody has claimed":            {with(neverFlipped, signal.Item{"settleRev": signal.N(0)}), false},
		"clean":                                       {cleanItem(), false},
	} {
		if got := protocol.IsSettling(tt.item); got != tt.want {
			t.Errorf("%s: %t, want %t: %v", name, got, tt.want, tt.item)
		}
	}
}
