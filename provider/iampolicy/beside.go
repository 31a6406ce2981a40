package iampolicy

import (
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// beside is what the function needs for what it does beside runs: for the stream, and
// for the tasks of operators.
func (s scope) beside() []statement {
	var statements []statement
	if s.stream != "" {
		statements = append(statements,
			allow("ReadStream", []string{s.stream}, "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"),
			allow("FindStream", []string{s.stream[:strings.LastIndex(s.stream, "/")] + "/*"}, "dynamodb:ListStreams"))
	}
	switch {
	case s.keeps():
		statements = append(statements, s.keeper()...)
	case s.does(operate.TaskCheck, operate.TaskAudit, operate.TaskSweep):
		statements = append(statements, allow("ReadSignals", s.table.whole(), "dynamodb:Query").of(signalKeys).
			naming(tableKey(), []string{signal.AttrSchema, signal.AttrGSIPK, signal.AttrTTL, signal.AttrExpiry}).selecting())
	}
	if s.does(operate.TaskSync) {
		// A scan is of no partition: that it names only keys is what there is to
		// narrow it by.
		tables := slices.Compact(slices.Concat(s.table.whole(), s.inventory.whole()))
		statements = append(statements, allow("FindProducts", tables, "dynamodb:Scan").naming(tableKey()).selecting())
	}
	return statements
}

// does is whether operators may have the function do one of some tasks.
func (s scope) does(tasks ...string) bool {
	return slices.ContainsFunc(s.tasks, func(task string) bool { return slices.Contains(tasks, task) })
}

// keeps is whether the function makes signals what products and their dates call for:
// by the stream of the platform's table, or when it is told to.
func (s scope) keeps() bool { return s.stream != "" || s.does(operate.TaskSync) }

func (s scope) keeper() []statement {
	product := append(tableKey(), signal.AttrIsDeleted, signal.AttrPattern)
	looked := []string{"product::"}
	if s.stream != "" {
		// Of a record about one date, that date.
		looked = append(looked, "productDate::")
	}
	return []statement{
		allow("ReadSignals", s.table.whole(), "dynamodb:Query").of(signalKeys).naming(signal.SeederReads()).selecting(),
		allow("Seed", s.table.whole(), "dynamodb:PutItem").of(signalKeys).naming(seededDirty()).silent(),
		allow("ReadProducts", s.inventory.whole(), "dynamodb:GetItem").of(looked...).
			naming(product, []string{signal.AttrTimezone}).selecting(),
		allow("ReadDates", s.inventory.whole(), "dynamodb:Query").of("productDate::").naming(product).selecting(),
	}
}

// seededDirty is what a signal has that starts dirty and without a value.
func seededDirty() []string { return slices.Concat(signal.SeederReads(), protocol.FlipAttributes()) }
