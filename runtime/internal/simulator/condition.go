package simulator

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// operand is an attribute or a value of an expression.
type operand struct {
	// literal is an attribute's name as it stands in the expression; otherwise
	// number is that of an alias, or of a value.
	literal string
	number  int
	value   bool
}

// comparison is what a test does.
type comparison uint8

const (
	testAnd comparison = iota
	testOr
	testExists
	testAbsent
	testEqual
	testUnequal
	testBelow
	testAtMost
	testAbove
	testAtLeast
	testBetween
	testBeginsWith
)

var comparisons = map[string]comparison{
	"=": testEqual, "<>": testUnequal, "<": testBelow, "<=": testAtMost, ">": testAbove, ">=": testAtLeast,
}

// condition is a condition of any kind: of a write, a filter, or a key.
type condition struct {
	test comparison
	// operands of a test: left, right, and for BETWEEN the upper bound.
	operands [3]operand
	parts    []*condition
	// wrapped is set if it stood in parentheses.
	wrapped bool
}

// bound are the names and values of one request.
type bound struct {
	names  []string
	values []types.AttributeValue
}

func (b *bound) name(o operand) string {
	if o.literal != "" {
		return o.literal
	}
	return b.names[o.number]
}

func (b *bound) value(o operand, it item) types.AttributeValue {
	if o.value {
		return b.values[o.number]
	}
	return it.get(b.name(o))
}

// holds is whether a condition holds for an item; nil is no item.
func (c *condition) holds(it item, b *bound) bool {
	switch c.test {
	case testAnd:
		for _, part := range c.parts {
			if !part.holds(it, b) {
				return false
			}
		}
		return true
	case testOr:
		for _, part := range c.parts {
			if part.holds(it, b) {
				return true
			}
		}
		return false
	}
	left := b.value(c.operands[0], it)
	switch c.test {
	case testExists:
		return left != nil
	case testAbsent:
		return left == nil
	}
	right := b.value(c.operands[1], it)
	switch c.test {
	case testEqual:
		return left != nil && equalValues(left, right)
	case testUnequal:
		return left == nil || right == nil || !equalValues(left, right)
	case testBeginsWith:
		return beginsWith(left, right)
	}
	order, comparable := compareValues(left, right)
	if !comparable {
		return false
	}
	switch c.test {
	case testBelow:
		return order < 0
	case testAtMost:
		return order <= 0
	case testAbove:
		return order > 0
	case testAtLeast:
		return order >= 0
	}
	// BETWEEN.
	upper, comparable := compareValues(left, b.value(c.operands[2], it))
	return comparable && order >= 0 && upper <= 0
}

func beginsWith(value, prefix types.AttributeValue) bool {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		p, ok := prefix.(*types.AttributeValueMemberS)
		return ok && strings.HasPrefix(v.Value, p.Value)
	case *types.AttributeValueMemberB:
		p, ok := prefix.(*types.AttributeValueMemberB)
		return ok && strings.HasPrefix(string(v.Value), string(p.Value))
	}
	return false
}

// check is what AWS finds wrong with the values of a condition before it looks at
// any item.
func (c *condition) check(kind string, b *bound) error {
	for _, part := range c.parts {
		if err := part.check(kind, b); err != nil {
			return err
		}
	}
	word, ordered := orderedTests[c.test]
	if !ordered {
		return nil
	}
	for _, o := range c.operands[:c.test.operands()] {
		if !o.value {
			continue
		}
		switch v := b.values[o.number].(type) {
		case *types.AttributeValueMemberS, *types.AttributeValueMemberB:
			continue
		case *types.AttributeValueMemberN:
			if c.test != testBeginsWith {
				continue
			}
			return badOperand(kind, word, v)
		default:
			return badOperand(kind, word, v)
		}
	}
	if c.test != testBetween || !c.operands[1].value || !c.operands[2].value {
		return nil
	}
	lower, upper := b.values[c.operands[1].number], b.values[c.operands[2].number]
	order, comparable := compareValues(lower, upper)
	switch {
	case !comparable:
		return invalid("Invalid %s: The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {%s}, upper bound operand: AttributeValue: {%s}", kind, kindName(lower), kindName(upper))
	case order > 0:
		return invalid("Invalid %s: The BETWEEN operator requires upper bound to be greater than or equal to lower bound", kind)
	}
	return nil
}

var orderedTests = map[comparison]string{
	testBelow: "<", testAtMost: "<=", testAbove: ">", testAtLeast: ">=", testBetween: "BETWEEN", testBeginsWith: "begins_with",
}

func (c comparison) operands() int {
	switch c {
	case testExists, testAbsent:
		return 1
	case testBetween:
		return 3
	}
	return 2
}

func badOperand(kind, word string, v types.AttributeValue) error {
	return invalid("Invalid %s: Incorrect operand type for operator or function; operator or function: %s, operand type: %s", kind, word, kindName(v))
}
