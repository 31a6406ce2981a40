package iampolicy

import (
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// The roles.
const (
	roleRuntime = "runtime"
	roleWriter  = "writer"
	roleSeeder  = "seeder"
	roleReader  = "reader"
	rolePlanner = "planner"
)

func roles() []string { return []string{roleRuntime, roleWriter, roleSeeder, roleReader, rolePlanner} }

// policy is the least that a role needs.
func (s scope) policy(role string) document {
	var statements []statement
	switch role {
	case roleRuntime:
		statements = s.runtime()
	case roleWriter:
		statements = s.writer()
	case roleSeeder:
		statements = s.seeder()
	case roleReader:
		statements = s.reader()
	case rolePlanner:
		statements = s.planner()
	}
	if len(s.keys) > 0 {
		statements = append(statements, allow("DecryptTables", s.keys, "kms:Decrypt").when(equals, keyViaService, s.table.endpoint()))
	}
	return document{Version: "2012-10-17", Statement: statements}
}

// writer flips signals.
func (s scope) writer() []statement {
	return []statement{
		allow("LookBeforeFlip", s.table.whole(), "dynamodb:GetItem").of(signalKeys).
			naming(tableKey(), []string{signal.AttrGSISK, signal.AttrRev, signal.AttrClaimedRev}).selecting(),
		allow("Flip", s.table.whole(), "dynamodb:UpdateItem").of(signalKeys).naming(tableKey(), protocol.FlipAttributes()).silent(),
	}
}

// reader reads signals, and how their buckets are.
func (s scope) reader() []statement {
	return []statement{
		allow("ReadSignals", s.table.whole(), "dynamodb:BatchGetItem", "dynamodb:Query").of(signalKeys).naming(shown()).selecting(),
		allow("ReadBuckets", s.table.whole(), "dynamodb:BatchGetItem").of(bucketKeys),
		allow("FindInBuckets", s.table.index(s.cadenceIndex), "dynamodb:Query").of(bucketKeys).
			naming(indexKey(), []string{signal.AttrTTL}).selecting(),
		allow("FindByGlobalID", s.table.index(s.globalIDIndex), "dynamodb:Query").
			naming(tableKey(), []string{signal.AttrGlobalID}).selecting(),
	}
}

// planner refreshes what a seeder manages, and reads data sources.
func (s scope) planner() []statement {
	reads := s.reader()
	// What a resource reads is one attribute more than what a reader does.
	reads[0] = allow("ReadSignals", s.table.whole(), "dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query").
		of(signalKeys).naming(shown(), signal.SeederReads()).selecting()
	reads[1] = allow("ReadBuckets", s.table.whole(), "dynamodb:BatchGetItem", "dynamodb:GetItem").of(bucketKeys)
	return append(reads, allow("ReadRules", s.table.ruleARNs(s.rules), "events:DescribeRule", "events:ListTagsForResource", "events:ListTargetsByRule"))
}

// seeder creates, changes and destroys buckets and signals.
func (s scope) seeder() []statement {
	return slices.Concat(s.planner(), []statement{
		allow("LookAtTable", s.table.whole(), "dynamodb:DescribeTable", "dynamodb:DescribeTimeToLive"),
		allow("Seed", s.table.whole(), "dynamodb:PartiQLInsert", "dynamodb:PutItem").of(signalKeys).naming(seeded()).silent(),
		// A change of pattern is a flip in the same write.
		allow("Reseed", s.table.whole(), "dynamodb:UpdateItem").of(signalKeys).
			naming(signal.SeederReads(), protocol.FlipAttributes()).silent(),
		allow("Unseed", s.table.whole(), "dynamodb:DeleteItem", "dynamodb:PartiQLDelete").of(signalKeys).naming(identity()).silent(),
		allow("LookBeforeFlip", s.table.whole(), "dynamodb:GetItem").of(signalKeys).
			naming(tableKey(), []string{signal.AttrGSISK, signal.AttrRev, signal.AttrClaimedRev}).selecting(),
		allow("Register", s.table.whole(), "dynamodb:PutItem", "dynamodb:UpdateItem").of(bucketKeys).naming(registered()).silent(),
		allow("Unregister", s.table.whole(), "dynamodb:DeleteItem").of(bucketKeys).naming(tableKey(), []string{signal.AttrGlobalID}).silent(),
		allow("ListRuns", s.table.whole(), "dynamodb:Query").of(bucketKeys).naming(tableKey()).selecting(),
		allow("ManageRules", s.table.ruleARNs(s.rules), "events:DeleteRule", "events:PutRule", "events:PutTargets", "events:RemoveTargets",
			"events:TagResource", "events:UntagResource"),
	})
}
