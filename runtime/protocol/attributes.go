package protocol

import "github.com/availability-signal/terraform-provider-availability/runtime/signal"

// FlipAttributes are the attributes that a flip names, beside the key.
func FlipAttributes() []string {
	return []string{signal.AttrGSISK, signal.AttrDirtySince, signal.AttrRev}
}

// CheckAttributes are those that claims, finishes and audits of a signal name, beside
// the key, a flip's among them.
func CheckAttributes() []string {
	return append(FlipAttributes(),
		signal.AttrClaimedBy, signal.AttrClaimedRev, signal.AttrLeaseUntil, signal.AttrAttempts, signal.AttrNotBefore,
		signal.AttrValue, signal.AttrLastUpdatedAt, signal.AttrGSIPK, signal.AttrGlobalID, signal.AttrTTL, signal.AttrExpiry,
		attrSettleRev, attrSettleFrom)
}

// Reads is whether anything depends on an attribute of the item that an operation
// returns. Of a claimed item, which has the application's attributes too, it is what a
// check looks at: nothing else of it needs to be made anything of.
func (o Op) Reads(attr string) bool {
	if o != OpClaim {
		return true
	}
	switch attr {
	case signal.AttrGlobalID, signal.AttrGSIPK, signal.AttrPattern, signal.AttrValue, signal.AttrLastUpdatedAt,
		signal.AttrDirtySince, signal.AttrClaimedBy, signal.AttrClaimedRev, signal.AttrAttempts, signal.AttrNotBefore,
		attrSettleRev, attrSettleFrom:
		return true
	}
	return false
}

// RunAttributes are those that the writes to a bucket's run item and to the audit's
// cursors name, beside the key. None of them is one of its registry item's.
func RunAttributes() []string {
	return []string{
		AttrStartedAt, AttrPreviousStartedAt, AttrLastRunAt, AttrReport, AttrRunBy, AttrRunUntil,
		attrPassStartedAt, attrCountedAt, attrEntries, attrPassed, attrEnded, attrAfterPK, attrAfterSK, attrAdvances,
	}
}
