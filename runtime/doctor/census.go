package doctor

import (
	"context"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// mostExamples is how many signals a finding names.
const mostExamples = 3

// census is what one reading of the table has found.
type census struct {
	// complete is whether all of it could be read.
	complete bool
	// registered are the registry items by their bucket's name.
	registered map[string]signal.Item
	// signals are those of each bucket; "" is no bucket.
	signals map[string]*population
	// malformed can never be claimed, or are listed nowhere; left have expired days ago.
	malformed, left some
	// byStream is how many the stream keeps.
	byStream int
	// one is any signal that has not expired.
	one signal.Key
}

// population are the unexpired signals of a bucket.
type population struct {
	total, dirty int
	// never are clean and have never been computed; quarantined have failed too
	// often; all are the bucket's.
	all, never, quarantined some
	// oldest is since when the oldest of them has been dirty.
	oldest    time.Time
	oldestKey string
}

// some is how many there are, and the first of them.
type some struct {
	n     int
	names []string
}

func (s *some) add(name string) {
	s.n++
	if len(s.names) < mostExamples {
		s.names = append(s.names, name)
	}
}

// ttlTakes is how long the service takes to delete what has expired, at most.
const ttlTakes = 4 * 24 * time.Hour

// count reads the whole table once.
func (x *exam) count(ctx context.Context) {
	x.census = census{registered: map[string]signal.Item{}, signals: map[string]*population{}}
	attrs := []string{
		signal.AttrSchema, signal.AttrGSIPK, signal.AttrGSISK, signal.AttrValue, signal.AttrDirtySince, signal.AttrNotBefore,
		signal.AttrLeaseUntil, signal.AttrTTL, signal.AttrExpiry, signal.AttrSeededBy,
		signal.AttrFormat, signal.AttrName, signal.AttrCadence, signal.AttrScheduleExpression, signal.AttrShards, signal.AttrRuleARN,
		signal.AttrEnabled, signal.AttrChecks, signal.AttrGlobalID,
	}
	finder := dynamo.NewFinder(x.DynamoDB, x.Table)
	for item, err := range finder.Items(ctx, attrs, signal.SchemaSignal+"::", signal.SchemaBucket+"::") {
		if err != nil {
			x.failed(AreaSignals, "dynamodb:Scan", x.Table, err)
			return
		}
		x.census.add(item, x.now)
	}
	x.census.complete = true
}

func (c *census) add(item signal.Item, now time.Time) {
	key := item.Key()
	if key.SK == signal.RegistrySK {
		if name, err := signal.ParseBucketID(key.PK); err == nil {
			c.registered[name] = item
		}
		return
	}
	date, err := signal.ParseKey(key)
	if err != nil || item.Text(signal.AttrSchema) != signal.SchemaSignal {
		return
	}
	name := date.String()
	if _, _, ok := protocol.Malformed(item, now); ok || protocol.Lost(item) && !protocol.Expired(item, now) {
		c.malformed.add(name)
		return
	}
	if protocol.Expired(item, now) {
		if protocol.Expired(item, now.Add(-ttlTakes)) {
			c.left.add(name)
		}
		return
	}
	c.one = key
	if item.Text(signal.AttrSeededBy) == dynamo.Stream {
		c.byStream++
	}
	bucket, _, _ := signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	p := c.signals[bucket]
	if p == nil {
		p = &population{}
		c.signals[bucket] = p
	}
	p.add(name, item)
}

func (p *population) add(name string, item signal.Item) {
	p.total++
	p.all.add(name)
	if item.Text(signal.AttrGSISK) == signal.Clean {
		if !item[signal.AttrValue].Exists() {
			p.never.add(name)
		}
		return
	}
	p.dirty++
	if protocol.Quarantined(item[signal.AttrNotBefore]) {
		p.quarantined.add(name)
		return
	}
	if at, err := signal.ParseInstant(item.Text(signal.AttrDirtySince)); err == nil && (p.oldest.IsZero() || at.Before(p.oldest)) {
		p.oldest, p.oldestKey = at, name
	}
}
