package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Check is one check of one signal: claim it, have its availability computed,
// finish it. It is an immutable value that says what to do next (Step) and is
// advanced by what came of it, so that the same decisions drive DynamoDB and the
// exploration of every interleaving.
//
// A check that is simply dropped, at any step, does no harm: its lease runs out
// and another run takes the signal.
type Check struct {
	key    signal.Key
	id     string
	bucket signal.Bucket
	began  time.Time
	settle time.Duration
	// onDemand is whether the signal is claimed whatever its back-off says.
	onDemand bool

	step    Action
	claimed signal.Item
	rev     int64
	outcome Outcome
	finish  finishKind
	result  Result
}

// Action is what a check needs done next.
type Action uint8

// The actions.
const (
	// SendOnce is the claim: send Step's Write without any retry.
	SendOnce Action = iota
	// ReadBack is a strongly consistent read of the item, to learn what became
	// of a claim whose answer was lost.
	ReadBack
	// Compute is the comprehensive check: read the source, after the claim.
	Compute
	// Send is the finish: send Step's Write, with retries.
	Send
	// Done is the end; Result says which.
	Done
)

type finishKind uint8

const (
	clean finishKind = iota
	cleanInPlace
	raced
	settling
	failed
	backedOff
	released
)

// NewCheck begins a check of a signal of a bucket. id must be random and never
// used before.
func NewCheck(key signal.Key, bucket signal.Bucket, id string, now time.Time) Check {
	return Check{key: key, bucket: bucket, id: id, began: now}
}

// Settling is the check for a source that lags: its reads surely see what was
// committed that long before they began. Clock skew and the moment that a
// transaction takes to become visible belong into it. Zero is no lag.
func (c Check) Settling(settle time.Duration) Check {
	c.settle = settle
	return c
}

// OnDemand is the check of a signal that somebody wants checked now: it does not
// wait until the signal is due.
func (c Check) OnDemand() Check {
	c.onDemand = true
	return c
}

// Action is what is to be done next.
func (c Check) Action() Action { return c.step }

// Key is the signal's key.
func (c Check) Key() signal.Key { return c.key }

// Claimed is the item as it was claimed, from Compute on.
func (c Check) Claimed() signal.Item { return c.claimed }

// Result is how the check ended, once it is Done.
func (c Check) Result() Result { return c.result }

// Write is the write to send, for SendOnce and Send.
func (c Check) Write() Write {
	if c.step == SendOnce {
		claim := Claim
		if c.onDemand {
			claim = ClaimOnDemand
		}
		return claim(c.key, c.id, c.began, c.bucket.Checks.Lease)
	}
	switch o := c.outcome; c.finish {
	case raced:
		return finishRaced(c.key, c.id, o.Value, o.AsOf, c.began)
	case settling:
		return finishSettling(c.key, c.id, c.rev, o, c.began, c.settles())
	case failed:
		return finishFailed(c.key, c.id, putOff(o.NotBefore, c.quarantined(1)))
	case backedOff:
		return finishBackedOff(c.key, c.id, putOff(o.NotBefore, c.quarantined(0)))
	case released:
		return finishReleased(c.key, c.id)
	case cleanInPlace:
		return finishClean(c.key, c.id, c.rev, o.Value, o.AsOf, "", "")
	}
	from := c.claimed.Text(signal.AttrGSIPK)
	return finishClean(c.key, c.id, c.rev, c.outcome.Value, c.outcome.AsOf, from, c.home(from))
}

// home is where the signal belongs: its present shard, if it is in this run's own
// bucket. One that its seeder has moved to another bucket stays there.
func (c Check) home(from string) string {
	if name, _, _ := signal.ParseShardKey(from); name == c.bucket.Name {
		return c.bucket.GSIPK(c.key)
	}
	return from
}

// Applied advances a check whose write was applied; item is the item as it is
// now, which only a claim needs.
func (c Check) Applied(item signal.Item) Check {
	if c.step == SendOnce {
		return c.compute(item)
	}
	return c.done(c.finished())
}

// Refused advances a check whose write's condition did not hold; old is the item
// that it did not hold for, nil if there was none.
func (c Check) Refused(old signal.Item) Check {
	if c.step == SendOnce {
		// A clean signal keeps its expiry; only a dirty one was refused for it.
		if old.Text(signal.AttrGSISK) == signal.Dirty && Expired(old, c.began) {
			return c.done(ExpiredMeanwhile)
		}
		return c.done(NotClaimed)
	}
	if old.Text(signal.AttrClaimedBy) != c.id {
		// The first sending may have been applied and its answer lost; then the
		// retry is refused, but the outcome stands.
		if c.stands(old) {
			return c.done(c.finished())
		}
		return c.done(Superseded)
	}
	switch {
	case c.finish == clean && old.Int(signal.AttrRev) == c.rev:
		// Refused for the move alone: its seeder moved it to another bucket.
		c.finish = cleanInPlace
	case c.finish == clean || c.finish == cleanInPlace || c.finish == settling:
		c.finish = raced
	default:
		return c.done(Superseded)
	}
	return c
}

// Unknown advances a check whose write may or may not have been applied. A claim
// is looked up, never repeated.
func (c Check) Unknown() Check {
	if c.step == SendOnce {
		c.step = ReadBack
		return c
	}
	return c.done(Abandoned)
}

// Read advances a check whose item was read back; nil if there is none.
func (c Check) Read(item signal.Item) Check {
	if item.Text(signal.AttrClaimedBy) != c.id {
		return c.done(NotClaimed)
	}
	return c.compute(item)
}

// Conflict advances a check whose write met somebody's transaction and was not
// applied. It is sent again: a claim as a new one, under a new id.
func (c Check) Conflict(id string, now time.Time) Check {
	if c.step == SendOnce {
		c.id, c.began = id, now
	}
	return c
}

// Abandon ends a check that cannot go on. Its lease will run out.
func (c Check) Abandon() Check { return c.done(Abandoned) }

// Computed advances a claimed check by what came of computing it.
func (c Check) Computed(o Outcome) Check {
	c.step, c.outcome = Send, o
	switch o.Kind {
	case Computed:
		c.finish = clean
		if !c.settled() {
			c.finish = settling
		}
	case Fault:
		c.finish = failed
	case SourceFault:
		c.finish = backedOff
	case NotStarted:
		c.finish = released
	}
	return c
}

// quarantined is whether the signal is, after so many more failed checks in a row.
func (c Check) quarantined(more int64) bool {
	most := int64(c.bucket.Checks.MaxAttempts)
	return most > 0 && c.claimed.Int(signal.AttrAttempts)+more >= most
}

func (c Check) compute(item signal.Item) Check {
	// What was claimed is claimedRev, never rev: between a claim whose answer
	// was lost and reading it back, a flip may have moved rev.
	c.step, c.claimed, c.rev = Compute, item, item.Int(signal.AttrClaimedRev)
	return c
}

func (c Check) done(r Result) Check {
	c.step, c.result = Done, r
	return c
}

func (c Check) finished() Result {
	switch c.finish {
	case raced:
		return Raced
	case settling:
		return Settling
	case failed:
		return Failed
	case backedOff:
		return BackedOff
	case released:
		return Released
	}
	return Cleaned
}
