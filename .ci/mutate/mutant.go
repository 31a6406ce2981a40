package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a file with one place changed.
type mutant struct {
	// name says where and what, without line numbers, so that it lasts.
	name, file string
	// text stands for what is from one offset to another.
	from, to int
	text     string
	kind     kind
}

// kind is what a mutant changes: a statement, or an expression of that type.
type kind string

const (
	statement  kind = ""
	boolean    kind = "bool"
	cond       kind = "Cond"
	conds      kind = "[]Cond"
	assignment kind = "Assignment"
)

// words are files and functions that only put things into words: no promise rests on
// them.
var words = []string{"report.go", "metrics.go", "String", "Error", "target"}

// mutantsOf are the mutants of a folder's code.
func mutantsOf(folder string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || slices.Contains(words, filepath.Base(file)) {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		v := &visitor{file: file, source: source, base: fset.File(tree.Pos()).Base()}
		for _, d := range tree.Decls {
			v.declaration(d)
		}
		all = append(all, v.mutants...)
	}
	return distinct(all), nil
}

// distinct numbers the mutants that have one name.
func distinct(all []mutant) []mutant {
	seen := map[string]int{}
	for i, m := range all {
		seen[m.name]++
		if n := seen[m.name]; n > 1 {
			all[i].name = fmt.Sprintf("%s #%d", m.name, n)
		}
	}
	return all
}

// visitor collects the mutants of a file.
type visitor struct {
	file    string
	source  []byte
	base    int
	within  string
	mutants []mutant
}

func (v *visitor) declaration(d ast.Decl) {
	fn, ok := d.(*ast.FuncDecl)
	if !ok || fn.Body == nil || slices.Contains(words, fn.Name.Name) {
		return
	}
	v.within = fn.Name.Name
	if fn.Recv != nil {
		v.within = strings.TrimLeft(v.text(fn.Recv.List[0].Type), "*") + "." + v.within
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if failing(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.BinaryExpr:
			v.binary(n)
		case *ast.CompositeLit:
			v.literal(n)
			v.negations(n.Elts)
		case *ast.CallExpr:
			v.call(n)
			v.negations(n.Args)
		case *ast.ReturnStmt:
			v.negations(n.Results)
		case *ast.Ident:
			v.identifier(n)
		case *ast.IfStmt:
			v.condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				v.condition(n.Cond)
			}
		case *ast.SwitchStmt:
			v.cases(n)
		case *ast.BlockStmt:
			v.statements(n.List)
		case *ast.CaseClause:
			v.statements(n.Body)
		}
		return true
	})
}

func (v *visitor) offset(p token.Pos) int { return int(p) - v.base }

func (v *visitor) text(n ast.Node) string {
	return string(v.source[v.offset(n.Pos()):v.offset(n.End())])
}

// short is a node's text on one line.
func (v *visitor) short(n ast.Node) string {
	text := strings.Join(strings.Fields(v.text(n)), " ")
	if runes := []rune(text); len(runes) > 90 {
		text = string(runes[:90]) + "…"
	}
	return text
}

// replace is a mutant that has a text instead of a condition.
func (v *visitor) replace(n ast.Expr, text string) {
	v.replaceAs(v.short(n)+" => "+strings.Join(strings.Fields(text), " "), n, boolean, text)
}

// replaceAs is the same, under a name that says what it does.
func (v *visitor) replaceAs(what string, n ast.Node, k kind, text string) {
	v.add(what, v.offset(n.Pos()), v.offset(n.End()), k, text)
}

func (v *visitor) add(what string, from, to int, k kind, text string) {
	v.mutants = append(v.mutants, mutant{
		name: fmt.Sprintf("%s %s: %s", filepath.ToSlash(v.file), v.within, what), file: v.file,
		from: from, to: to, kind: k, text: text,
	})
}
