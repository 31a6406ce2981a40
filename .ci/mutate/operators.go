package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// binary takes an operand off, moves a bound, or turns an equality round.
func (v *visitor) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND, token.LOR:
		v.replace(n, v.text(n.X))
		v.replace(n, v.text(n.Y))
		return
	}
	if ofError(n) {
		return
	}
	other, ok := map[token.Token]string{
		token.EQL: "!=", token.NEQ: "==",
		token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	}[n.Op]
	if ok {
		v.replace(n, v.text(n.X)+" "+other+" "+v.text(n.Y))
	}
}

// ofError is whether it is asked whether there is an error: whether each error is
// handed on is another question.
func ofError(n ast.Expr) bool {
	b, ok := n.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	x, ok := b.X.(*ast.Ident)
	return ok && x.Name == "err" && (b.Op == token.NEQ || b.Op == token.EQL)
}

// failing is whether a statement returns an error and nothing else: nobody is to look
// at the nothing.
func failing(n ast.Node) bool {
	r, ok := n.(*ast.ReturnStmt)
	if !ok || len(r.Results) < 2 {
		return false
	}
	for _, e := range r.Results[:len(r.Results)-1] {
		if !nothing(e) {
			return false
		}
	}
	switch last := r.Results[len(r.Results)-1].(type) {
	case *ast.Ident:
		return last.Name == "err"
	case *ast.CallExpr:
		f, ok := last.Fun.(*ast.SelectorExpr)
		return ok && f.Sel.Name == "Errorf"
	}
	return false
}

// nothing is whether an expression is a zero value.
func nothing(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "false"
	case *ast.BasicLit:
		return e.Value == "0" || e.Value == `""`
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}

// negations takes the nots off: what is no condition of a statement is one of somebody
// else's.
func (v *visitor) negations(list []ast.Expr) {
	for _, e := range list {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if n, ok := e.(*ast.UnaryExpr); ok && n.Op == token.NOT {
			v.replace(n, v.text(n.X))
		}
	}
}

// condition turns a condition round, where none of its parts is.
func (v *visitor) condition(c ast.Expr) {
	if b, ok := c.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) || ofError(c) {
		return
	}
	v.replace(c, "!("+v.text(c)+")")
}

// cases takes the cases of a switch out, one by one.
func (v *visitor) cases(n *ast.SwitchStmt) {
	for _, s := range n.Body.List {
		c, ok := s.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, e := range c.List {
			switch {
			case ofError(e):
			case n.Tag == nil:
				v.replaceAs("never "+v.short(e), e, boolean, "false")
			case n.Init == nil && simple(n.Tag):
				// What is equal to nothing else goes on to the default, or past it.
				v.withoutCase(n, c, e)
			}
		}
	}
}

// simple is whether an expression may be evaluated twice.
func simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return simple(e.X)
	}
	return false
}

// withoutCase takes a value out of the cases of a switch.
func (v *visitor) withoutCase(n *ast.SwitchStmt, c *ast.CaseClause, e ast.Expr) {
	whole := v.text(n)
	from, to := v.offset(c.Pos())-v.offset(n.Pos()), v.offset(c.End())-v.offset(n.Pos())
	rest := ""
	if len(c.List) > 1 {
		rest = v.text(c)
		at := v.offset(c.List[0].Pos()) - v.offset(c.Pos())
		end := v.offset(c.List[len(c.List)-1].End()) - v.offset(c.Pos())
		rest = rest[:at] + v.listWithout(c.List, e) + rest[end:]
	}
	v.replaceAs("no case "+v.short(e), n, statement, whole[:from]+rest+whole[to:])
}

// listWithout is a list of expressions without one of them.
func (v *visitor) listWithout(list []ast.Expr, e ast.Expr) string {
	var rest []string
	for _, other := range list {
		if other != e {
			rest = append(rest, v.text(other))
		}
	}
	return strings.Join(rest, ", ")
}

// literal takes the elements of a write's lists, and of lists of attributes, out
// one by one.
func (v *visitor) literal(n *ast.CompositeLit) {
	if n.Type == nil {
		return
	}
	typ := v.text(n.Type)
	attributes := typ == "[]string" && strings.Contains(strings.ToLower(v.text(n)), "attr")
	if !attributes && !slices.Contains([]string{"[]Cond", "[]Assignment", "[]Addition"}, typ) {
		return
	}
	for _, e := range n.Elts {
		v.replaceAs("without "+v.short(e), n, kind(typ), typ+"{"+v.listWithout(n.Elts, e)+"}")
	}
}

// otherCalls are calls that differ in a bound, or in what they say of nothing.
var otherCalls = map[string]string{
	"atMost": "below", "below": "atMost", "equalOrAbsent": "equal", "setIfAbsent": "set",
}

func (v *visitor) call(n *ast.CallExpr) {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		if other, ok := otherCalls[fun.Name]; ok {
			k := cond
			if other == "set" {
				k = assignment
			}
			v.replaceAs(v.short(n)+" => "+other, n, k, other+v.text(n)[len(fun.Name):])
		}
		if fun.Name == "anyOf" {
			for _, e := range n.Args {
				v.replaceAs("without "+v.short(e), n, cond, "anyOf("+v.listWithout(n.Args, e)+")")
			}
		}
		if fun.Name != "append" || n.Ellipsis != token.NoPos {
			return
		}
		if k, ok := v.ofWrite(n.Args[0]); ok {
			for _, e := range n.Args[1:] {
				v.replaceAs("without "+v.short(e), n, k, "append("+v.listWithout(n.Args, e)+")")
			}
		}
	case *ast.SelectorExpr:
		if len(n.Args) != 1 {
			return
		}
		// The two agree but for the same instant.
		switch fun.Sel.Name {
		case "Before":
			v.replace(n, "!"+v.text(fun.X)+".After("+v.text(n.Args[0])+")")
		case "After":
			v.replace(n, "!"+v.text(fun.X)+".Before("+v.text(n.Args[0])+")")
		}
	}
}

// ofWrite is the type of a write's list, or of a new one.
func (v *visitor) ofWrite(e ast.Expr) (kind, bool) {
	if call, ok := e.(*ast.CallExpr); ok && v.text(call.Fun) == "make" {
		k := kind(v.text(call.Args[0]))
		return k, slices.Contains([]kind{conds, "[]Assignment", "[]Addition"}, k)
	}
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	k, ok := map[string]kind{"If": conds, "Set": "[]Assignment", "Add": "[]Addition", "Remove": "[]string"}[s.Sel.Name]
	return k, ok
}

// identifier says yes for no: consistent reads among others.
func (v *visitor) identifier(n *ast.Ident) {
	switch n.Name {
	case "true":
		v.swapBool(n, "false")
	case "false":
		v.swapBool(n, "true")
	}
}

func (v *visitor) swapBool(n *ast.Ident, other string) {
	line := v.source[:v.offset(n.Pos())]
	start := strings.LastIndexByte(string(line), '\n') + 1
	end := strings.IndexByte(string(v.source[start:]), '\n') + start
	v.replaceAs(other+" in "+strings.TrimSpace(string(v.source[start:end])), n, boolean, other)
}

// statements leaves a step out, and takes two that others may see in the other
// order.
func (v *visitor) statements(list []ast.Stmt) {
	for i, s := range list {
		if !isStep(v, s) {
			continue
		}
		v.replaceAs("no step "+v.short(s), s, statement, "")
		if i+1 == len(list) || !isStep(v, list[i+1]) || !v.hasEffect(s) || !v.hasEffect(list[i+1]) {
			continue
		}
		next := list[i+1]
		v.add("first "+v.short(next)+", then "+v.short(s), v.offset(s.Pos()), v.offset(next.End()), statement, v.text(next)+"; "+v.text(s))
	}
}

// effects are in what talks to the world, or looks at the clock.
var effects = []string{"ctx", ".writing", ".computing", "Now()", "now()", "pause(", "sleep("}

func (v *visitor) hasEffect(s ast.Stmt) bool {
	return slices.ContainsFunc(effects, func(word string) bool { return strings.Contains(v.text(s), word) })
}

// isStep is whether a statement is a call, or changes something, that matters.
func isStep(v *visitor, s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		for _, word := range []string{"log.", "Log.", "Lock(", "Unlock(", "WriteString(", "WriteByte("} {
			if strings.Contains(v.text(s), word) {
				return false
			}
		}
		return true
	case *ast.IncDecStmt:
		return true
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	}
	return false
}
