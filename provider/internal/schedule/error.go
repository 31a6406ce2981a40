package schedule

import (
	"fmt"
	"strings"
)

// Error says what is wrong with a schedule and, where that can be told, what was
// meant.
type Error struct {
	// Kind is what was being read: "cron expression", "rate expression" or
	// "cadence".
	Kind string
	// Given is the whole text as given; empty for a cadence.
	Given string
	// Field is the name of the field of a cron expression, or of the attribute of
	// a cadence, that is wrong; empty if it is no single one.
	Field string
	// Problem is what is wrong with it.
	Problem string
	// Allowed is what the field may hold; empty if Problem says it.
	Allowed string
	// DidYouMean is whole expressions that are valid and might have been meant.
	DidYouMean []string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("invalid " + e.Kind)
	if e.Kind != kindCadence {
		b.WriteString(" " + quote(e.Given))
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Problem)
	if e.Allowed != "" {
		b.WriteString("; allowed: " + e.Allowed)
	}
	if len(e.DidYouMean) > 0 {
		b.WriteString("; did you mean `" + strings.Join(e.DidYouMean, "` or `") + "`?")
	}
	return b.String()
}

const (
	kindCadence = "cadence"
	kindCron    = "cron expression"
	kindRate    = "rate expression"
)

// quote keeps a message short whatever was given.
func quote(text string) string {
	const most = 100
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
