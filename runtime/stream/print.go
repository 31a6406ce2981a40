package stream

import (
	"fmt"
	"io"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// Print writes the plan for people: per product, what is done on which dates, and
// a summary.
func (p Plan) Print(w io.Writer) error { return p.Summary(0).Print(w) }

// Print writes the summary for people.
func (s Summary) Print(w io.Writer) error {
	out := &printer{w: w}
	for _, p := range s.Products {
		out.line("%s", p.Product)
		if p.Zoneless {
			out.line("  the product has no %s: its dates are taken to end at midnight UTC", signal.AttrTimezone)
		}
		if p.Error != "" {
			out.line("  failed: %s", p.Error)
		}
		for _, l := range p.Lines {
			out.line("  %-9s  %s", l.Action, l.text())
		}
	}
	if s.Omitted > 0 {
		out.line("... and %d more products", s.Omitted)
	}
	for _, key := range s.Unreadable {
		out.line("not a key of a product or a date: %s", key)
	}
	if s.Unknown {
		out.line("nothing is known under this name, no product, no date and no signal: see whether it is right, and whether these are the tables")
		return out.err
	}
	out.summary(s)
	return out.err
}

func (l Line) text() string {
	text := l.First
	if l.First != l.Last {
		text = fmt.Sprintf("%s/%s (%d)", l.First, l.Last, l.Days)
	}
	switch {
	case l.Failed:
		text += "  failed: " + l.Why
	case l.Why != "":
		text += "  " + l.Why
	}
	return text
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

func (p *printer) summary(s Summary) {
	to, was, products := "to be ", ". This was a dry run: nothing has been written.", "products"
	if s.Applied {
		to, was = "", "."
	}
	if s.Seen == 1 {
		products = "product"
	}
	p.line("%d %s: %d %sseeded, %d updated, %d adopted, %d deleted; %d unchanged, %d left as they are, %d failed%s",
		s.Seen, products, s.Seeded, to, s.Updated, s.Adopted, s.Deleted, s.Unchanged, s.Left, s.Failed, was)
}
