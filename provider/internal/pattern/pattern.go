// Package pattern has regular expressions that are compiled when they are first
// used. Terraform starts a provider several times for each command, and most of those
// times need few of its expressions.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Make one with New.
type Pattern struct{ compiled func() *regexp.Regexp }

// New returns the pattern of an expression, which must be valid: its first use
// panics otherwise.
func New(expression string) Pattern {
	return Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// Match is whether it matches a text.
func (p Pattern) Match(text string) bool { return p.compiled().MatchString(text) }

// Parts are what it matches of a text, as a whole and then by its groups; nil if it
// does not match.
func (p Pattern) Parts(text string) []string { return p.compiled().FindStringSubmatch(text) }
