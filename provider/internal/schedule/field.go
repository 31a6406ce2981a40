package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The positions of the fields of a cron expression.
const (
	minutes = iota
	hours
	dayOfMonth
	month
	dayOfWeek
	year
	fieldCount
)

const (
	firstYear = 1970
	lastYear  = 2199
)

// field is what one of the six fields may hold.
type field struct {
	name     string
	min, max int
	// names are those of the values from min on, in full, or none.
	names     []string
	wildcards string
}

// grammar is the fields in their order.
func grammar() [fieldCount]field {
	var months, weekdays []string
	for m := time.January; m <= time.December; m++ {
		months = append(months, strings.ToUpper(m.String()))
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		weekdays = append(weekdays, strings.ToUpper(d.String()))
	}
	return [fieldCount]field{
		minutes:    {name: "minutes", min: 0, max: 59, wildcards: ",-*/"},
		hours:      {name: "hours", min: 0, max: 23, wildcards: ",-*/"},
		dayOfMonth: {name: "day-of-month", min: 1, max: 31, wildcards: ",-*/?LW"},
		month:      {name: "month", min: 1, max: 12, names: months, wildcards: ",-*/"},
		dayOfWeek:  {name: "day-of-week", min: 1, max: 7, names: weekdays, wildcards: ",-*?L#"},
		year:       {name: "year", min: firstYear, max: lastYear, wildcards: ",-*/"},
	}
}

// allowed describes the field's values for a message.
func (f field) allowed() string {
	text := fmt.Sprintf("%d-%d", f.min, f.max)
	if f.names != nil {
		text += " or " + f.renderRange(f.min, f.max)
	}
	return text + " and " + strings.Join(strings.Split(f.wildcards, ""), " ")
}

func (f field) allows(wildcard string) bool { return strings.Contains(f.wildcards, wildcard) }

func (f field) size() int { return f.max - f.min + 1 }

// all is the set that * matches.
func (f field) all() set {
	var s set
	for v := f.min; v <= f.max; v++ {
		s.add(f.index(v))
	}
	return s
}

// index is where a value stands in a set.
func (f field) index(v int) int {
	if f.min == firstYear {
		return v - firstYear
	}
	return v
}

// render writes a value as people read it best.
func (f field) render(v int) string {
	if f.names != nil {
		return f.names[v-f.min][:3]
	}
	return strconv.Itoa(v)
}

func (f field) renderRange(low, high int) string {
	if low == high {
		return f.render(low)
	}
	return f.render(low) + "-" + f.render(high)
}

// list names every step-th value from low to high, which may pass the field's
// end and go on from its beginning.
func (f field) list(low, high, step int) string {
	var list []string
	for v := low; v <= high; v += step {
		list = append(list, f.render(f.min+(v-f.min)%f.size()))
	}
	return strings.Join(list, ",")
}
