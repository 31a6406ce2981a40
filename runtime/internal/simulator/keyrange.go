package simulator

import (
	"math"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// edge is one end of a range of sort keys.
type edge struct {
	key    string
	open   bool // there is no end
	within bool // the key itself is in the range
}

// keyRange is what a key condition selects.
type keyRange struct {
	partition string
	low, high edge
}

// keyRange reads a key condition for a table or index.
func (s schema) keyRange(c *condition, b *bound) (r keyRange, err error) {
	r.low.open, r.high.open = true, true
	parts := []*condition{c}
	switch c.test {
	case testAnd:
		parts = c.parts
	case testOr:
		return r, invalid("Invalid operator used in KeyConditionExpression: OR")
	}
	if len(parts) > 2 {
		return r, invalid("Conditions can be of length 1 or 2 only")
	}
	hashed, ranged := false, false
	for _, part := range parts {
		if err := keyTest(part); err != nil {
			return r, err
		}
		switch name := b.name(part.operands[0]); {
		case name == s.hash.Name && part.test != testEqual:
			return r, invalid("Query key condition not supported")
		case name == s.hash.Name && !hashed:
			hashed = true
			r.partition, err = s.hash.asked(b.values[part.operands[1].number])
		case name == s.ranged.Name && s.sorted() && !ranged:
			ranged = true
			err = r.narrow(s.ranged, part, b)
		case name == s.hash.Name || name == s.ranged.Name:
			return r, invalid("KeyConditionExpressions must only contain one condition per key")
		default:
			return r, invalid("Query condition missed key schema element: %s", s.missed(hashed))
		}
		if err != nil {
			return r, err
		}
	}
	if !hashed {
		return r, invalid("Query condition missed key schema element: %s", s.hash.Name)
	}
	return r, nil
}

func (s schema) missed(hashed bool) string {
	if hashed && s.sorted() {
		return s.ranged.Name
	}
	return s.hash.Name
}

// keyTest is whether a test may stand in a key condition.
func keyTest(c *condition) error {
	switch c.test {
	case testExists, testAbsent, testUnequal:
		word := map[comparison]string{testExists: "attribute_exists", testAbsent: "attribute_not_exists", testUnequal: "<>"}[c.test]
		return invalid("Invalid operator used in KeyConditionExpression: %s", word)
	case testAnd, testOr:
		notSimulated("nested conditions in a %s", kindKey)
	}
	if c.operands[0].value {
		notSimulated("a value on the left in a %s", kindKey)
	}
	for _, o := range c.operands[1:c.test.operands()] {
		if !o.value {
			return invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
		}
	}
	return nil
}

// asked is a key's value in a key condition, encoded.
func (k Key) asked(v types.AttributeValue) (string, error) {
	encoded, ok := k.encode(v)
	if !ok {
		return "", invalid("One or more parameter values were invalid: Condition parameter type does not match schema type")
	}
	if encoded == "" {
		return "", invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", typeWord(k.Type), k.Name)
	}
	return encoded, nil
}

func (r *keyRange) narrow(k Key, c *condition, b *bound) error {
	key, err := k.asked(b.values[c.operands[1].number])
	if err != nil {
		return err
	}
	switch c.test {
	case testEqual:
		r.low, r.high = edge{key: key, within: true}, edge{key: key, within: true}
	case testBelow:
		r.high = edge{key: key}
	case testAtMost:
		r.high = edge{key: key, within: true}
	case testAbove:
		r.low = edge{key: key}
	case testAtLeast:
		r.low = edge{key: key, within: true}
	case testBeginsWith:
		r.low, r.high = edge{key: key, within: true}, above(key)
	case testBetween:
		upper, err := k.asked(b.values[c.operands[2].number])
		if err != nil {
			return err
		}
		r.low, r.high = edge{key: key, within: true}, edge{key: upper, within: true}
	}
	return nil
}

// above is the end of the range of keys that begin with a prefix.
func above(prefix string) edge {
	for last := len(prefix) - 1; last >= 0; last-- {
		if c := prefix[last]; c < 0xff {
			return edge{key: prefix[:last] + string([]byte{c + 1})}
		}
	}
	return edge{open: true}
}

// Before and after every row of a sort key.
const (
	firstOrder = 0
	lastOrder  = math.MaxUint64
)

// start is where a walk of the range begins.
func (r keyRange) start(rows *sorted[*row], forward bool) place {
	if forward {
		if r.low.open {
			return rows.first()
		}
		at, _ := rows.seek(&row{address: address{sk: r.low.key}, order: r.low.order(!r.low.within)})
		return at
	}
	if r.high.open {
		return rows.last()
	}
	at, _ := rows.seek(&row{address: address{sk: r.high.key}, order: r.high.order(r.high.within)})
	return rows.previous(at)
}

func (e edge) order(behind bool) uint64 {
	if behind {
		return lastOrder
	}
	return firstOrder
}

// ends is whether a row is beyond the far end of a walk.
func (r keyRange) ends(sk string, forward bool) bool {
	e, c := r.high, strings.Compare(sk, r.high.key)
	if !forward {
		e, c = r.low, strings.Compare(r.low.key, sk)
	}
	return !e.open && (c > 0 || c == 0 && !e.within)
}

func (r keyRange) contains(a address) bool {
	return a.pk == r.partition && !r.ends(a.sk, true) && !r.ends(a.sk, false)
}
