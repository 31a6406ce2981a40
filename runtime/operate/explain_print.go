package operate

import (
	"fmt"
	"io"
	"time"
)

// Print writes it for people: the verdict first.
func (e *Explanation) Print(w io.Writer) error {
	out := &text{w: w}
	out.line("%s", e.Signal)
	out.line("%s: %s", e.Verdict, e.Says)
	if e.Do != "" {
		out.line("-> %s", e.Do)
	}
	for _, n := range e.Notes {
		out.line("note: %s", n)
	}
	if e.Item != nil || e.Bucket != nil || e.Inventory != nil {
		out.line("")
	}
	if i := e.Item; i != nil {
		out.line("signal     %s, %s, rev %d%s", i.Bit, computed(i), i.Rev, claimed(i))
		field(out, "dirty", "since ", i.DirtySince)
		field(out, "lease", "until ", i.LeaseUntil)
		if i.Attempts > 0 {
			out.line("attempts   %d", i.Attempts)
		}
		field(out, "notBefore", "", i.NotBefore)
		field(out, "expiry", "", i.Expiry)
		out.line("seeded by  %s, globalId %s", orNone(i.SeededBy), orNone(i.GlobalID))
	}
	e.printBucket(out)
	e.printInventory(out)
	return out.err
}

func (e *Explanation) printBucket(out *text) {
	b := e.Bucket
	if b == nil {
		return
	}
	state := "enabled"
	switch {
	case !b.Registered:
		state = "not registered"
	case !b.Enabled:
		state = "disabled"
	}
	out.line("bucket     %s, %s, %s; %s", b.Name, orNone(b.Schedule), state, ran(b))
}

func ran(b *BucketView) string {
	switch {
	case b.StartedAt.IsZero() && b.LastRunAt.IsZero():
		return "no run yet"
	case b.LastRunAt.IsZero():
		return "its first run began " + instant(b.StartedAt) + ", and has not ended"
	}
	return "last run began " + instant(b.StartedAt) + ", ended " + instant(b.LastRunAt)
}

func (e *Explanation) printInventory(out *text) {
	v := e.Inventory
	if v == nil {
		return
	}
	switch {
	case v.Error != "":
		out.line("inventory  %s", v.Error)
	case v.NoInventory:
		out.line("inventory  none at all%s", value(v))
	default:
		out.line("inventory  %d of %d%s%s", v.Available, v.Capacity, fraction(v), value(v))
	}
	for _, p := range v.Parts {
		line := fmt.Sprintf("  %s  %d of %d", p.Name, p.Available, p.Capacity)
		if p.Status != "" {
			line = fmt.Sprintf("  %s  %s", p.Name, p.Status)
		}
		if p.Fault != "" {
			line = fmt.Sprintf("  %s  %s", p.Name, p.Fault)
		}
		out.line("%s", line)
	}
	if v.Omitted > 0 {
		out.line("  ... and %d more", v.Omitted)
	}
}

// value is what a signal would show of it. Where there is none, nobody knows its
// pattern, and "none" would be a value.
func value(v *InventoryView) string {
	if v.Value == "" {
		return ""
	}
	return ": value " + v.Value + label(v.Tier)
}

// fraction is only shown; what is cached is compared without rounding.
func fraction(v *InventoryView) string {
	if v.Capacity <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f%%)", 100*float64(v.Available)/float64(v.Capacity))
}

func label(tier string) string {
	if tier == "" {
		return ""
	}
	return " (" + tier + ")"
}

// computed says that there is no value in other words than that the value is none,
// which is that of a date without inventory.
func computed(i *ItemView) string {
	if i.Value == "" {
		return "never computed"
	}
	return "value " + i.Value + " as of " + instant(i.AsOf)
}

func claimed(i *ItemView) string {
	if i.ClaimedRev == nil {
		return ", never claimed"
	}
	return fmt.Sprintf(", claimed at %d", *i.ClaimedRev)
}

func field(out *text, name, before string, at time.Time) {
	if !at.IsZero() {
		out.line("%-10s %s%s", name, before, instant(at))
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
