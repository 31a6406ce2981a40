// Package record is what a run of the benchmarks has found: measurements beside
// their goals, the machine that they were made on, and the page that shows them.
package record

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Row is one row of the performance goals, or one curve of growth.
type Row struct {
	// ID is its anchor, such as P1.
	ID, Title string
	// At is when it was measured, Load the machine's load average before: a row can be
	// measured again by itself.
	At   time.Time
	Load string
	// Machine is what it was measured on, which need not be what the others were.
	Machine Machine
	// How says what was run beside what, in a sentence or two.
	How   string
	Lines []Line
	// Notes say what the numbers do not: a bound, what was left out and why.
	Notes []string
	// Plots are the names of the SVG files that belong to it.
	Plots []Figure
}

// Figure is a plot, by its file's name, and what it shows for who cannot see it.
type Figure struct{ File, Alt string }

// Line is one number, and what it is to be.
type Line struct {
	What string
	// Detail is what the number was made of: both sides' medians, or how wide the
	// rounds were apart.
	Detail string
	Value  float64
	Unit   string
	Goal   Goal
}

// Goal is what a number is to be; the zero Goal asks nothing.
type Goal struct {
	Kind  GoalKind
	Bound float64
}

// GoalKind is what a Goal asks.
type GoalKind string

const (
	most  GoalKind = "most"
	least GoalKind = "least"
)

// AtMost is met by a number that is not above the bound.
func AtMost(bound float64) Goal { return Goal{most, bound} }

// AtLeast is met by a number that is not below the bound.
func AtLeast(bound float64) Goal { return Goal{least, bound} }

// Met is whether a number is as it is to be.
func (g Goal) Met(v float64) bool {
	switch g.Kind {
	case most:
		return v <= g.Bound
	case least:
		return v >= g.Bound
	}
	return true
}

// Asks is whether there is a goal at all.
func (g Goal) Asks() bool { return g.Kind != "" }

// String is the goal without its unit, "" for none.
func (g Goal) String() string {
	switch g.Kind {
	case most:
		return "≤ " + Number(g.Bound)
	case least:
		return "≥ " + Number(g.Bound)
	}
	return ""
}

// Met is whether every line of the row is as it is to be.
func (r Row) Met() bool {
	return !slices.ContainsFunc(r.Lines, func(l Line) bool { return !l.Goal.Met(l.Value) })
}

// Number writes a number with three digits that count, and thousands apart.
func Number(v float64) string {
	size := math.Abs(v)
	if size == math.Trunc(size) || size >= 1000 {
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	decimals := 2
	switch {
	case size >= 100:
		decimals = 0
	case size >= 10:
		decimals = 1
	case size < 1:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

func grouped(digits string) string {
	first := len(digits) % 3
	if first == 0 {
		first = min(3, len(digits))
	}
	out := digits[:first]
	for i := first; i < len(digits); i += 3 {
		if out != "-" {
			out += ","
		}
		out += digits[i : i+3]
	}
	return out
}

// Quantity is a number with its unit.
func Quantity(v float64, unit string) string {
	if unit == "" {
		return Number(v)
	}
	if unit == "x" {
		return Number(v) + "×"
	}
	return fmt.Sprintf("%s %s", Number(v), unit)
}
