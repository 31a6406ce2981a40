package iampolicy

import (
	"encoding/json"
	"maps"
	"slices"
)

// document is an IAM policy.
type document struct {
	Version   string
	Statement []statement
}

// statement allows some actions on some resources.
type statement struct {
	Sid       string
	Effect    string
	Action    []string
	Resource  []string
	Condition conditions `json:",omitempty"`
}

// conditions are, by operator and key, the values that are allowed.
type conditions map[string]map[string][]string

// The operators in use. ForAllValues is about keys of many values, such as the
// attributes that a request names: each must be one of those allowed.
const (
	allLike  = "ForAllValues:StringLike"
	allEqual = "ForAllValues:StringEquals"
	equals   = "StringEquals"
	ifEquals = "StringEqualsIfExists"
)

// The keys in use.
const (
	keyLeading    = "dynamodb:LeadingKeys"
	keyAttributes = "dynamodb:Attributes"
	keySelect     = "dynamodb:Select"
	keyReturn     = "dynamodb:ReturnValues"
	keyViaService = "kms:ViaService"
)

func allow(sid string, resources []string, actions ...string) statement {
	slices.Sort(actions)
	resources = slices.Sorted(slices.Values(resources))
	return statement{Sid: sid, Effect: "Allow", Action: actions, Resource: resources}
}

func (s statement) when(operator, key string, values ...string) statement {
	all := conditions{}
	for o, keys := range s.Condition {
		all[o] = maps.Clone(keys)
	}
	if all[operator] == nil {
		all[operator] = map[string][]string{}
	}
	slices.Sort(values)
	all[operator][key] = slices.Compact(values)
	s.Condition = all
	return s
}

// of narrows a statement to partitions, by the beginnings of their keys.
func (s statement) of(prefixes ...string) statement {
	patterns := make([]string, len(prefixes))
	for i, p := range prefixes {
		patterns[i] = p + "*"
	}
	return s.when(allLike, keyLeading, patterns...)
}

// naming narrows it to requests that name no other attributes than the table's key
// and these.
func (s statement) naming(attributes ...[]string) statement {
	return s.when(allEqual, keyAttributes, slices.Concat(attributes...)...)
}

// selecting narrows reads to those that name the attributes which they want, and
// whatever else is given: without it, a request that names none would get them all.
func (s statement) selecting(more ...string) statement {
	return s.when(ifEquals, keySelect, append(more, "SPECIFIC_ATTRIBUTES")...)
}

// silent narrows updates to those that return nothing: what they return is not among
// the attributes that they name.
func (s statement) silent() statement { return s.when(ifEquals, keyReturn, "NONE") }

// json is the policy, always the same for the same one.
func (d document) json() (string, error) {
	text, err := json.Marshal(d)
	return string(text), err
}
