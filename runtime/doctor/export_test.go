package doctor

import "encoding/json"

// Allows is whether a function's policy lets a rule invoke it.
func Allows(policy []byte, rule string) (allows bool, err error) {
	var p struct{ Statement []statement }
	if err := json.Unmarshal(policy, &p); err != nil {
		return false, err
	}
	for _, s := range p.Statement {
		allows = allows || s.allows(rule)
	}
	return allows, nil
}

// PrefixesOf are the prefixes of pk that a filter's pattern lets through.
func PrefixesOf(pattern string) []string { return prefixesOf(pattern) }
