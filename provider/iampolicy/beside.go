package iampolicy

import (
	"slices"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// taskSync makes signals what products and their dates call for.
const taskSync = "sync"

// tasks are those that operators may have the function do.
func tasks() []string { return []string{"audit", "check", "explain", "sweep", taskSync} }

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
	case len(s.tasks) > 0:
		statements = append(statements, s.readSignals(),
			// Of a product that has no signals: whether its name is misspelt.
			allow("ReadProducts", s.inventory.whole(), "dynamodb:GetItem").of("product::").naming(tableKey()).selecting(),
			allow("ReadDates", s.inventory.whole(), "dynamodb:Query").of("productDate::").naming([]string{signal.AttrPK}).selecting())
	}
	if slices.Contains(s.tasks, taskSync) {
		// A scan is of no partition: that it names only keys is what there is to
		// narrow it by.
		tables := slices.Compact(slices.Concat(s.table.whole(), s.inventory.whole()))
		statements = append(statements, allow("FindProducts", tables, "dynamodb:Scan").naming(tableKey()).selecting())
	}
	return statements
}

// keeps is whether the function makes signals what products and their dates call for:
// by the stream of the platform's table, or when it is told to.
func (s scope) keeps() bool { return s.stream != "" || slices.Contains(s.tasks, taskSync) }

func (s scope) keeper() []statement {
	product := append(tableKey(), signal.AttrIsDeleted, signal.AttrPattern)
	looked := []string{"product::"}
	if s.stream != "" {
		// Of a record about one date, that date.
		looked = append(looked, "productDate::")
	}
	return []statement{
		s.readSignals(),
		allow("Seed", s.table.whole(), "dynamodb:PutItem").of(signalKeys).naming(seededDirty()).silent(),
		allow("ReadProducts", s.inventory.whole(), "dynamodb:GetItem").of(looked...).
			naming(product, []string{signal.AttrTimezone}).selecting(),
		allow("ReadDates", s.inventory.whole(), "dynamodb:Query").of("productDate::").naming(product).selecting(),
	}
}

func (s scope) readSignals() statement {
	return allow("ReadSignals", s.table.whole(), "dynamodb:Query").of(signalKeys).naming(signal.SeederReads()).selecting()
}

// seededDirty is what a signal has that starts dirty and without a value.
func seededDirty() []string { return slices.Concat(signal.SeederReads(), protocol.FlipAttributes()) }
