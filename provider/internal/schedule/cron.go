package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// maxExpression is what EventBridge takes as a rule's schedule, in bytes.
	maxExpression = 256
	// maxText leaves room for white space that Expression does not keep.
	maxText = 4 * maxExpression
)

// Cron is a valid cron expression, made by ParseCron.
type Cron struct {
	fields  [fieldCount]string
	meaning meaning
}

// ParseCron reads a cron expression: cron(0 12 * * ? *), or its six fields alone
// as in 0 12 * * ? *. The package's documentation says what is accepted. The
// error is an *Error; every expression in its DidYouMean is one that ParseCron
// accepts.
func ParseCron(expr string) (Cron, error) {
	if len(expr) > maxText {
		return Cron{}, tooLong(expr, len(expr))
	}
	texts, wrong := split(expr)
	if wrong == nil {
		var c Cron
		c, wrong = newCron(texts)
		switch n := len(c.Expression()); {
		case wrong == nil && n > maxExpression:
			return Cron{}, tooLong(expr, n)
		case wrong == nil:
			return c, nil
		}
	}
	failure := wrong.Error
	failure.Kind, failure.Given = kindCron, expr
	failure.DidYouMean = accepted(wrong.meant)
	return Cron{}, &failure
}

func tooLong(expr string, length int) *Error {
	return &Error{Kind: kindCron, Given: expr, Problem: fmt.Sprintf("EventBridge takes %d characters, this has %d; write lists as ranges or steps", maxExpression, length)}
}

// Expression renders the expression as EventBridge takes it: cron(0 12 * * ? *),
// with single spaces and otherwise as it was given.
func (c Cron) Expression() string { return "cron(" + strings.Join(c.fields[:], " ") + ")" }

// Equal says whether both fire at the same minutes, however they are written:
// 0/15 and 0,15,30,45, or MON-FRI and 2-6.
func (c Cron) Equal(other Cron) bool { return c.meaning == other.meaning }

// mistake is an error with expressions that might have been meant, which may
// have further mistakes.
type mistake struct {
	Error
	meant [][fieldCount]string
}

// newCron reads six fields, none of them empty.
func newCron(texts [fieldCount]string) (Cron, *mistake) {
	var matches [fieldCount]match
	for i, f := range grammar() {
		m, failed := f.parse(texts[i])
		if failed != nil {
			wrong := &mistake{Error: Error{Field: f.name, Problem: failed.problem, Allowed: f.allowed()}}
			if failed.fix != "" {
				wrong.meant = append(wrong.meant, replaced(texts, i, failed.fix))
			}
			return Cron{}, wrong
		}
		matches[i] = m
	}
	if wrong := oneDayField(texts); wrong != nil {
		return Cron{}, wrong
	}
	c := Cron{fields: texts, meaning: meaningOf(matches)}
	if !c.meaning.fires() {
		wrong := &mistake{Error: Error{Field: "day-of-month", Problem: quote(texts[dayOfMonth]) + ": no month and year of this expression has that day, so it would never fire"}}
		if matches[dayOfMonth].any {
			wrong.Error = Error{Field: "day-of-week", Problem: quote(texts[dayOfWeek]) + ": no month and year of this expression has a fifth one, so it would never fire"}
		} else {
			wrong.meant = append(wrong.meant, replaced(texts, dayOfMonth, "L"))
		}
		return Cron{}, wrong
	}
	return c, nil
}

// oneDayField holds that exactly one of the two day fields is ?.
func oneDayField(texts [fieldCount]string) *mistake {
	days, weekdays := texts[dayOfMonth], texts[dayOfWeek]
	if (days == "?") != (weekdays == "?") {
		return nil
	}
	wrong := &mistake{Error: Error{Field: "day-of-month and day-of-week"}}
	wrong.Problem = fmt.Sprintf("EventBridge needs ? in exactly one of them, got %s and %s", days, weekdays)
	if days == "?" {
		wrong.meant = append(wrong.meant, replaced(texts, dayOfMonth, "*"))
		return wrong
	}
	if days == "*" {
		// Every day, or those days of the week alone.
		position := dayOfMonth
		if weekdays == "*" {
			position = dayOfWeek
		}
		wrong.meant = append(wrong.meant, replaced(texts, position, "?"))
		return wrong
	}
	wrong.meant = append(wrong.meant, replaced(texts, dayOfWeek, "?"))
	if weekdays != "*" {
		wrong.Problem += "; days of both kinds need a rule each"
		wrong.meant = append(wrong.meant, replaced(texts, dayOfMonth, "?"))
	}
	return wrong
}

// accepted is those of the expressions that are valid, mended where they have
// further mistakes.
func accepted(meant [][fieldCount]string) []string {
	// One for each field, the day fields together, and the number of fields.
	return mended(meant, fieldCount+2)
}

func mended(meant [][fieldCount]string, rounds int) []string {
	var valid []string
	for _, texts := range meant {
		c, wrong := newCron(texts)
		found := []string{c.Expression()}
		switch {
		case wrong != nil && rounds > 0:
			found = mended(wrong.meant, rounds-1)
		case wrong != nil:
			found = nil
		}
		for _, expression := range found {
			if len(expression) <= maxExpression && !slices.Contains(valid, expression) {
				valid = append(valid, expression)
			}
		}
	}
	return valid
}

func replaced(texts [fieldCount]string, position int, text string) [fieldCount]string {
	texts[position] = text
	return texts
}

// meaning is when an expression fires, the same for all ways to write it. A day
// must match both day fields, of which ? matches all.
type meaning struct {
	minutes, hours, days, months, weekdays, years set
	special                                       special
}

func meaningOf(m [fieldCount]match) meaning {
	all := meaning{
		minutes: m[minutes].values, hours: m[hours].values, days: m[dayOfMonth].values,
		months: m[month].values, weekdays: m[dayOfWeek].values, years: m[year].values,
	}
	all.special = m[dayOfMonth].days
	if m[dayOfMonth].any {
		all.special = m[dayOfWeek].days
	}
	return all
}

// fires says whether there is a day that matches.
func (m meaning) fires() bool {
	for y := firstYear; y <= lastYear; y++ {
		if !m.years.has(y - firstYear) {
			continue
		}
		for month := time.January; month <= time.December; month++ {
			if m.months.has(int(month)) && m.firesIn(y, month) {
				return true
			}
		}
	}
	return false
}

func (m meaning) firesIn(year int, month time.Month) bool {
	days := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	switch {
	case m.special.nth > 0:
		first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Weekday()
		ahead := (m.special.nthWeekday - 1 - int(first) + 7) % 7
		return 1+ahead+7*(m.special.nth-1) <= days
	case m.special != special{}:
		return true
	}
	for day := 1; day <= days; day++ {
		if m.days.has(day) {
			return true
		}
	}
	return false
}
