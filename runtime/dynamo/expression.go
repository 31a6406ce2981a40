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
	// text is that of all its expressions, which are cut from it, and so are the
	// aliases: a check builds three requests, and texts of their own would be most
	// of what it allocates beside the SDK.
	text   strings.Builder
	names  map[string]string
	values map[string]types.AttributeValue
	// last is the value that was added last, under lastAlias: what repeats at once
	// is sent once.
	last      signal.Value
	lastAlias string
}

// bytesPerName is about how much text there is for a name.
const bytesPerName = 28

// newExpression is one with room for so many names and values.
func newExpression(names, values int) *expression {
	e := &expression{names: make(map[string]string, names), values: make(map[string]types.AttributeValue, values)}
	e.text.Grow(names * bytesPerName)
	return e
}

// expressionOf has room for a write's. Of values few writes have more than a map
// keeps without a table.
func expressionOf(w protocol.Write) *expression {
	names := len(w.If) + len(w.Set) + len(w.Add) + len(w.Remove)
	for _, c := range w.If {
		// They are about one attribute in most cases, whose name is repeated.
		names += len(c.Any) / 2
	}
	return newExpression(names, min(8, names))
}

// write adds to the text.
func (e *expression) write(parts ...string) {
	for _, p := range parts {
		e.text.WriteString(p)
	}
}

// cut is the text that was written since there were so many bytes of it.
func (e *expression) cut(from int) string { return e.text.String()[from:] }

func (e *expression) name(attr string) {
	from := e.text.Len()
	e.write("#", attr)
	e.names[e.cut(from)] = attr
}

func (e *expression) value(v signal.Value) {
	if e.lastAlias != "" && e.last.Equal(v) {
		e.write(e.lastAlias)
		return
	}
	from := e.text.Len()
	e.write(":v", strconv.Itoa(len(e.values)))
	e.last, e.lastAlias = v, e.cut(from)
	e.values[e.lastAlias] = encode(v)
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
	from := e.text.Len()
	e.tests(conds, " AND ")
	return e.cut(from)
}

func (e *expression) tests(conds []protocol.Cond, between string) {
	for i, c := range conds {
		if i > 0 {
			e.write(between)
		}
		e.test(c)
	}
}

func (e *expression) test(c protocol.Cond) {
	switch c.Test {
	case protocol.Exists:
		e.function("attribute_exists", c.Attr)
	case protocol.Absent:
		e.function("attribute_not_exists", c.Attr)
	case protocol.Below:
		e.comparison(c, " < ")
	case protocol.AtMost:
		e.comparison(c, " <= ")
	case protocol.Above:
		e.comparison(c, " > ")
	case protocol.AnyOf:
		e.write("(")
		e.tests(c.Any, " OR ")
		e.write(")")
	default:
		e.comparison(c, " = ")
	}
}

func (e *expression) function(name, attr string) {
	e.write(name, "(")
	e.name(attr)
	e.write(")")
}

func (e *expression) comparison(c protocol.Cond, operator string) {
	e.name(c.Attr)
	e.write(operator)
	e.value(c.Value)
}

func (e *expression) update(w protocol.Write) string {
	from := e.text.Len()
	clause := func(word string, n int, part func(i int)) {
		for i := range n {
			switch {
			case i > 0:
				e.write(", ")
			case e.text.Len() > from:
				e.write(" ", word, " ")
			default:
				e.write(word, " ")
			}
			part(i)
		}
	}
	clause("SET", len(w.Set), func(i int) { e.assignment(w.Set[i]) })
	clause("ADD", len(w.Add), func(i int) {
		e.name(w.Add[i].Attr)
		e.write(" ")
		e.value(signal.N(w.Add[i].By))
	})
	clause("REMOVE", len(w.Remove), func(i int) { e.name(w.Remove[i]) })
	return e.cut(from)
}

func (e *expression) assignment(a protocol.Assignment) {
	e.name(a.Attr)
	e.write(" = ")
	if a.From == "" {
		e.value(a.Value)
		return
	}
	e.write("if_not_exists(")
	e.name(a.From)
	e.write(", ")
	e.value(a.Value)
	e.write(")")
}

// projection is the list of attributes to read.
func (e *expression) projection(attrs []string) *string {
	if len(attrs) == 0 {
		return nil
	}
	from := e.text.Len()
	for i, a := range attrs {
		if i > 0 {
			e.write(", ")
		}
		e.name(a)
	}
	list := e.cut(from)
	return &list
}
