package season

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// shade is how much of a date is taken, as a calendar shows it.
type shade int

const (
	free shade = iota
	some
	most
	taken
	nothing // no inventory
	unknown // no value
)

func (s shade) String() string { return [...]string{"·", "░", "▓", "█", "-", "?"}[s] }

// longestCalendar is how many months a calendar shows.
const longestCalendar = 6

// Telling is the product whose calendar tells most of what has happened: the one
// that shows the most different shades afterwards, and of those the one with the
// most dates that have changed.
func (s *Season) Telling(before, after map[Day]string) int {
	best, bestShades, bestChanges := 0, 0, 0
	for i, p := range s.Products {
		shades, changes := map[shade]bool{}, 0
		for d := range p.Days() {
			day := Day{i, d}
			is := s.shade(day, after[day])
			shades[is] = true
			if is != s.shade(day, before[day]) {
				changes++
			}
		}
		if changes > 0 && cmp.Or(cmp.Compare(len(shades), bestShades), cmp.Compare(changes, bestChanges)) > 0 {
			best, bestShades, bestChanges = i, len(shades), changes
		}
	}
	return best
}

// Calendar renders a product's values, month by month, as a line before and a
// line after, with a legend. A long range is cut to half a year that begins with
// the first month in which the two differ.
func (s *Season) Calendar(product int, before, after map[Day]string) []string {
	p := s.Products[product]
	months, first := map[string][2]*strings.Builder{}, ""
	var order []string
	for d := range p.Days() {
		date, day := p.Start.AddDays(d), Day{product, d}
		name := fmt.Sprintf("%.3s %d", date.Month, date.Year)
		if _, ok := months[name]; !ok {
			order = append(order, name)
			indent := strings.Repeat(" ", date.Day-1)
			months[name] = [2]*strings.Builder{{}, {}}
			for _, line := range months[name] {
				line.WriteString(indent)
			}
		}
		was, is := s.shade(day, before[day]), s.shade(day, after[day])
		months[name][0].WriteString(was.String())
		months[name][1].WriteString(is.String())
		if first == "" && was != is {
			first = name
		}
	}
	if len(order) > longestCalendar {
		from := max(0, min(slices.Index(order, first), len(order)-longestCalendar))
		order = order[from : from+longestCalendar]
	}
	lines := []string{fmt.Sprintf("%-16s%s", "", "1   5    10   15   20   25   30")}
	for _, name := range order {
		lines = append(lines,
			fmt.Sprintf("%-9s%-7s%s", name, "before", months[name][0]),
			fmt.Sprintf("%-9s%-7s%s", "", "after", months[name][1]))
	}
	return append(lines, fmt.Sprintf("%-16s%s", "", s.legend(product)))
}

func (s *Season) shade(day Day, value string) shade {
	p := s.Products[day.Product]
	switch {
	case value == "":
		return unknown
	case value == signal.None:
		return nothing
	case p.Pattern.Mode == signal.Tiered:
		return tierShade(p.Pattern.Tiers, value)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	switch capacity := p.Capacity(); {
	case err != nil:
		return unknown
	case n <= 0:
		return taken
	case 4*n <= capacity:
		return most
	case 4*n <= 3*capacity:
		return some
	}
	return free
}

// tierShade spreads the tiers over the shades: the one of nothing left is taken,
// and the last is free.
func tierShade(tiers []signal.Tier, value string) shade {
	i := slices.IndexFunc(tiers, func(t signal.Tier) bool { return t.ID == value })
	switch zero := (signal.Fraction{}); {
	case i < 0 && value == "full", i == 0 && tiers[0].MaxPercentage == zero:
		return taken
	case i < 0:
		return unknown
	case i == len(tiers)-1:
		return free
	case 2*i >= len(tiers):
		return some
	}
	return most
}

func (s *Season) legend(product int) string {
	p := s.Products[product]
	if p.Pattern.Mode != signal.Tiered {
		return fmt.Sprintf("left of %d: %s over 75%%  %s over 25%%  %s some  %s none", p.Capacity(), free, some, most, taken)
	}
	var parts []string
	for sh := free; sh <= taken; sh++ {
		var ids []string
		for _, t := range slices.Backward(p.Pattern.Tiers) {
			if tierShade(p.Pattern.Tiers, t.ID) == sh {
				ids = append(ids, t.ID)
			}
		}
		if len(ids) > 0 {
			parts = append(parts, sh.String()+" "+strings.Join(ids, ", "))
		}
	}
	return strings.Join(parts, "  ")
}
