package dynamo

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// expression collects the aliases of the expressions of one request.
type expression struct {
	names  map[string]string
	values map[string]types.AttributeValue
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, values: map[string]types.AttributeValue{}}
}

func (e *expression) name(attr string) string {
	alias := "#" + attr
	e.names[alias] = attr
	return alias
}

func (e *expression) value(v signal.Value) string {
	alias := ":v" + strconv.Itoa(len(e.values))
	e.values[alias] = encode(v)
	return alias
}

// namesOrNil and valuesOrNil are what DynamoDB wants where a request uses none:
// an empty map is rejected.
func (e *expression) namesOrNil() map[string]string {
	if len(e.names) == 0 {
		return nil
	}
	return e.names
}

func (e *expression) valuesOrNil() map[string]types.AttributeValue {
	if len(e.values) == 0 {
		return nil
	}
	return e.values
}

func (e *expression) condition(conds []protocol.Cond) string {
	parts := make([]string, len(conds))
	for i, c := range conds {
		parts[i] = e.test(c)
	}
	return strings.Join(parts, " AND ")
}

func (e *expression) test(c protocol.Cond) string {
	switch c.Test {
	case protocol.Exists:
		return "attribute_exists(" + e.name(c.Attr) + ")"
	case protocol.Absent:
		return "attribute_not_exists(" + e.name(c.Attr) + ")"
	case protocol.Below:
		return e.name(c.Attr) + " < " + e.value(c.Value)
	case protocol.AtMost:
		return e.name(c.Attr) + " <= " + e.value(c.Value)
	case protocol.Above:
		return e.name(c.Attr) + " > " + e.value(c.Value)
	case protocol.AnyOf:
		parts := make([]string, len(c.Any))
		for i, a := range c.Any {
			parts[i] = e.test(a)
		}
		return "(" + strings.Join(parts, " OR ") + ")"
	default:
		return e.name(c.Attr) + " = " + e.value(c.Value)
	}
}

func (e *expression) update(w protocol.Write) string {
	var b strings.Builder
	clause := func(word string, n int, part func(i int) string) {
		for i := range n {
			switch {
			case i > 0:
				b.WriteString(", ")
			case b.Len() > 0:
				b.WriteString(" " + word + " ")
			default:
				b.WriteString(word + " ")
			}
			b.WriteString(part(i))
		}
	}
	clause("SET", len(w.Set), func(i int) string {
		a := w.Set[i]
		right := e.value(a.Value)
		if a.From != "" {
			right = "if_not_exists(" + e.name(a.From) + ", " + right + ")"
		}
		return e.name(a.Attr) + " = " + right
	})
	clause("ADD", len(w.Add), func(i int) string {
		return e.name(w.Add[i].Attr) + " " + e.value(signal.N(w.Add[i].By))
	})
	clause("REMOVE", len(w.Remove), func(i int) string { return e.name(w.Remove[i]) })
	return b.String()
}

// projection is the list of attributes to read.
func (e *expression) projection(attrs []string) *string {
	if len(attrs) == 0 {
		return nil
	}
	aliases := make([]string, len(attrs))
	for i, a := range attrs {
		aliases[i] = e.name(a)
	}
	list := strings.Join(aliases, ", ")
	return &list
}
