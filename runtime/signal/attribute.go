package signal

// Attribute names of the items. They are the contract with everything that
// shares the table: other languages write and read the same names.
const (
	// AttrPK and AttrSK are the table's key.
	AttrPK = "pk"
	AttrSK = "sk"
	// AttrGSIPK and AttrGSISK are the cadence index's key: a shard key of the
	// bucket, and the dirty bit.
	AttrGSIPK = "gsipk"
	AttrGSISK = "gsisk"

	AttrSchema   = "schema"
	AttrGlobalID = "globalId"
	AttrPattern  = "availabilityEstimationPattern"
	AttrExpiry   = "expiry"
	AttrTTL      = "ttl"
	AttrSeededBy = "seededBy"

	AttrValue         = "value"
	AttrLastUpdatedAt = "lastUpdatedAt"
	AttrRev           = "rev"
	AttrDirtySince    = "dirtySince"
	AttrClaimedBy     = "claimedBy"
	AttrClaimedRev    = "claimedRev"
	AttrLeaseUntil    = "leaseUntil"
	AttrAttempts      = "attempts"
	AttrNotBefore     = "notBefore"
)

// Values of gsisk: the dirty bit.
const (
	Dirty = "dirty"
	Clean = "clean"
)

// Values of schema.
const (
	SchemaSignal = "availabilitySignal"
	SchemaBucket = "cadenceBucket"
)

// SeederOwned returns the attributes that whoever seeded a signal may write
// later. Everything that the runtime or the application wrote stays out of it.
func SeederOwned() []string {
	return []string{AttrGSIPK, AttrPattern, AttrExpiry, AttrTTL, AttrSeededBy}
}

// SeederReads returns the attributes that a seeder reads back: those it owns,
// and those that tell whether the item is still its own.
func SeederReads() []string {
	return append([]string{AttrPK, AttrSK, AttrSchema, AttrGlobalID}, SeederOwned()...)
}

// Projected returns what the cadence index has beside its keys: all that a run
// reads of it.
func Projected() []string { return []string{AttrDirtySince, AttrTTL, AttrNotBefore} }
