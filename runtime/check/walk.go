package check

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// auditPage is how many entries are audited before the cursor moves on: so many at
// most are audited twice when a run is killed.
const auditPage = 128

// passTime is the part of max_staleness that a pass over a shard is to take. The
// rest is for entries that are added meanwhile, and for ticks that come late.
func passTime(staleness time.Duration) time.Duration { return staleness / 4 * 3 }

// walk takes every shard's cursor on, beginning with any of them: where time does
// not suffice, it is not always the same that wait.
func (a *auditor) walk() error {
	cursors, err := a.cursors()
	if err != nil {
		return err
	}
	first := int(a.Random() * signal.MaxShards)
	for i := range signal.MaxShards {
		shard := (first + i) % signal.MaxShards
		if err := a.walkShard(shard, cursors[shard]); err != nil {
			return err
		}
	}
	return nil
}

// cursors reads how far the audit has got, in one query.
func (a *auditor) cursors() (cursors [signal.MaxShards]protocol.Cursor, err error) {
	query := dynamo.Query{
		Hash: signal.AttrPK, Partition: signal.BucketID(a.name),
		Range: signal.AttrSK, From: signal.AuditPrefix, To: signal.AuditPrefix + "~",
	}
	bySK := map[string]signal.Item{}
	for item, err := range a.Store.Query(a.computing, query) {
		if err != nil {
			return cursors, fmt.Errorf("read how far the audit is: %w", err)
		}
		bySK[item.Text(signal.AttrSK)] = item
	}
	for shard := range cursors {
		cursors[shard] = protocol.ParseCursor(bySK[signal.AuditKey(a.name, shard).SK])
	}
	return cursors, nil
}

// walkShard audits what is due of a shard by now.
func (a *auditor) walkShard(shard int, c protocol.Cursor) error {
	staleness := a.bucket.Checks.MaxStaleness
	now := a.Now().UTC().Truncate(time.Millisecond)
	if a.stopped || !a.timeLeft() || c.Ended && now.Before(c.PassStarted.Add(passTime(staleness))) {
		return nil
	}
	moved := false
	if c.Ended || c.PassStarted.IsZero() || c.PassStarted.After(now.Add(staleness)) {
		c.PassStarted, c.Ended, c.After = now, false, signal.Key{}
		if err := a.survey(shard, &c, now); err != nil {
			return err
		}
		moved = true
	}
	for !c.Ended && !a.stopped && a.timeLeft() {
		n := dueEntries(c, now, staleness, a.cadence())
		if n == 0 {
			break
		}
		entries, end, err := a.page(shard, c.After, min(n, auditPage))
		if err != nil {
			return err
		}
		done := a.look(entries)
		if done > 0 {
			c.After = entries[done-1]
		}
		c.Passed += int64(done)
		if c.Ended = end && done == len(entries); !c.Ended && c.Passed >= c.Entries {
			// There are more than there were.
			if err := a.survey(shard, &c, now); err != nil {
				return err
			}
		}
		if moved, err = false, a.advance(shard, &c); err != nil {
			return err
		}
		if done < len(entries) {
			break
		}
	}
	if moved {
		return a.advance(shard, &c)
	}
	return nil
}

// all audits signals without a pace: those of keys, or, where there are none, every
// clean one. complete is whether it got to the end.
func (a *auditor) all(keys []signal.Key) (complete bool, err error) {
	if keys != nil {
		return a.look(keys) == len(keys), nil
	}
	for shard := range signal.MaxShards {
		var after signal.Key
		for end := false; !end; {
			var entries []signal.Key
			if entries, end, err = a.page(shard, after, auditPage); err != nil {
				return false, err
			}
			if a.look(entries) < len(entries) {
				return false, nil
			}
			if len(entries) > 0 {
				after = entries[len(entries)-1]
			}
		}
	}
	return true, nil
}

// survey counts what is ahead of a cursor.
func (a *auditor) survey(shard int, c *protocol.Cursor, now time.Time) error {
	n, err := a.Store.Count(a.computing, a.clean(shard, c.After))
	if err != nil {
		return fmt.Errorf("count clean signals: %w", err)
	}
	c.Counted, c.Entries, c.Passed, c.Ended = now, n, 0, n == 0
	return nil
}

// errOvertaken is a shard that another run walks.
var errOvertaken = errors.New("another run audits the bucket")

func (a *auditor) advance(shard int, c *protocol.Cursor) error {
	write, next := protocol.Advance(a.name, shard, *c)
	_, err := a.Store.Write(a.writing, write)
	if refused, ok := errors.AsType[*dynamo.RefusedError](err); ok {
		if protocol.ParseCursor(refused.Old) == next {
			// It is this very one, whose answer was lost.
			err = nil
		} else {
			err = errOvertaken
		}
	}
	*c = next
	return err
}

// page reads the next entries of a shard; end is whether there are no more.
func (a *auditor) page(shard int, after signal.Key, limit int64) (entries []signal.Key, end bool, err error) {
	query := a.clean(shard, after)
	query.Limit = int32(limit)
	query.Attrs = []string{signal.AttrPK, signal.AttrSK}
	for item, err := range a.Store.Query(a.computing, query) {
		if err != nil {
			return nil, false, fmt.Errorf("list clean signals: %w", err)
		}
		entries = append(entries, signal.Key{PK: item.Text(signal.AttrPK), SK: item.Text(signal.AttrSK)})
		if int64(len(entries)) == limit {
			return entries, false, nil
		}
	}
	return entries, true, nil
}

// clean is the query of the clean entries of a shard that come after a key.
func (a *auditor) clean(shard int, after signal.Key) dynamo.Query {
	key := signal.ShardKey(a.name, shard)
	query := dynamo.Query{
		Index: a.Index,
		Hash:  signal.AttrGSIPK, Partition: key,
		Range: signal.AttrGSISK, Equals: signal.Clean,
	}
	if after != (signal.Key{}) {
		query.After = signal.Item{
			signal.AttrPK: signal.S(after.PK), signal.AttrSK: signal.S(after.SK),
			signal.AttrGSIPK: signal.S(key), signal.AttrGSISK: signal.S(signal.Clean),
		}
	}
	return query
}

// dueEntries is how many entries a walk has to pass until the next tick, so that
// the pass goes at an even pace.
func dueEntries(c protocol.Cursor, now time.Time, staleness, cadence time.Duration) int64 {
	end := c.PassStarted.Add(passTime(staleness))
	if !c.Counted.Equal(c.PassStarted) {
		// More were added than there was room for: what is left is due by the end.
		end = c.PassStarted.Add(staleness)
	}
	want := c.Entries
	span, elapsed := end.Sub(c.Counted), now.Add(cadence).Sub(c.Counted)
	if span > 0 && elapsed < span {
		want = int64(math.Ceil(float64(c.Entries) * elapsed.Seconds() / span.Seconds()))
	}
	return max(0, want-c.Passed)
}
