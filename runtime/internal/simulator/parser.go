package simulator

import (
	"fmt"
	"slices"
	"strings"
)

// The kinds of expression, as AWS's messages name them.
const (
	kindCondition  = "ConditionExpression"
	kindUpdate     = "UpdateExpression"
	kindProjection = "ProjectionExpression"
	kindFilter     = "FilterExpression"
	kindKey        = "KeyConditionExpression"
)

// Limits on expressions.
const (
	maxExpressionBytes = 4096
	maxOperators       = 300
)

// parser reads one expression. Errors unwind it as panics of *parseError.
type parser struct {
	kind    string
	lexemes []lexeme
	at      int
	// program collects the aliases and placeholders of a request's expressions.
	program   *program
	operators int
}

// parseError is AWS's message about an expression.
type parseError struct{ message string }

func (p *parser) fail(format string, args ...any) {
	panic(&parseError{"Invalid " + p.kind + ": " + fmt.Sprintf(format, args...)})
}

// parse reads an expression by a rule, to its end.
func (prog *program) parse(kind, text string, rule func(*parser)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *parseError:
			err = invalid("%s", r.message)
		default:
			panic(r)
		}
	}()
	p := &parser{kind: kind, program: prog}
	if text == "" {
		p.fail("The expression can not be empty;")
	}
	if len(text) > maxExpressionBytes {
		p.fail("Expression size has exceeded the maximum allowed size;")
	}
	p.lexemes, err = lex(text)
	if err != nil {
		return invalid("Invalid %s: %s", kind, err)
	}
	rule(p)
	if p.peek().kind != tokenEnd {
		p.unexpected()
	}
	return nil
}

func (p *parser) peek() lexeme { return p.lexemes[p.at] }

func (p *parser) unexpected() { p.fail("%s", (&syntaxError{p.peek()}).Error()) }

func (p *parser) take() lexeme {
	l := p.lexemes[p.at]
	if l.kind != tokenEnd {
		p.at++
	}
	return l
}

// sign takes a sign if it is next.
func (p *parser) sign(s string) bool {
	if l := p.peek(); l.kind == tokenSign && l.text == s {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.sign(s) {
		p.unexpected()
	}
}

// word takes a keyword, in any case, if it is next.
func (p *parser) word(w string) bool {
	if l := p.peek(); l.kind == tokenWord && strings.EqualFold(l.text, w) {
		p.at++
		return true
	}
	return false
}

// function takes a function's name with its parenthesis, if it is next.
func (p *parser) function(name string) bool {
	if l := p.peek(); l.kind == tokenWord && l.text == name && p.lexemes[p.at+1] == (lexeme{tokenSign, "("}) {
		p.at += 2
		return true
	}
	return false
}

func (p *parser) anyFunction() (name string, ok bool) {
	l := p.peek()
	return l.text, l.kind == tokenWord && p.lexemes[p.at+1] == (lexeme{tokenSign, "("})
}

// path reads an attribute.
func (p *parser) path() operand {
	var o operand
	switch l := p.take(); l.kind {
	case tokenName:
		o.number = p.program.alias(&p.program.names, l.text, p.kind)
	case tokenWord:
		if reserved(l.text) {
			p.fail("Attribute name is a reserved keyword; reserved keyword: %s", l.text)
		}
		if digit(l.text[0]) || l.text[0] == '_' {
			p.at--
			p.unexpected()
		}
		o.literal = l.text
	default:
		p.at--
		p.unexpected()
	}
	if l := p.peek(); l.kind == tokenSign && (l.text == "." || l.text == "[") {
		notSimulated("the document path %q in a %s", p.text(), p.kind)
	}
	return o
}

// text is the expression around what is next, for messages.
func (p *parser) text() string {
	var b strings.Builder
	for _, l := range p.lexemes[max(p.at-2, 0):min(p.at+3, len(p.lexemes)-1)] {
		b.WriteString(l.text)
	}
	return b.String()
}

// operand reads an attribute or a value.
func (p *parser) operand() operand {
	if name, ok := p.anyFunction(); ok {
		p.refuseFunction(name)
	}
	if l := p.peek(); l.kind == tokenValue {
		p.at++
		return operand{value: true, number: p.program.alias(&p.program.values, l.text, p.kind)}
	}
	return p.path()
}

// unknown are the functions that AWS has and the simulator has not.
var unknown = []string{"attribute_type", "contains", "size", "list_append"}

func (p *parser) refuseFunction(name string) {
	if slices.Contains(unknown, name) {
		notSimulated("the function %s in a %s", name, p.kind)
	}
	p.fail("Invalid function name; function: %s", name)
}

// condition reads a condition: OR of AND of tests.
func (p *parser) condition() *condition {
	return p.chain("OR", testOr, func() *condition { return p.chain("AND", testAnd, p.test) })
}

func (p *parser) chain(word string, test comparison, part func() *condition) *condition {
	first := part()
	if !p.word(word) {
		return first
	}
	c := &condition{test: test, parts: []*condition{first}}
	for {
		p.operator()
		c.parts = append(c.parts, part())
		if !p.word(word) {
			return c
		}
	}
}

func (p *parser) operator() {
	if p.operators++; p.operators > maxOperators {
		p.fail("The expression contains too many operators;")
	}
}

func (p *parser) test() *condition {
	p.operator()
	if p.sign("(") {
		c := p.condition()
		p.expect(")")
		if c.wrapped {
			p.fail("The expression has redundant parentheses;")
		}
		c.wrapped = true
		return c
	}
	if l := p.peek(); l.kind == tokenWord && strings.EqualFold(l.text, "NOT") {
		notSimulated("NOT in a %s", p.kind)
	}
	switch {
	case p.function("attribute_exists"):
		return p.existence(testExists, "attribute_exists")
	case p.function("attribute_not_exists"):
		return p.existence(testAbsent, "attribute_not_exists")
	case p.function("begins_with"):
		c := &condition{test: testBeginsWith}
		c.operands[0] = p.operand()
		p.expect(",")
		c.operands[1] = p.operand()
		p.expect(")")
		return c
	}
	return p.compare()
}

func (p *parser) existence(test comparison, name string) *condition {
	c := &condition{test: test}
	o := p.operand()
	if o.value {
		p.fail("Operator or function requires a document path; operator or function: %s", name)
	}
	c.operands[0] = o
	p.expect(")")
	return c
}

func (p *parser) compare() *condition {
	c := &condition{}
	c.operands[0] = p.operand()
	l := p.peek()
	switch test, ok := comparisons[l.text]; {
	case l.kind == tokenSign && ok:
		p.at++
		c.test = test
		c.operands[1] = p.operand()
		if c.operands[0] == c.operands[1] && !c.operands[0].value {
			p.fail("The first operand must be distinct from the remaining operands for this operator or function; operator: %s", l.text)
		}
	case p.word("BETWEEN"):
		c.test = testBetween
		c.operands[1] = p.operand()
		if !p.word("AND") {
			p.unexpected()
		}
		c.operands[2] = p.operand()
	case l.kind == tokenWord && strings.EqualFold(l.text, "IN"):
		notSimulated("IN in a %s", p.kind)
	default:
		p.unexpected()
	}
	return c
}

// projection reads a list of attributes.
func (p *parser) projection() []operand {
	paths := []operand{p.path()}
	for p.sign(",") {
		paths = append(paths, p.path())
	}
	return paths
}
