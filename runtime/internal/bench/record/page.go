package record

import (
	"fmt"
	"slices"
	"strings"
)

// Page is docs/benchmarks.md.
type Page struct {
	Machine Machine
	Rows    []Row
	// Full is what the last run at full size has found, from another day perhaps.
	Full *Full
}

// Full is the part of a run that takes too long for every run.
type Full struct {
	Date    string  `json:"date"`
	Machine Machine `json:"machine"`
	Items   int     `json:"items"`
	// Seconds of applying and destroying so many table items, and a range of as
	// many dates.
	ItemsApply   float64 `json:"itemsApplySeconds"`
	ItemsDestroy float64 `json:"itemsDestroySeconds"`
	RangeApply   float64 `json:"rangeApplySeconds"`
	RangeDestroy float64 `json:"rangeDestroySeconds"`
}

// Markdown is the page's text.
func (p Page) Markdown() string {
	var b strings.Builder
	b.WriteString("# Benchmarks\n\n" +
		"`make bench` has written this page: each row comes from one run, the two sides taking turns, and shows the medians of at least five rounds where it does not say otherwise. Rows may come from different runs, and a row that is not here has not been measured. " +
		"A ratio says something on any machine, an absolute time only on this one. Capacity units are counted by the simulator of DynamoDB in `runtime/internal/simulator`, whose rules are tested against AWS's published examples.\n\n")
	p.machine(&b)
	p.summary(&b)
	for _, r := range p.Rows {
		r.markdown(&b, p.Machine)
	}
	p.full(&b)
	return b.String()
}

func (p Page) machine(b *strings.Builder) {
	m := p.Machine
	fmt.Fprintf(b, "| | |\n|---|---|\n| machine | %d × %s, %s, %s |\n", m.Cores, m.CPU, m.Memory, m.System)
	fmt.Fprintf(b, "| versions | %s |\n\n", strings.Join(m.Versions, ", "))
	if slices.ContainsFunc(p.Rows, Row.busy) {
		fmt.Fprintf(b, "Each row says when it was measured, and the machine's load average before, of which a run of all rows makes some two itself. Where it is above %d, something else was running: absolute times are longer, and rates lower, than they would be alone, and single rounds lie further apart. The two sides of a ratio had the same to bear.\n\n", ownLoad)
	}
}

func (p Page) summary(b *strings.Builder) {
	b.WriteString("## At a glance\n\n| | goal | |\n|---|---|---|\n")
	for _, r := range p.Rows {
		verdict := "met"
		switch {
		case !r.asks() && !r.compares():
			continue
		case !r.asks():
			verdict = "not measured, see below"
		case !r.Met():
			verdict = "**missed**, see below"
		}
		fmt.Fprintf(b, "| [%s](#%s) | %s | %s |\n", r.ID, r.anchor(), r.Title, verdict)
	}
	b.WriteString("\n")
}

// compares is whether it is a row of the goals: it has lines, or it would have them
// if there were what it compares with.
func (r Row) compares() bool { return strings.HasPrefix(r.ID, "P") }

func (r Row) asks() bool {
	for _, l := range r.Lines {
		if l.Goal.Asks() {
			return true
		}
	}
	return false
}

func (r Row) heading() string { return r.ID + ": " + r.Title }

// anchor is the heading's, as GitHub makes it.
func (r Row) anchor() string {
	var b strings.Builder
	for _, c := range strings.ToLower(r.heading()) {
		switch {
		case c == ' ':
			b.WriteByte('-')
		case c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z':
			b.WriteRune(c)
		}
	}
	return b.String()
}

// markdown writes the row; machine is the page's.
func (r Row) markdown(b *strings.Builder, machine Machine) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", r.heading(), r.How)
	fmt.Fprintf(b, "Measured on %s", r.At.UTC().Format("2 January 2006, 15:04 UTC"))
	if r.Machine.Cores > 0 && r.Machine.String() != machine.String() {
		fmt.Fprintf(b, ", on %s", r.Machine)
	}
	fmt.Fprintf(b, "; load before: %s.\n\n", r.Load)
	if len(r.Lines) > 0 {
		b.WriteString("| | measured | goal | | made of |\n|---|---|---|---|---|\n")
	}
	for _, l := range r.Lines {
		goal, verdict := "", ""
		if l.Goal.Asks() {
			goal, verdict = l.Goal.String(), "met"
			if !l.Goal.Met(l.Value) {
				verdict = "**missed**"
			}
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", l.What, Quantity(l.Value, l.Unit), goal, verdict, l.Detail)
	}
	if len(r.Lines) > 0 {
		b.WriteString("\n")
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "%s\n\n", n)
	}
	for _, f := range r.Plots {
		fmt.Fprintf(b, "![%s](benchmarks/%s)\n\n", f.Alt, f.File)
	}
}

func (p Page) full(b *strings.Builder) {
	if p.Full == nil {
		return
	}
	f := p.Full
	fmt.Fprintf(b, "## The last run at full size\n\n`make bench FULL=1` applies and destroys %s `aws_dynamodb_table_item` as well. The last such run was on %s, on %d × %s with %s, the load before it %s.\n\n",
		Number(float64(f.Items)), f.Date, f.Machine.Cores, f.Machine.CPU, strings.Join(f.Machine.Versions, ", "), f.Machine.Load)
	b.WriteString("| | table items | one range | ratio | goal | |\n|---|---|---|---|---|---|\n")
	for _, l := range []struct {
		what         string
		theirs, ours float64
		goal         Goal
	}{{"apply", f.ItemsApply, f.RangeApply, AtLeast(60)}, {"destroy", f.ItemsDestroy, f.RangeDestroy, AtLeast(100)}} {
		ratio := l.theirs / l.ours
		verdict := "met"
		if !l.goal.Met(ratio) {
			verdict = "**missed**"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", l.what, Quantity(l.theirs, "s"), Quantity(l.ours, "s"), Quantity(ratio, "x"), l.goal, verdict)
	}
	b.WriteString("\n")
}
