package iampolicy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// request is what IAM is asked about a call.
type request struct {
	action, resource string
	// context is the condition keys of the request.
	context map[string][]string
}

func (r request) String() string {
	return fmt.Sprintf("%s on %s with %v", r.action, r.resource, r.context)
}

// with is the request with another value of a condition key.
func (r request) with(key string, values ...string) request {
	r.context = maps.Clone(r.context)
	r.context[key] = values
	return r
}

// policy is an IAM policy, as IAM evaluates it.
type policy struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid, Effect      string
	Action, Resource []string
	Condition        map[string]map[string][]string
}

func parsePolicy(t *testing.T, text string) policy {
	t.Helper()
	var p policy
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if p.Version != "2012-10-17" {
		t.Errorf("version %q", p.Version)
	}
	for _, s := range p.Statement {
		if s.Effect != "Allow" {
			t.Errorf("statement %s: effect %q", s.Sid, s.Effect)
		}
	}
	return p
}

func (p policy) clone() policy {
	text, _ := json.Marshal(p)
	var c policy
	_ = json.Unmarshal(text, &c)
	return c
}

func (p policy) allows(r request) bool {
	return slices.ContainsFunc(p.Statement, func(s statement) bool { return s.allows(r) })
}

func (p policy) allowsAll(requests []request) bool {
	return !slices.ContainsFunc(requests, func(r request) bool { return !p.allows(r) })
}

func (s statement) allows(r request) bool {
	if !slices.Contains(s.Action, r.action) || !slices.ContainsFunc(s.Resource, func(pattern string) bool { return like(pattern, r.resource) }) {
		return false
	}
	for operator, keys := range s.Condition {
		for key, allowed := range keys {
			if !holds(operator, allowed, r.context[key]) {
				return false
			}
		}
	}
	return true
}

// holds evaluates a condition; no values are a key that the request does not have.
func holds(operator string, allowed, values []string) bool {
	among := func(match func(pattern, value string) bool) func(string) bool {
		return func(value string) bool {
			return slices.ContainsFunc(allowed, func(pattern string) bool { return match(pattern, value) })
		}
	}
	equal := func(a, b string) bool { return a == b }
	every := func(holds func(string) bool) bool {
		return !slices.ContainsFunc(values, func(v string) bool { return !holds(v) })
	}
	switch operator {
	case "ForAllValues:StringLike":
		return every(among(like))
	case "ForAllValues:StringEquals":
		return every(among(equal))
	case "StringEqualsIfExists":
		return every(among(equal))
	case "StringEquals":
		return len(values) > 0 && every(among(equal))
	}
	panic("no such operator: " + operator)
}

// like matches a text against a pattern in which * is anything.
func like(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}

// smaller are the policies that have one part less each, by what they lack.
func (p policy) smaller() map[string]policy {
	less := map[string]policy{}
	for i, s := range p.Statement {
		cut := func(what string, change func(*statement)) {
			c := p.clone()
			change(&c.Statement[i])
			less[s.Sid+": "+what] = c
		}
		for j, a := range s.Action {
			cut("action "+a, func(s *statement) { s.Action = slices.Delete(s.Action, j, j+1) })
		}
		for j, r := range s.Resource {
			cut("resource "+r, func(s *statement) { s.Resource = slices.Delete(s.Resource, j, j+1) })
		}
		for operator, keys := range s.Condition {
			for key, values := range keys {
				for j, v := range values {
					cut(key+" "+v, func(s *statement) { s.Condition[operator][key] = slices.Delete(s.Condition[operator][key], j, j+1) })
				}
			}
		}
	}
	return less
}

// wider are the policies that lack one condition each, by what it is.
func (p policy) wider() map[string]policy {
	more := map[string]policy{}
	for i, s := range p.Statement {
		for operator, keys := range s.Condition {
			for key := range keys {
				c := p.clone()
				delete(c.Statement[i].Condition[operator], key)
				more[s.Sid+": "+key] = c
			}
		}
	}
	return more
}
