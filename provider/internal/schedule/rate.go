package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// ParseRate reads a rate expression as strictly as AWS does. The error is an
// *Error.
func ParseRate(expr string) (Cadence, error) {
	c, problem := looseRate(expr)
	failure := &Error{Kind: kindRate, Given: expr, Problem: problem}
	meant, err := c.Expression()
	if err != nil {
		if bad := (*Error)(nil); problem == "" && errors.As(err, &bad) {
			failure.Field, failure.Problem = bad.Field, bad.Problem
		}
		return Cadence{}, failure
	}
	if problem == "" && meant == expr {
		return c, nil
	}
	if problem == "" {
		failure.Problem = spelling(expr, c)
	}
	failure.DidYouMean = []string{meant}
	return Cadence{}, failure
}

// looseRate reads what is meant as a rate, however it is spelled, and the nearest
// cadence there is if that one is impossible; the problem is then not empty.
func looseRate(expr string) (c Cadence, problem string) {
	const wanted = "expected rate(VALUE UNIT), such as rate(5 minutes)"
	text := strings.ToLower(strings.TrimSpace(expr))
	if strings.HasPrefix(text, "cron") {
		return c, "this is a cron expression; " + wanted
	}
	inner, wrapped := strings.CutPrefix(text, "rate")
	inner = strings.TrimSpace(inner)
	if wrapped {
		inner = strings.TrimSuffix(strings.TrimPrefix(inner, "("), ")")
	}
	digits := strings.TrimSpace(inner)
	unit := strings.TrimLeftFunc(digits, unicode.IsDigit)
	digits = strings.TrimSuffix(digits, unit)
	unit = strings.TrimSpace(unit)
	value, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || value > int64(maxCadence) {
		return c, wanted + ", with a whole number from 1"
	}
	if value == 0 {
		value, problem = 1, "the value is a whole number from 1"
	}
	switch unit {
	case "minute", "minutes", "min", "mins", "m":
		return Cadence{Minutes: value}, problem
	case "hour", "hours", "hr", "hrs", "h":
		return Cadence{Hours: value}, problem
	case "day", "days", "d":
		return Cadence{Days: value}, problem
	case "week", "weeks", "w":
		return Cadence{Days: 7 * value}, problem
	case "second", "seconds", "sec", "secs", "s":
		return Cadence{Minutes: max(1, value/60)}, "the finest unit is the minute"
	default:
		return Cadence{}, fmt.Sprintf("unit %s: expected minute, hour or day for a value of 1, else minutes, hours or days", quote(unit))
	}
}

// spelling says which rule of writing a rate was broken that means c.
func spelling(expr string, c Cadence) string {
	p := c.set()[0]
	switch expr {
	case fmt.Sprintf("rate(1 %s)", p.plural()):
		return "a value of 1 takes the singular, " + p.name
	case fmt.Sprintf("rate(%d %s)", p.value, p.name):
		return "a value above 1 takes the plural, " + p.plural()
	default:
		return "expected rate(VALUE UNIT) in lower case: a number without leading zeros, one space, and minute, hour or day, in the plural above 1"
	}
}
