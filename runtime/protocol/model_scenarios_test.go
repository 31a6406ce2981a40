package protocol_test

import (
	"time"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// runsOf are the runs of the model, by the bucket each has read. A lease is no
// time at all.
func runsOf(buckets ...signal.Bucket) []signal.Bucket { return buckets }

func fiveMinutes(shards int) signal.Bucket { return signal.Bucket{Name: "5min", Shards: shards} }
func hourly(shards int) signal.Bucket      { return signal.Bucket{Name: "1h", Shards: shards} }

func updateBy(globalID string, c protocol.Change) protocol.Write {
	return protocol.UpdateBySeeder(modelDay.Key(), ownedBy(globalID), c, modelNow)
}

func usePattern(globalID string, p signal.Pattern) act {
	w := updateBy(globalID, protocol.Change{Pattern: &p})
	return act{"the seeder changes the pattern to " + string(p.Mode), w, globalID}
}

func moveTo(globalID, gsipk string) act {
	return act{"the seeder moves the signal to " + gsipk, updateBy(globalID, protocol.Change{GSIPK: gsipk}), globalID}
}

func putOff(globalID string, expiry time.Time) act {
	return act{"the seeder of " + globalID + " puts its expiry off", updateBy(globalID, protocol.Change{Expiry: expiry}), globalID}
}

func deleteBy(globalID string) act {
	return act{"the seeder of " + globalID + " deletes its signal", protocol.DeleteBySeeder(modelDay.Key(), ownedBy(globalID)), globalID}
}

func seedAgain(w protocol.Write) act {
	return act{"a seeder seeds the signal as " + w.Item.Text(signal.AttrGlobalID), w, ""}
}

// ttlDeletes is DynamoDB's own deletion: it asks nothing.
var ttlDeletes = act{
	words: "TTL deletes whatever is there",
	write: protocol.Write{Op: "deletion by TTL", Kind: protocol.Delete, Key: modelDay.Key()},
}

var (
	exact  = signal.Pattern{Mode: signal.Exact, Cadence: signal.Cadence{Minutes: 5}}
	tiered = signal.Pattern{Mode: signal.Tiered, Cadence: signal.Cadence{Minutes: 5}, Tiers: signal.DefaultTiers()}
)

func scenarios() []scenario {
	runs := runsOf(fiveMinutes(1), fiveMinutes(1))
	twice := [maxRunners]uint8{2, 2}
	return []scenario{
		{
			name: "three blind writers", start: seedDirty("first"), runners: runs, claims: twice,
			writers: []writer{blind, blind, blind},
		},
		{
			name: "three coalescing writers", start: seedDirty("first"), runners: runs, claims: twice,
			writers: []writer{coalesced, coalesced, coalesced},
		},
		{
			name: "three ways to flip", start: seedDirty("first"), runners: runs, claims: twice,
			writers: []writer{blind, coalesced, inside},
		},
		{
			name: "two transactions", start: seedWithValue("first"), runners: runs, claims: twice, conflicts: true,
			writers: []writer{inside, insideCoalesced},
		},
		{
			name: "inventory of two pages", start: seedDirty("first"), runners: runs, claims: twice, pages: true,
			writers: []writer{coalesced, insideCoalesced},
		},
		{
			name: "a transaction that adds a pool", start: seedDirty("first"), runners: runs, claims: twice, pages: true,
			writers: []writer{coalesced, adding},
		},
		{
			name: "a transaction that adds a pool, seeded late", runners: runs, claims: [maxRunners]uint8{2, 1}, losses: 1,
			writers: []writer{adding, coalesced},
			actors:  [][]act{{seedAgain(seedDirty("first"))}},
		},
		{
			name: "lost answers, blind", start: seedDirty("first"), runners: runs, claims: twice, losses: 2,
			writers: []writer{blind, blind},
		},
		{
			name: "lost answers, coalesced", start: seedDirty("first"), runners: runs, claims: twice, losses: 2,
			writers: []writer{coalesced, coalesced},
		},
		{
			name: "lost answers, transaction", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, losses: 2,
			writers: []writer{insideCoalesced, coalesced},
		},
		{
			name: "seeded again dirty", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, losses: 1,
			writers: []writer{inside, coalesced},
			actors:  [][]act{{ttlDeletes, seedAgain(seedDirty("second"))}, {deleteBy("first")}},
		},
		{
			name: "seeded again with a value", start: seedDirty("first"), runners: runs, claims: twice,
			writers: []writer{insideCoalesced, blind},
			actors:  [][]act{{deleteBy("first"), seedAgain(seedWithValue("second"))}, {ttlDeletes}},
		},
		{
			name: "seeded again clean", start: seedClean("first"), runners: runs, claims: twice, losses: 1,
			writers: []writer{blind, coalesced},
			actors:  [][]act{{deleteBy("first"), seedAgain(seedClean("second"))}, {usePattern("first", tiered)}},
		},
		{
			name: "seeded late", runners: runs, claims: twice, losses: 1,
			writers: []writer{inside, coalesced},
			actors:  [][]act{{seedAgain(seedDirty("first"))}, {seedAgain(seedClean("second"))}},
		},
		{
			name: "pattern changed", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, losses: 1,
			writers: []writer{coalesced, blind},
			actors:  [][]act{{usePattern("first", tiered), usePattern("first", exact)}},
		},
		{
			name: "moved by its seeder", start: seedDirty("first"), runners: runsOf(fiveMinutes(16), hourly(1)), claims: [maxRunners]uint8{1, 2}, losses: 1,
			writers: []writer{coalesced, blind},
			actors:  [][]act{{moveTo("first", "cadenceBucket::1h")}, {deleteBy("first"), seedAgain(seedDirty("second"))}},
		},
		{
			name: "shards changed", start: seedDirty("first"), runners: runsOf(fiveMinutes(16), fiveMinutes(15)), claims: [maxRunners]uint8{2, 1}, losses: 1,
			writers: []writer{insideCoalesced, coalesced},
			actors:  [][]act{{moveTo("first", "cadenceBucket::5min::2")}},
		},
		{
			name: "checks fail", start: seedDirty("first"), runners: runs, claims: twice, losses: 1,
			writers:  []writer{coalesced, blind},
			outcomes: []protocol.OutcomeKind{protocol.Fault, protocol.SourceFault, protocol.NotStarted},
		},
		{
			name: "checks fail, and are asked for", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, onDemand: true,
			writers:  []writer{coalesced, blind},
			outcomes: []protocol.OutcomeKind{protocol.Fault, protocol.SourceFault},
		},
		{
			name: "seeded without rev", start: seedForeign("first"), runners: runs, claims: twice, losses: 1,
			writers: []writer{coalesced, blind},
		},
		{
			name: "audited", start: seedWithValue("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, losses: 1, audits: 2,
			writers: []writer{coalesced, forgetful},
		},
		{
			name: "audited across incarnations", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, audits: 1,
			writers: []writer{blind, coalesced},
			actors:  [][]act{{deleteBy("first"), seedAgain(seedWithValue("second"))}, {usePattern("first", tiered)}},
		},
		{
			name: "swept", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{1, 1}, ends: true, sweeps: true,
			writers: []writer{coalesced, inside},
			actors:  [][]act{{putOff("first", laterEnd)}, {ttlDeletes, seedAgain(seedDirty("second"))}},
		},
		{
			name: "swept, and seeded for later", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{1, 0}, losses: 1, ends: true, sweeps: true, audits: 1,
			writers: []writer{coalesced, blind},
			actors:  [][]act{{deleteBy("first"), seedAgain(seedLater("second"))}},
		},
		{
			name: "lagging source", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, lags: 2,
			writers: []writer{coalesced, coalesced},
		},
		{
			name: "lagging source, lost answers", start: seedDirty("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, losses: 1, lags: 1,
			writers: []writer{coalesced, blind},
		},
		{
			name: "lagging source, transaction", start: seedWithValue("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, lags: 1,
			writers: []writer{insideCoalesced, coalesced},
		},
		{
			name: "lagging source, a transaction that adds a pool", start: seedWithValue("first"), runners: runs, claims: [maxRunners]uint8{2, 1}, lags: 2,
			writers: []writer{adding},
		},
		{
			name: "the day ends", start: seedWithValue("first"), runners: runs, claims: twice, losses: 1, ends: true,
			writers: []writer{coalesced, inside},
		},
		adoptedFromNobody(), takenOver(),
	}
}

// shortened is the scenario with fewer checks and losses.
func (sc scenario) shortened() scenario {
	sc.claims = [maxRunners]uint8{min(sc.claims[0], 2), min(sc.claims[1], 1)}
	sc.losses, sc.lags = min(sc.losses, 1), min(sc.lags, 1)
	if len(sc.actors) > 0 || sc.lags > 0 {
		sc.losses = 0
	}
	return sc
}
