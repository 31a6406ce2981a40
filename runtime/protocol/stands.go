package protocol

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

// stands is whether what this check's finish writes is what the item has.
func (c Check) stands(item signal.Item) bool {
	if item == nil {
		return false
	}
	if c.finish == released {
		return c.givenBack(item)
	}
	for _, a := range c.Write().Set {
		switch a.Attr {
		case signal.AttrValue, signal.AttrLastUpdatedAt, signal.AttrNotBefore:
			if !item[a.Attr].Equal(a.Value) {
				return false
			}
		}
	}
	return true
}

// givenBack is whether the item is as it was claimed, but for the claim, and for
// flips. A release leaves nothing to know it by; but whoever else may have claimed
// the signal meanwhile has given it back too, so that it is free, and nothing came
// of this claim.
func (c Check) givenBack(item signal.Item) bool {
	if item[signal.AttrClaimedBy].Exists() || item.Text(signal.AttrGSISK) != signal.Dirty {
		return false
	}
	for _, attr := range []string{
		signal.AttrGlobalID, signal.AttrClaimedRev, signal.AttrValue, signal.AttrLastUpdatedAt,
		signal.AttrAttempts, signal.AttrNotBefore,
	} {
		if !item[attr].Equal(c.claimed[attr]) {
			return false
		}
	}
	return true
}
