package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// match is what the text of a field matches.
type match struct {
	values set
	any    bool // ?
	days   special
}

// fault is what is wrong with the text of a field.
type fault struct {
	problem string
	// fix is the text that was meant, or empty if that cannot be told. It may
	// have further faults.
	fix string
}

// parse reads the text of a field, which is not empty.
func (f field) parse(text string) (match, *fault) {
	if upper := strings.ToUpper(text); upper != text {
		return match{}, &fault{quote(text) + ": names and wildcards are in upper case", upper}
	}
	switch {
	case text == "*":
		return match{values: f.all()}, nil
	case text == "?" && f.allows("?"):
		return match{values: f.all(), any: true}, nil
	case text == "?":
		return match{}, &fault{"? stands for the day that does not matter, in day-of-month or day-of-week only", "*"}
	case f.allows("W") && strings.ContainsAny(text, "LW"):
		return f.parseMonthDay(text)
	case f.allows("#") && strings.ContainsAny(text, "L#"):
		return f.parseWeekday(text)
	}
	return f.parseList(text)
}

func (f field) parseList(text string) (match, *fault) {
	var m match
	elements := strings.Split(text, ",")
	for i, element := range elements {
		replaced := func(fix string) string {
			list := append([]string{}, elements...)
			list[i] = fix
			return strings.Join(list, ",")
		}
		switch {
		case element == "":
			filled := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
			return match{}, &fault{quote(text) + ": a comma stands between two values", strings.Join(filled, ",")}
		case element == "*" || element == "?":
			return match{}, &fault{quote(text) + ": " + element + " stands alone, not in a list", element}
		}
		low, high, step, failed := f.parseElement(element)
		if failed != nil {
			if failed.fix != "" {
				failed.fix = replaced(failed.fix)
			}
			if f.allows("#") && hasZero(element) {
				failed = &fault{"days of the week count from 1 (SUN) to 7 (SAT), not from 0", fromUnixWeekdays(text)}
			}
			return match{}, failed
		}
		for v := low; v <= high; v += step {
			m.values.add(f.index(v))
		}
	}
	return m, nil
}

// parseElement reads one value, range or step: every step-th from low to high.
func (f field) parseElement(element string) (low, high, step int, failed *fault) {
	base, interval, stepped := strings.Cut(element, "/")
	if base == "" {
		return 0, 0, 0, &fault{quote(element) + ": a step needs a first value", "*" + element}
	}
	switch from, to, isRange := strings.Cut(base, "-"); {
	case base == "*":
		low, high = f.min, f.max
	case isRange:
		if low, high, failed = f.parseRange(from, to); failed != nil {
			if failed.fix != "" && stepped {
				failed.fix += "/" + interval
			}
			return 0, 0, 0, failed
		}
	default:
		if low, failed = f.parseValue(base); failed != nil {
			if failed.fix != "" && stepped {
				failed.fix += "/" + interval
			}
			return 0, 0, 0, failed
		}
		high = low
		if stepped {
			high = f.max
		}
	}
	if !stepped {
		return f.upwards(element, low, high, 1)
	}
	step, ok := number(interval, len(strconv.Itoa(f.size())))
	if !ok || step < 1 || step >= f.size() {
		failed = &fault{problem: fmt.Sprintf("%s: a step is a whole number from 1 to %d", quote(element), f.size()-1)}
		if ok && step == f.size() && high == f.max {
			failed.fix = f.render(low)
		}
		return 0, 0, 0, failed
	}
	if low, high, step, failed = f.upwards(element, low, high, step); failed == nil && !f.allows("/") {
		failed = &fault{quote(element) + ": steps are not documented for this field", f.list(low, high, step)}
	}
	return low, high, step, failed
}

// upwards refuses a range that passes the field's end and begins again.
func (f field) upwards(element string, low, high, step int) (int, int, int, *fault) {
	if low <= high {
		return low, high, step, nil
	}
	fix := f.list(low, high+f.size(), step)
	switch {
	case f.min == firstYear:
		fix = strings.Replace(element, fmt.Sprintf("%d-%d", low, high), fmt.Sprintf("%d-%d", high, low), 1)
	case step == 1:
		fix = f.renderRange(low, f.max) + "," + f.renderRange(f.min, high)
	}
	return 0, 0, 0, &fault{quote(element) + ": a range goes upwards", fix}
}

func (f field) parseRange(from, to string) (low, high int, failed *fault) {
	if from == "" || to == "" {
		return 0, 0, &fault{problem: quote(from+"-"+to) + ": a range needs both ends"}
	}
	if low, failed = f.parseValue(from); failed != nil {
		if failed.fix != "" {
			failed.fix += "-" + to
		}
		return 0, 0, failed
	}
	if high, failed = f.parseValue(to); failed != nil {
		past, ok := number(to, 2)
		switch {
		case ok && past == f.max+1 && low == f.min:
			failed.fix = from + "-" + f.render(f.max)
		case ok && past == f.max+1:
			failed.fix = ""
		case failed.fix != "":
			failed.fix = from + "-" + failed.fix
		}
		return 0, 0, failed
	}
	if isNumber(from) != isNumber(to) {
		return 0, 0, &fault{quote(from+"-"+to) + ": a range goes from a number to a number or from a name to a name", f.renderRange(low, high)}
	}
	return low, high, nil
}

// parseValue reads one number or name.
func (f field) parseValue(text string) (int, *fault) {
	digits := len(strconv.Itoa(f.max))
	if f.max < 10 {
		digits = 2
	}
	if v, ok := number(text, digits); ok {
		if v >= f.min && v <= f.max {
			return v, nil
		}
		failed := &fault{problem: text + " is out of range"}
		switch {
		case f.min == 0 && v == f.max+1:
			failed.fix = "0"
		case f.min == firstYear && len(text) == 2:
			failed.fix = strconv.Itoa(2000 + v)
		}
		return 0, failed
	}
	for i, name := range f.names {
		switch {
		case text == name[:3]:
			return f.min + i, nil
		case len(text) > 3 && strings.HasPrefix(name, text):
			return 0, &fault{quote(text) + ": names have three letters", name[:3]}
		}
	}
	return 0, &fault{problem: quote(text) + " is neither a value of this field nor a wildcard that it takes"}
}

// number reads up to so many decimal digits and nothing else.
func number(text string, most int) (int, bool) {
	if len(text) > most || !isNumber(text) {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

func isNumber(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsDigit(r) }) < 0
}
