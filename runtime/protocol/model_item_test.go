package protocol_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The model's clock stands still and its leases end as soon as they begin: at
// every step every lease may be over, which is all that a clock could do.
// Only the end of the signal's day lies ahead.
var (
	modelNow = time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	modelEnd = time.Date(2026, 7, 2, 7, 0, 0, 0, time.UTC)
)

var modelDay = signal.ProductDate{
	Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"},
	Date:    signal.Date{Year: 2026, Month: time.July, Day: 1},
}

// The cached values of the model say what they came from: the changes that the
// read saw, one bit for each writer, and the estimation mode it was made under.
func modelValue(seen uint8, mode signal.Mode) string { return fmt.Sprintf("%d/%s", seen, mode) }

// facts are what the model asks of an item, read once for each distinct item.
type facts struct {
	dirty    bool
	hasValue bool
	seen     uint8
	underNow bool // the value was made under the pattern that the item has now
	globalID string
	bucket   string
	// strange is what nobody vouches for: a value that no check has written, on a
	// signal that no seeder has adopted yet.
	strange bool
}

func factsOf(item signal.Item) facts {
	if item == nil {
		return facts{}
	}
	f := facts{
		dirty:    item.Text(signal.AttrGSISK) == signal.Dirty,
		globalID: item.Text(signal.AttrGlobalID),
	}
	f.bucket, _, _ = signal.ParseShardKey(item.Text(signal.AttrGSIPK))
	f.strange = !item[signal.AttrSeededBy].Exists() && !item[signal.AttrLastUpdatedAt].Exists()
	value := item.Text(signal.AttrValue)
	if value == "" {
		return f
	}
	var mode string
	if _, err := fmt.Sscanf(strings.Replace(value, "/", " ", 1), "%d %s", &f.seen, &mode); err != nil {
		panic("a value that the model did not write: " + value)
	}
	f.hasValue = true
	f.underNow = mode == string(modeOf(item))
	return f
}

func modeOf(item signal.Item) signal.Mode {
	m, _ := item[signal.AttrPattern].Fields()
	mode, _ := m["estimationMode"].Text()
	return signal.Mode(mode)
}

// describe renders an item for a trace.
func describe(item signal.Item) string {
	if item == nil {
		return "no item"
	}
	var b strings.Builder
	b.WriteString(item.Text(signal.AttrGSISK))
	show := func(label, attr string) {
		v := item[attr]
		if s, ok := v.Text(); ok {
			fmt.Fprintf(&b, ", %s %s", label, s)
		} else if n, ok := v.Number(); ok {
			fmt.Fprintf(&b, ", %s %s", label, n)
		}
	}
	show("rev", signal.AttrRev)
	show("claimed by", signal.AttrClaimedBy)
	show("at rev", signal.AttrClaimedRev)
	show("value", signal.AttrValue)
	show("attempts", signal.AttrAttempts)
	fmt.Fprintf(&b, ", mode %s", modeOf(item))
	show("in", signal.AttrGSIPK)
	show("id", signal.AttrGlobalID)
	return b.String()
}

// seeding is the signal that the model starts with, or seeds again.
func seeding(globalID string) protocol.Seeding {
	return protocol.Seeding{
		ProductDate: modelDay,
		GSIPK:       signal.BucketID("5min"),
		GlobalID:    globalID,
		Pattern:     signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{Minutes: 5}},
		Expiry:      modelEnd,
		SeededBy:    "terraform:" + globalID,
	}
}

func seedDirty(globalID string) protocol.Write {
	s := seeding(globalID)
	s.Dirty = true
	return protocol.Seed(s, modelNow)
}

func seedClean(globalID string) protocol.Write { return protocol.Seed(seeding(globalID), modelNow) }

// seedWithValue is a seeding with an initial value, made from the inventory as it
// was before any change; it is dirty, as every such seed must be.
func seedWithValue(globalID string) protocol.Write {
	s := seeding(globalID)
	s.Dirty, s.Value = true, modelValue(0, signal.Exact)
	return protocol.Seed(s, modelNow)
}

// seedForeign is what a seeder in another language may write: no rev, no owner.
func seedForeign(globalID string) protocol.Write {
	w := seedDirty(globalID)
	delete(w.Item, signal.AttrRev)
	delete(w.Item, signal.AttrSeededBy)
	return w
}

func ownedBy(globalID string) protocol.Identity {
	return protocol.Identity{GlobalID: globalID, SeededBy: signal.S("terraform:" + globalID)}
}
