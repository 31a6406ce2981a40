package protocol

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// OpAdopt is a seeder making a signal its own.
const OpAdopt Op = "adopt"

// Adoption is who makes a signal its own.
type Adoption struct {
	// SeededBy is who may change and delete it from then on.
	SeededBy string
	// GlobalID is a new UUID, for a signal that has none.
	GlobalID string
}

// Adopt makes another seeder's signal, or nobody's, a seeder's own, and changes
// what seeders own of it. It must be as it was read: id's GlobalID is "" if it
// had none. From nobody it is a flip too, in the same write, because nobody
// vouches for what a stranger called clean. Refused means that the item is gone,
// is no signal, or has changed hands.
func Adopt(key signal.Key, id Identity, a Adoption, c Change, now time.Time) Write {
	stranger := !id.SeededBy.Exists()
	if stranger {
		c.Unflipped = nil
	}
	w := UpdateBySeeder(key, id, c, now)
	w.Op = OpAdopt
	w.Set = append(w.Set, set(signal.AttrSeededBy, signal.S(a.SeededBy)))
	if stranger && c.Pattern == nil {
		w.flip(now)
	}
	if id.GlobalID != "" {
		return w
	}
	for i, cond := range w.If {
		if cond.Attr == signal.AttrGlobalID {
			w.If[i] = absent(signal.AttrGlobalID)
		}
	}
	w.Set = append(w.Set, set(signal.AttrGlobalID, signal.S(a.GlobalID)))
	return w
}
