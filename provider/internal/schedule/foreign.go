package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// split takes an expression apart into its six fields. What it cannot, it tries
// to recognise as the way another scheduler writes one.
func split(expr string) ([fieldCount]string, *mistake) {
	inner, wrong := unwrap(strings.TrimSpace(expr))
	fields := strings.Fields(inner)
	if wrong == nil && len(fields) == fieldCount {
		// With seconds first and no year, as Quartz writes it.
		if fields[year] == "?" {
			return [fieldCount]string{}, miscounted("the fields seem to begin with seconds, which EventBridge has not, and to lack the year", append(fields[1:], "*"))
		}
		return [fieldCount]string(fields), nil
	}
	if wrong != nil {
		if len(fields) == fieldCount {
			wrong.meant = append(wrong.meant, [fieldCount]string(fields))
		}
		return [fieldCount]string{}, wrong
	}
	tight := strings.Fields(regexp.MustCompile(`\s*([,/-])\s*`).ReplaceAllString(inner, "$1"))
	switch {
	case len(fields) > fieldCount && len(tight) == fieldCount:
		return [fieldCount]string{}, miscounted("there is no space beside a comma, dash or slash", tight)
	case len(fields) == 5 && strings.Contains(inner, "?"):
		return [fieldCount]string{}, miscounted("got five: the year seems to be missing", append(fields, "*"))
	case len(fields) == 5:
		weekday := fromUnixWeekdays(fields[dayOfWeek])
		return [fieldCount]string{}, miscounted("got five, as Unix cron writes it", append(fields[:dayOfWeek], weekday, "*"))
	case len(fields) == 7:
		return [fieldCount]string{}, miscounted("got seven: EventBridge has no seconds", fields[1:])
	default:
		return [fieldCount]string{}, miscounted("got "+strconv.Itoa(len(fields)), nil)
	}
}

// unwrap removes cron( and ).
func unwrap(text string) (string, *mistake) {
	if inner, found := strings.CutPrefix(text, "cron("); found && strings.HasSuffix(inner, ")") {
		return strings.TrimSuffix(inner, ")"), nil
	}
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(lower, "rate"):
		wrong := &mistake{Error: Error{Problem: "this is a rate; set a cadence instead, such as cadence = { minutes = 5 }"}}
		if c, _ := looseRate(text); c.Duration() != 0 {
			p := c.set()[0]
			wrong.Problem = fmt.Sprintf("this is a rate; set cadence = { %s = %d } instead", p.plural(), p.value)
		}
		return "", wrong
	case strings.HasPrefix(lower, "at("):
		return "", &mistake{Error: Error{Problem: "at(...) fires once; a bucket needs a schedule that repeats"}}
	case strings.HasPrefix(lower, "@"):
		return nickname(lower), &mistake{Error: Error{Problem: "EventBridge has no names for schedules"}}
	case strings.HasPrefix(lower, "cron"), strings.ContainsAny(text, "()"):
		inner := strings.TrimSpace(text)
		if strings.HasPrefix(lower, "cron") {
			inner = strings.TrimSpace(inner[len("cron"):])
		}
		inner = strings.TrimSuffix(strings.TrimPrefix(inner, "("), ")")
		return inner, &mistake{Error: Error{Problem: "expected cron(MINUTES HOURS DAY-OF-MONTH MONTH DAY-OF-WEEK YEAR), cron in lower case and directly before the parenthesis"}}
	}
	return text, nil
}

func nickname(name string) string {
	switch name {
	case "@hourly":
		return "0 * * * ? *"
	case "@daily", "@midnight":
		return "0 0 * * ? *"
	case "@weekly":
		return "0 0 ? * SUN *"
	case "@monthly":
		return "0 0 1 * ? *"
	case "@yearly", "@annually":
		return "0 0 1 1 ? *"
	}
	return ""
}

func miscounted(what string, meant []string) *mistake {
	wrong := &mistake{Error: Error{Problem: "EventBridge needs six fields (minutes hours day-of-month month day-of-week year); " + what}}
	if len(meant) == fieldCount {
		wrong.meant = append(wrong.meant, [fieldCount]string(meant))
	}
	return wrong
}

// fromUnixWeekdays names the numbers of a Unix day-of-week field, which counts
// from 0, Sunday, to 6, and has Sunday as 7 too; what else there is stays.
func fromUnixWeekdays(text string) string {
	weekdays := grammar()[dayOfWeek]
	list := strings.Split(text, ",")
	for i, element := range list {
		base, step, stepped := strings.Cut(element, "/")
		if base == "0-7" {
			base = "0-6"
		}
		ends := strings.Split(base, "-")
		for j, end := range ends {
			if n, ok := number(end, 2); ok && n <= 7 {
				ends[j] = weekdays.render(weekdays.min + n%7)
			}
		}
		list[i] = strings.Join(ends, "-")
		if stepped {
			list[i] += "/" + step
		}
	}
	return strings.Join(list, ",")
}

// hasZero says whether an element begins or ends with 0, which no field of days
// has.
func hasZero(element string) bool {
	base, _, _ := strings.Cut(element, "/")
	for end := range strings.SplitSeq(base, "-") {
		if n, ok := number(end, 2); ok && n == 0 {
			return true
		}
	}
	return false
}
