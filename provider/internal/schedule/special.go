package schedule

import (
	"strconv"
	"strings"
)

// special is the days that no set of numbers holds; at most one is set.
type special struct {
	last        bool // L in day-of-month
	nearest     int  // nW: the day whose nearest Monday to Friday it is
	lastWeekday int  // nL: the day of the week
	nthWeekday  int  // n#k: the day of the week
	nth         int  // n#k: which of the month
}

// parseMonthDay reads L or nW.
func (f field) parseMonthDay(text string) (match, *fault) {
	if text == "L" {
		return match{days: special{last: true}}, nil
	}
	if day, found := strings.CutSuffix(text, "W"); found {
		if n, ok := number(day, 2); ok && n >= f.min && n <= f.max {
			return match{days: special{nearest: n}}, nil
		}
	}
	return match{}, &fault{problem: quote(text) + ": expected L alone, for the last day, or a day and W alone, such as 15W, for the Monday to Friday nearest it"}
}

// parseWeekday reads L, nL or n#k.
func (f field) parseWeekday(text string) (match, *fault) {
	if text == "L" {
		var m match
		m.values.add(f.max)
		return m, nil
	}
	day, nth, counted := strings.Cut(text, "#")
	suffix := "#" + nth
	if !counted {
		day, suffix = strings.TrimSuffix(text, "L"), "L"
	}
	k, ok := number(nth, 1)
	wellFormed := day+suffix == text && (!counted || ok && k >= 1 && k <= 5)
	v, failed := f.parseValue(day)
	switch {
	case !wellFormed || failed != nil && failed.fix == "" && !hasZero(day):
		return match{}, &fault{problem: quote(text) + ": expected L alone, for Saturday, a day and L alone, such as 6L, for the last Friday of the month, or a day, # and 1 to 5 alone, such as 6#3, for the third"}
	case hasZero(day):
		return match{}, &fault{"days of the week count from 1 (SUN) to 7 (SAT), not from 0", "1" + suffix}
	case failed != nil:
		return match{}, &fault{failed.problem, failed.fix + suffix}
	case !isNumber(day):
		return match{}, &fault{quote(text) + ": before L and # a day is a number, from 1 (SUN) to 7 (SAT)", strconv.Itoa(v) + suffix}
	case counted:
		return match{days: special{nthWeekday: v, nth: k}}, nil
	default:
		return match{days: special{lastWeekday: v}}, nil
	}
}
