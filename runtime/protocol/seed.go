package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Seeding is a signal to be seeded.
type Seeding struct {
	signal.ProductDate
	// GSIPK is a shard key of a registered bucket.
	GSIPK string
	// GlobalID is a UUID, new for every seeding: the guard against touching
	// another incarnation of the same signal.
	GlobalID string
	Pattern  signal.Pattern
	Expiry   time.Time
	// SeededBy is who may change and delete it.
	SeededBy string
	// Value is an initial value, or "" for none.
	Value string
	// Dirty makes the first tick compute it.
	Dirty bool
}

// Seed creates a signal, if there is none. Refused means that there is one; it is
// this seeding's own, from an earlier sending, if its globalId is.
func Seed(s Seeding, now time.Time) Write {
	key := s.Key()
	item := signal.Item{
		signal.AttrPK:       signal.S(key.PK),
		signal.AttrSK:       signal.S(key.SK),
		signal.AttrGSIPK:    signal.S(s.GSIPK),
		signal.AttrGSISK:    signal.S(signal.Clean),
		signal.AttrSchema:   signal.S(signal.SchemaSignal),
		signal.AttrGlobalID: signal.S(s.GlobalID),
		signal.AttrPattern:  s.Pattern.Value(),
		signal.AttrExpiry:   signal.S(signal.FormatInstant(s.Expiry)),
		signal.AttrTTL:      signal.N(TTL(s.Expiry)),
		signal.AttrSeededBy: signal.S(s.SeededBy),
		signal.AttrRev:      signal.N(0),
	}
	if s.Value != "" {
		item[signal.AttrValue] = signal.S(s.Value)
	}
	if s.Dirty {
		item[signal.AttrGSISK] = signal.S(signal.Dirty)
		item[signal.AttrDirtySince] = signal.S(signal.FormatInstant(now))
	}
	return Write{Op: OpSeed, Kind: Put, Key: key, If: []Cond{absent(signal.AttrPK)}, Item: item}
}

// TTL is an expiry as ttl has it, in epoch seconds, rounded up: it must not delete
// what has not expired.
func TTL(expiry time.Time) int64 { return expiry.Add(time.Second - time.Nanosecond).Unix() }

// Identity is which incarnation of a signal is meant, and whose it is.
type Identity struct {
	// GlobalID is as read; "" if the item has none.
	GlobalID string
	// SeededBy is as read; the zero Value if the item has none.
	SeededBy signal.Value
}

// Of is whether an item is that incarnation, and still that seeder's.
func (i Identity) Of(item signal.Item) bool {
	for _, c := range i.conditions() {
		if !c.Holds(item) {
			return false
		}
	}
	return true
}

func (i Identity) conditions() []Cond {
	var id signal.Value
	if i.GlobalID != "" {
		id = signal.S(i.GlobalID)
	}
	return []Cond{
		itemExists(),
		equal(signal.AttrSchema, signal.S(signal.SchemaSignal)),
		equalOrAbsent(signal.AttrGlobalID, id),
		equalOrAbsent(signal.AttrSeededBy, i.SeededBy),
	}
}

// Change is what a seeder changes of its signal. Zero fields stay as they are.
type Change struct {
	// GSIPK moves the signal to another bucket or shard; bit and value stay.
	GSIPK   string
	Expiry  time.Time
	Pattern *signal.Pattern
	// Unflipped is the pattern as it was read, for a new one that turns estimates
	// into the same values (another label, say). It must still be that one: what
	// has been cached under yet another needs a flip. Without it, a change of
	// pattern marks the signal dirty in the same write.
	Unflipped *signal.Value
}

// UpdateBySeeder changes what a seeder owns of its own signal. Refused means that
// the item is gone or is not its own any more.
func UpdateBySeeder(key signal.Key, id Identity, c Change, now time.Time) Write {
	w := Write{Op: OpUpdate, Key: key, If: id.conditions()}
	if c.GSIPK != "" {
		w.Set = append(w.Set, set(signal.AttrGSIPK, signal.S(c.GSIPK)))
	}
	if !c.Expiry.IsZero() {
		w.Set = append(w.Set,
			set(signal.AttrExpiry, signal.S(signal.FormatInstant(c.Expiry))),
			set(signal.AttrTTL, signal.N(TTL(c.Expiry))))
	}
	if c.Pattern != nil {
		w.Set = append(w.Set, set(signal.AttrPattern, c.Pattern.Value()))
		if c.Unflipped == nil {
			w.flip(now)
		} else {
			w.If = append(w.If, equal(signal.AttrPattern, *c.Unflipped))
		}
	}
	return w
}

// DeleteBySeeder deletes a seeder's own signal. Refused means that the item is
// gone or is not its own any more.
func DeleteBySeeder(key signal.Key, id Identity) Write {
	return Write{Op: OpDelete, Kind: Delete, Key: key, If: id.conditions()}
}
