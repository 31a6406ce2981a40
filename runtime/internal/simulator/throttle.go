package simulator

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Limits are what one partition takes in a second, of a table and of each index
// separately.
type Limits = Units

// PartitionLimits are DynamoDB's.
func PartitionLimits() *Limits { return &Limits{Read: 3000, Write: 1000} }

// load is what happens at a partition.
type load struct {
	spent spending
	// within is what was spent in the second of the clock that last saw any.
	second       int64
	within, peak Units
	// tokens are what is left to spend; they were right at a time.
	tokens Units
	at     int64
	limits Limits
}

func (l *load) add(client int, u Units, now int64) {
	l.spent.add(client, u)
	if second := now / int64(time.Second); second != l.second {
		l.second, l.within = second, Units{}
	}
	l.within = l.within.plus(u)
	l.peak = Units{max(l.peak.Read, l.within.Read), max(l.peak.Write, l.within.Write)}
}

// refill gives the partition what has become free since it was last used.
func (l *load) refill(limits Limits, now int64) {
	if l.limits != limits {
		l.limits, l.tokens, l.at = limits, limits, now
		return
	}
	seconds := float64(now-l.at) / float64(time.Second)
	l.at = now
	l.tokens.Read = min(l.tokens.Read+seconds*limits.Read, limits.Read)
	l.tokens.Write = min(l.tokens.Write+seconds*limits.Write, limits.Write)
}

// take spends what a request costs, and says whether there was enough. One that
// costs more than a second's worth passes at a full second's, and others pay.
func (l *load) take(u Units) bool {
	if l.tokens.Read < min(u.Read, l.limits.Read) || l.tokens.Write < min(u.Write, l.limits.Write) {
		return false
	}
	l.give(Units{-u.Read, -u.Write})
	return true
}

func (l *load) give(u Units) { l.tokens = l.tokens.plus(u) }

// admit spends what a request costs, or nothing of it and says what is too busy.
// An index that is too busy stops the table's write.
func (db *DB) admit(t *table, charges []charge) error {
	if db.limits == nil {
		return nil
	}
	for i, c := range charges {
		c.at.load.refill(*db.limits, db.now)
		if c.at.load.take(c.units) {
			continue
		}
		for _, taken := range charges[:i] {
			taken.at.load.give(taken.units)
		}
		return throttled(t, c)
	}
	return nil
}

// admits is admit where it does not matter what is too busy.
func (db *DB) admits(t *table, charges []charge) bool { return db.admit(t, charges) == nil }

// SetLimits changes what one partition takes; nil takes everything.
func (db *DB) SetLimits(l *Limits) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.limits = l
}

// tooBusy is throttling that no partition is to blame for.
func tooBusy() error {
	return &types.ProvisionedThroughputExceededException{
		Message: text("Throughput exceeds the current capacity of your table or index."),
	}
}

func throttled(t *table, at charge) error {
	reason, resource := "Table", "table/"+t.name
	if at.in.name != "" {
		reason, resource = "Index", resource+"/index/"+at.in.name
	}
	what := "Write"
	if at.units.Write == 0 {
		what = "Read"
	}
	return &types.ProvisionedThroughputExceededException{
		Message: text("The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."),
		ThrottlingReasons: []types.ThrottlingReason{{
			Reason:   text(reason + what + "KeyRangeThroughputExceeded"),
			Resource: text(resource),
		}},
	}
}
