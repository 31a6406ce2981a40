package iampolicy

import (
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The partitions of the table.
const (
	signalKeys = "availabilitySignal::"
	bucketKeys = "cadenceBucket::"
)

func tableKey() []string { return []string{signal.AttrPK, signal.AttrSK} }

// indexKey is what a query of the cadence index names, and returns.
func indexKey() []string { return append(tableKey(), signal.AttrGSIPK, signal.AttrGSISK) }

// seeded is what a signal has when it is seeded.
func seeded() []string {
	return slices.Concat(signal.SeederReads(), protocol.FlipAttributes(), []string{signal.AttrValue})
}

// identity is what tells whose a signal is.
func identity() []string {
	return append(tableKey(), signal.AttrSchema, signal.AttrGlobalID, signal.AttrSeededBy)
}

// registered is what a bucket's registry item has.
func registered() []string {
	return append(tableKey(), signal.AttrSchema, signal.AttrGlobalID, signal.AttrFormat, signal.AttrName, signal.AttrCadence,
		signal.AttrScheduleExpression, signal.AttrShards, signal.AttrRuleARN, signal.AttrEnabled, signal.AttrChecks)
}

// shown is what a reader reads of a signal.
func shown() []string {
	return append(indexKey(), signal.AttrSchema, signal.AttrGlobalID, signal.AttrValue, signal.AttrLastUpdatedAt,
		signal.AttrDirtySince, signal.AttrExpiry, signal.AttrTTL)
}
