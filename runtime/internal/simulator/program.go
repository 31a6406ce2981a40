package simulator

import (
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// expressions are the texts of one request's expressions; a nil one is absent.
type expressions struct {
	condition, update, projection, filter, key *string
}

// texts identify a program.
type texts struct {
	has                                        [5]bool
	condition, update, projection, filter, key string
}

func (e expressions) texts() texts {
	var t texts
	for i, x := range [5]struct {
		from *string
		to   *string
	}{{e.condition, &t.condition}, {e.update, &t.update}, {e.projection, &t.projection}, {e.filter, &t.filter}, {e.key, &t.key}} {
		if x.from != nil {
			t.has[i], *x.to = true, *x.from
		}
	}
	return t
}

// program is the parsed expressions of one request.
type program struct {
	condition, filter, key *condition
	update                 *update
	targets                []operand
	projection             []operand
	// names and values are the aliases and placeholders used, by number.
	names, values []alias
	err           error
	empty         bool
}

// alias is an alias or placeholder, with the kind of expression it stands in.
type alias struct{ text, kind string }

func (prog *program) alias(list *[]alias, text, kind string) int {
	for i, a := range *list {
		if a.text == text {
			return i
		}
	}
	*list = append(*list, alias{text, kind})
	return len(*list) - 1
}

// Expressions keeps parsed expressions. It is safe for concurrent use.
type Expressions struct {
	mu         sync.RWMutex
	programs   map[texts]*program
	statements map[string]*statement
}

// NewExpressions returns an empty store of parsed expressions.
func NewExpressions() *Expressions {
	return &Expressions{programs: map[texts]*program{}, statements: map[string]*statement{}}
}

// program is the parsed form of a request's expressions.
func (x *Expressions) program(e expressions) *program {
	key := e.texts()
	x.mu.RLock()
	prog, ok := x.programs[key]
	x.mu.RUnlock()
	if ok {
		return prog
	}
	prog = parseProgram(e)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.programs[key] = prog
	return prog
}

func parseProgram(e expressions) *program {
	prog := &program{empty: e == expressions{}}
	read := func(kind string, text *string, rule func(*parser)) {
		if text != nil && prog.err == nil {
			prog.err = prog.parse(kind, *text, rule)
		}
	}
	read(kindUpdate, e.update, func(p *parser) { prog.update = p.update() })
	read(kindCondition, e.condition, func(p *parser) { prog.condition = p.condition() })
	read(kindKey, e.key, func(p *parser) { prog.key = p.condition() })
	read(kindFilter, e.filter, func(p *parser) { prog.filter = p.condition() })
	read(kindProjection, e.projection, func(p *parser) { prog.projection = p.projection() })
	if prog.update != nil {
		prog.targets = prog.update.targets()
	}
	return prog
}

// scratch is memory that one request after the other uses.
type scratch struct {
	bound   bound
	charges []charge
}

// bind finds a request's program and its names and values, and says what AWS
// would say of them. The result is valid until the next bind.
func (db *DB) bind(e expressions, names map[string]string, values map[string]types.AttributeValue) (*program, *bound, error) {
	prog := db.config.Expressions.program(e)
	if err := prog.checkMaps(names, values); err != nil {
		return nil, nil, err
	}
	if prog.err != nil {
		return nil, nil, prog.err
	}
	b := &db.scratch.bound
	b.names, b.values = b.names[:0], b.values[:0]
	for _, a := range prog.names {
		name, ok := names[a.text]
		if !ok {
			return nil, nil, invalid("Invalid %s: An expression attribute name used in the document path is not defined; attribute name: %s", a.kind, a.text)
		}
		if name == "" {
			return nil, nil, invalid("ExpressionAttributeNames contains invalid value: Empty attribute name; key: %s", a.text)
		}
		b.names = append(b.names, name)
	}
	for _, a := range prog.values {
		value, ok := values[a.text]
		if !ok {
			return nil, nil, invalid("Invalid %s: An expression attribute value used in expression is not defined; attribute value: %s", a.kind, a.text)
		}
		checked, err := importValue(value, 1)
		if err != nil {
			return nil, nil, err
		}
		b.values = append(b.values, checked)
	}
	if len(names) > len(prog.names) {
		return nil, nil, unused("ExpressionAttributeNames", names, prog.names)
	}
	if len(values) > len(prog.values) {
		return nil, nil, unused("ExpressionAttributeValues", values, prog.values)
	}
	return prog, b, prog.check(b)
}

func (prog *program) checkMaps(names map[string]string, values map[string]types.AttributeValue) error {
	switch {
	case names != nil && prog.empty:
		return invalid("ExpressionAttributeNames can only be specified when using expressions")
	case values != nil && prog.empty:
		return invalid("ExpressionAttributeValues can only be specified when using expressions")
	case names != nil && len(names) == 0:
		return invalid("ExpressionAttributeNames must not be empty")
	case values != nil && len(values) == 0:
		return invalid("ExpressionAttributeValues must not be empty")
	}
	return nil
}

func unused[V any](what string, given map[string]V, used []alias) error {
	var keys []string
	for key := range given {
		if !slices.ContainsFunc(used, func(a alias) bool { return a.text == key }) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return invalid("Value provided in %s unused in expressions: keys: {%s}", what, strings.Join(keys, ", "))
}

func (prog *program) check(b *bound) error {
	for _, c := range [3]struct {
		kind string
		c    *condition
	}{{kindCondition, prog.condition}, {kindFilter, prog.filter}, {kindKey, prog.key}} {
		if c.c == nil {
			continue
		}
		if err := c.c.check(c.kind, b); err != nil {
			return err
		}
	}
	for i, o := range prog.projection {
		for _, other := range prog.projection[:i] {
			if b.name(o) == b.name(other) {
				return overlap(kindProjection, b.name(o))
			}
		}
	}
	return nil
}

// projected is what a read shows of an item.
func (prog *program) projected(it item, b *bound) map[string]types.AttributeValue {
	if prog.projection == nil {
		return it.export()
	}
	out := make(map[string]types.AttributeValue, len(prog.projection))
	for _, o := range prog.projection {
		name := b.name(o)
		if v := it.get(name); v != nil {
			out[name] = v
		}
	}
	return out
}
