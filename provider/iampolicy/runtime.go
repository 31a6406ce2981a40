package iampolicy

import (
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// The sources.
const (
	sourcePool   = "inventory-pool"
	sourceUnits  = "inventory-units"
	sourceLambda = "lambda"
	sourceHTTP   = "http"
)

func sources() []string { return []string{sourcePool, sourceUnits, sourceLambda, sourceHTTP} }

// inventory is what a source reads of the inventory's table; nothing if it has no
// attributes.
type inventory struct {
	prefix     string
	attributes []string
}

// inventoryOf is what a source reads by default.
func inventoryOf(sourceType string) inventory {
	switch sourceType {
	case sourcePool:
		l := source.DefaultPoolLayout()
		return inventory{beginning(source.DefaultPoolKey), []string{l.HashAttr, l.RangeAttr, l.AvailableAttr, l.CapacityAttr}}
	case sourceUnits:
		l := source.DefaultUnitLayout()
		return inventory{beginning(source.DefaultUnitKey), []string{l.HashAttr, l.RangeAttr, l.StatusAttr}}
	}
	return inventory{}
}

// beginning is what all keys of a template begin with.
func beginning(template string) string {
	fixed, _, _ := strings.Cut(template, "{")
	return fixed
}

// runtime checks the signals of buckets, and whatever else the function is to do.
func (s scope) runtime() []statement {
	statements := []statement{
		// An audit looks at the whole signal, a run at the whole registry item.
		allow("ReadItems", s.table.whole(), "dynamodb:GetItem").of(signalKeys, bucketKeys),
		allow("ReadCursors", s.table.whole(), "dynamodb:Query").of(bucketKeys),
		allow("FindInBuckets", s.table.index(s.cadenceIndex), "dynamodb:Query").of(bucketKeys).
			naming(indexKey(), []string{signal.AttrDirtySince, signal.AttrTTL, signal.AttrNotBefore}).selecting("COUNT"),
		allow("NoteRuns", s.table.whole(), "dynamodb:UpdateItem").of(bucketKeys).naming(tableKey(), protocol.RunAttributes()),
	}
	check := slices.Concat(tableKey(), protocol.CheckAttributes())
	sweep := append(tableKey(), signal.AttrGlobalID, signal.AttrTTL, signal.AttrExpiry)
	if s.keeps() {
		check = append(check, signal.SeederReads()...)
		sweep = append(sweep, identity()...)
	}
	statements = append(statements, s.beside()...)
	statements = append(statements,
		allow("Check", s.table.whole(), "dynamodb:UpdateItem").of(signalKeys).naming(check),
		allow("Sweep", s.table.whole(), "dynamodb:DeleteItem").of(signalKeys).naming(sweep).silent())
	if len(s.source.attributes) > 0 {
		statements = append(statements, allow("ReadInventory", s.inventory.whole(), "dynamodb:Query").
			of(s.source.prefix).naming(s.source.attributes).selecting())
	}
	return append(statements, s.surroundings()...)
}

// surroundings is what Lambda and the source need in the function's name.
func (s scope) surroundings() []statement {
	var statements []statement
	if s.function != "" {
		statements = append(statements, allow("AskSource", []string{s.function}, "lambda:InvokeFunction"))
	}
	if s.logGroup != "" {
		statements = append(statements, allow("Log", []string{s.logGroup + ":*"}, "logs:CreateLogStream", "logs:PutLogEvents"))
	}
	if s.failureDestination != "" {
		statements = append(statements, allow("HandOverFailures", []string{s.failureDestination}, destinations()[service(s.failureDestination)]))
	}
	return statements
}

// destinations is, by service, what handing over failed events takes.
func destinations() map[string]string {
	return map[string]string{"sqs": "sqs:SendMessage", "sns": "sns:Publish"}
}
