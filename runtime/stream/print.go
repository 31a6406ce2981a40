package stream

import (
	"fmt"
	"io"
	"slices"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Print writes the plan for people: per product, what is done on which dates, and
// a summary.
func (p Plan) Print(w io.Writer) error {
	out := &printer{w: w}
	for _, pp := range p.Products {
		out.line("%s", pp.Product)
		if pp.Zoneless {
			out.line("  the product has no %s: its dates are taken to end at midnight UTC", signal.AttrTimezone)
		}
		if pp.Err != nil {
			out.line("  failed: %v", pp.Err)
		}
		for _, l := range pp.lines() {
			out.line("  %-9s  %s", l.action, l.text)
		}
	}
	for _, key := range p.Unreadable {
		out.line("not a key of a product or a date: %s", key)
	}
	out.summary(p)
	return out.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) summary(plan Plan) {
	var n Report
	failed := 0
	for _, pp := range plan.Products {
		if pp.Err != nil {
			failed++
		}
		for _, st := range pp.Steps {
			switch {
			case st.Err != nil:
				failed++
			case st.Action == Leave:
				n.Left++
			default:
				n.count(st.Action)
			}
		}
	}
	to, was, products := "to be ", ". This was a dry run: nothing has been written.", "products"
	if plan.Applied {
		to, was = "", "."
	}
	if plan.Seen == 1 {
		products = "product"
	}
	p.line("%d %s: %d %sseeded, %d updated, %d adopted, %d deleted; %d unchanged, %d left as they are, %d failed%s",
		plan.Seen, products, n.Seeded, to, n.Updated, n.Adopted, n.Deleted, plan.Unchanged, n.Left, failed, was)
}

type printedLine struct {
	first  signal.Date
	action Action
	text   string
}

// lines joins what is done alike on consecutive dates, and are in order of the
// first of them.
func (pp ProductPlan) lines() []printedLine {
	type kind struct {
		action Action
		why    string
	}
	var kinds []kind
	dates := map[kind][]signal.Date{}
	for _, st := range pp.Steps {
		if st.Action == Nothing && st.Err == nil {
			continue
		}
		k := kind{st.Action, st.Reason}
		if st.Err != nil {
			k.why = "failed: " + st.Err.Error()
		}
		if dates[k] == nil {
			kinds = append(kinds, k)
		}
		dates[k] = append(dates[k], st.Date)
	}
	var lines []printedLine
	for _, k := range kinds {
		slices.SortFunc(dates[k], signal.Date.Compare)
		for _, span := range dynamo.Spans(slices.Compact(dates[k])) {
			text := span.First.String()
			if span.First != span.Last {
				text = fmt.Sprintf("%s (%d)", span, span.Days())
			}
			if k.why != "" {
				text += "  " + k.why
			}
			lines = append(lines, printedLine{span.First, k.action, text})
		}
	}
	slices.SortStableFunc(lines, func(a, b printedLine) int { return a.first.Compare(b.first) })
	return lines
}
