package simulator

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TTL leaves what is said to have expired longer ago than this alone.
const ttlHorizon = 5 * 365 * 24 * time.Hour

// latestTTL keeps a deadline within what nanoseconds can say.
const latestTTL = int64(1) << 33

// expiry is when TTL may delete the item, in seconds since the epoch. TTL goes by
// a number at the top level and by nothing else.
func (r *row) expiry(name string) (seconds int64, ok bool) {
	n, ok := r.item.get(name).(*types.AttributeValueMemberN)
	if !ok {
		return 0, false
	}
	seconds, ok = small(n.Value)
	return seconds, ok && seconds > 0 && seconds < latestTTL
}

// planTTL plans an item's deletion by TTL, if it is to have one and the plan is
// new.
func (db *DB) planTTL(t *table, r *row) {
	if t.ttl == "" || db.config.TTLDelay == nil {
		return
	}
	deadline, ok := r.expiry(t.ttl)
	if !ok || deadline == r.deadline {
		r.deadline = deadline
		return
	}
	r.deadline = deadline
	at := max(deadline*int64(time.Second), db.now) + int64(db.draw(db.config.TTLDelay))
	db.planDeletion(t, r.address, deadline, at)
}

// planDeletion plans to delete an item, unless it has another deadline by then.
func (db *DB) planDeletion(t *table, at address, deadline, when int64) {
	db.agenda.add(when, true, func() { db.expire(t, at, deadline) })
}

func (db *DB) expire(t *table, at address, deadline int64) {
	r := t.find(at)
	if r == nil || r.item == nil {
		return
	}
	if seconds, ok := r.expiry(t.ttl); !ok || seconds != deadline || time.Duration(db.now-deadline*int64(time.Second)) > ttlHorizon {
		return
	}
	if _, held := t.held[at]; held {
		db.planDeletion(t, at, deadline, db.now+int64(time.Second))
		return
	}
	w := db.plan(t, at, r.item, nil, r.size)
	db.commit(&w, true)
}
