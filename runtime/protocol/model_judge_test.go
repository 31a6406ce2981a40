package protocol_test

import (
	"fmt"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// settledKey is what a good run depends on.
type settledKey struct {
	item    itemID
	visible uint8
}

// judge says which invariant does not hold in a state, or "".
func (m *model) judge(s state) string {
	if s.item == 0 {
		return ""
	}
	f := m.facts[s.item]
	if homeOf(f.bucket) != s.home {
		return "I7 one incarnation: the signal is not in the bucket that its seeder put it into"
	}
	if !f.dirty {
		switch {
		case !f.hasValue, f.strange:
			return ""
		case s.flipped&^f.seen != 0:
			return fmt.Sprintf("I1 no lost change: clean, though the flip of %s has completed and the value saw %s",
				changes(s.flipped&^f.seen), changes(f.seen))
		case !f.underNow:
			return "I1 no lost change: clean, though the value was made under another pattern"
		}
		return ""
	}
	if s.over {
		return ""
	}
	key := settledKey{s.item, s.visible}
	why, ok := m.settled[key]
	if !ok {
		why = m.goodRun(m.items[s.item], s.visible)
		m.settled[key] = why
	}
	return why
}

// goodRun says why one undisturbed run that finds a signal dirty does not make it
// clean and exact, in its present shard, or "".
func (m *model) goodRun(item signal.Item, visible uint8) string {
	bucket := m.bucketOf(item)
	c := protocol.NewCheck(modelDay.Key(), bucket, "good run", modelNow)
	for c.Action() != protocol.Done {
		switch c.Action() {
		case protocol.Compute:
			c = c.Computed(protocol.Outcome{Value: modelValue(visible, modeOf(c.Claimed())), AsOf: modelNow})
			continue
		case protocol.ReadBack:
			return "I3 progress: a good run has to read its claim back"
		}
		next, applied := m.rewrite(c.Write()).Apply(item)
		if applied {
			item, c = next, c.Applied(next)
			continue
		}
		c = c.Refused(item)
	}
	f := factsOf(item)
	switch {
	case c.Result() != protocol.Cleaned:
		return fmt.Sprintf("I3 progress: a good run ends as %q", c.Result())
	case f.dirty || f.seen != visible || !f.underNow:
		return "I3 progress: a good run leaves " + describe(item)
	case item.Text(signal.AttrGSIPK) != bucket.GSIPK(c.Key()):
		return "I3 progress: a good run leaves the signal in shard " + item.Text(signal.AttrGSIPK)
	}
	return ""
}

// bucketOf is the bucket whose run finds the signal.
func (m *model) bucketOf(item signal.Item) signal.Bucket {
	name, _, _ := signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	for _, b := range m.runners {
		if b.Name == name {
			return b
		}
	}
	return signal.Bucket{Name: name, Shards: 1}
}
