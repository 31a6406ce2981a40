package simulator

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// statement is a parsed statement of PartiQL: an INSERT of parameters, or a DELETE
// of one item on conditions.
type statement struct {
	verb  verb
	table string
	// names are the attributes that an INSERT gives, in the order of its
	// parameters.
	names []string
	// equal are the attributes that a DELETE compares with its parameters, in
	// their order.
	equal []string
	// missing are the attributes that a DELETE wants absent.
	missing    []string
	parameters int
	err        error
}

// statement is the parsed form of a statement.
func (x *Expressions) statement(text string) *statement {
	x.mu.RLock()
	st, ok := x.statements[text]
	x.mu.RUnlock()
	if ok {
		return st
	}
	st = parseStatement(text)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.statements[text] = st
	return st
}

func parseStatement(text string) *statement {
	st := &statement{}
	prog := &program{}
	st.err = prog.parse("statement", text, func(p *parser) {
		switch {
		case p.word("INSERT"):
			p.insertion(st)
		case p.word("DELETE"):
			p.deletion(st)
		default:
			notSimulated("%s in PartiQL", strings.ToUpper(p.peek().String()))
		}
	})
	if st.err != nil {
		st.err = invalid("Statement wasn't well formed, can't be processed: %s", st.err)
	}
	return st
}

func (p *parser) insertion(st *statement) {
	st.verb = verbPut
	p.keyword("INTO")
	st.table = p.quotedName()
	p.keyword("VALUE")
	p.expect("{")
	for {
		l := p.take()
		if l.kind != tokenText {
			p.at--
			p.unexpected()
		}
		st.names = append(st.names, l.text)
		p.expect(":")
		p.parameter(st)
		if !p.sign(",") {
			break
		}
	}
	p.expect("}")
	p.endOfStatement()
}

func (p *parser) deletion(st *statement) {
	st.verb = verbDelete
	p.keyword("FROM")
	st.table = p.quotedName()
	p.keyword("WHERE")
	for {
		name := p.quotedName()
		switch {
		case p.sign("="):
			p.parameter(st)
			st.equal = append(st.equal, name)
		case p.word("IS"):
			if !p.word("MISSING") {
				notSimulated("IS %s in PartiQL", p.peek())
			}
			st.missing = append(st.missing, name)
		default:
			notSimulated("the operator %s in PartiQL", p.peek())
		}
		if !p.word("AND") {
			break
		}
	}
	p.endOfStatement()
}

func (p *parser) keyword(w string) {
	if !p.word(w) {
		p.unexpected()
	}
}

// quotedName reads a name in double quotes, as all of ours are.
func (p *parser) quotedName() string {
	l := p.take()
	if l.kind == tokenWord {
		notSimulated("the unquoted name %s in PartiQL", l.text)
	}
	if l.kind != tokenQuoted {
		p.at--
		p.unexpected()
	}
	return l.text
}

func (p *parser) parameter(st *statement) {
	if l := p.peek(); l.kind == tokenText || l.kind == tokenNumber || l.kind == tokenSign && (l.text == "{" || l.text == "[") {
		notSimulated("the literal %s in PartiQL, where parameters do", l)
	}
	p.expect("?")
	st.parameters++
}

func (p *parser) endOfStatement() {
	if l := p.peek(); l.kind == tokenWord {
		notSimulated("%s in PartiQL", strings.ToUpper(l.text))
	}
}

// request is the write that a statement with its parameters asks for.
func (st *statement) request(db *DB, given types.BatchStatementRequest) (r *writeRequest, prog *program, b *bound, err error) {
	if st.err != nil {
		return nil, nil, nil, st.err
	}
	if len(given.Parameters) != st.parameters {
		return nil, nil, nil, invalid("Number of parameters in request and statement don't match.")
	}
	t, err := db.table(&st.table)
	if err != nil {
		return nil, nil, nil, err
	}
	r = &writeRequest{verb: st.verb, table: &st.table, allOld: given.ReturnValuesOnConditionCheckFailure}
	prog, b = &program{}, &bound{}
	if st.verb == verbPut {
		r.item = make(map[string]types.AttributeValue, len(st.names))
		for i, name := range st.names {
			r.item[name] = given.Parameters[i]
		}
		prog.condition = &condition{test: testAbsent, operands: [3]operand{{literal: t.hash.Name}}}
		return r, prog, b, nil
	}
	r.key = map[string]types.AttributeValue{}
	where := &condition{test: testAnd}
	for i, name := range st.equal {
		checked, err := importValue(given.Parameters[i], 1)
		if err != nil {
			return nil, nil, nil, err
		}
		b.values = append(b.values, checked)
		if t.has(name) && r.key[name] == nil {
			r.key[name] = checked
			continue
		}
		where.parts = append(where.parts, &condition{test: testEqual, operands: [3]operand{{literal: name}, {value: true, number: i}}})
	}
	for _, name := range st.missing {
		where.parts = append(where.parts, &condition{test: testAbsent, operands: [3]operand{{literal: name}}})
	}
	if len(r.key) < len(t.schema.names()) {
		return nil, nil, nil, invalid("Where clause does not contain a mandatory equality on all key attributes")
	}
	prog.condition = where
	return r, prog, b, nil
}
