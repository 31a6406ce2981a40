package simulator

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// assignment is one action of SET.
type assignment struct {
	target operand
	// unless is the attribute of if_not_exists, where there is one.
	unless    operand
	hasUnless bool
	source    operand
}

// addition is one action of ADD.
type addition struct{ target, amount operand }

// update is an update expression.
type update struct {
	set    []assignment
	add    []addition
	remove []operand
}

// targets are the attributes that the update writes.
func (u *update) targets() []operand {
	out := make([]operand, 0, len(u.set)+len(u.add)+len(u.remove))
	for _, a := range u.set {
		out = append(out, a.target)
	}
	for _, a := range u.add {
		out = append(out, a.target)
	}
	return append(out, u.remove...)
}

// update reads the sections of an update expression.
func (p *parser) update() *update {
	u := &update{}
	seen := map[string]bool{}
	for {
		l := p.peek()
		section := strings.ToUpper(l.text)
		if l.kind != tokenWord {
			p.unexpected()
		}
		if seen[section] {
			p.fail("The %q section can only be used once in an update expression;", section)
		}
		seen[section] = true
		p.at++
		switch section {
		case "SET":
			p.list(func() { u.set = append(u.set, p.assignment()) })
		case "ADD":
			p.list(func() { u.add = append(u.add, addition{p.path(), p.placeholder()}) })
		case "REMOVE":
			p.list(func() { u.remove = append(u.remove, p.path()) })
		case "DELETE":
			notSimulated("DELETE in an %s", p.kind)
		default:
			p.at--
			p.unexpected()
		}
		if p.peek().kind == tokenEnd {
			return u
		}
	}
}

func (p *parser) list(element func()) {
	for {
		p.operator()
		element()
		if !p.sign(",") {
			return
		}
	}
}

func (p *parser) placeholder() operand {
	if p.peek().kind != tokenValue {
		p.unexpected()
	}
	return p.operand()
}

func (p *parser) assignment() assignment {
	a := assignment{target: p.path()}
	p.expect("=")
	if p.function("if_not_exists") {
		a.hasUnless = true
		a.unless = p.path()
		p.expect(",")
		a.source = p.operand()
		p.expect(")")
	} else {
		a.source = p.operand()
	}
	if l := p.peek(); l.kind == tokenSign && (l.text == "+" || l.text == "-") {
		notSimulated("the arithmetic operator %s in an %s", l.text, p.kind)
	}
	return a
}

// check is what AWS finds wrong with an update before it looks at the item.
func (u *update) check(key schema, b *bound, paths []operand) error {
	for i, target := range paths {
		name := b.name(target)
		if key.has(name) {
			return invalid("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", name)
		}
		for _, other := range paths[:i] {
			if b.name(other) == name {
				return overlap(kindUpdate, name)
			}
		}
	}
	for _, a := range u.add {
		switch v := b.values[a.amount.number].(type) {
		case *types.AttributeValueMemberN:
		case *types.AttributeValueMemberSS, *types.AttributeValueMemberNS, *types.AttributeValueMemberBS:
			notSimulated("ADD of a set in an %s", kindUpdate)
		default:
			return badOperand(kindUpdate, "ADD", v)
		}
	}
	return nil
}

func overlap(kind, name string) error {
	return invalid("Invalid %s: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [%s], path two: [%s]", kind, name, name)
}

// apply is the item after the update; key is its key, for an item that is not
// there yet. Every right-hand side is that of the item as it was.
func (u *update) apply(old item, key item, b *bound) (item, error) {
	from := old
	if old == nil {
		from = key
	}
	next := append(make(item, 0, len(from)+len(u.set)+len(u.add)), from...)
	for _, a := range u.set {
		v, err := a.value(old, b)
		if err != nil {
			return nil, err
		}
		next = next.put(b.name(a.target), v)
	}
	for _, a := range u.add {
		name := b.name(a.target)
		amount, isNumber := b.values[a.amount.number].(*types.AttributeValueMemberN)
		var sum types.AttributeValue
		switch had := old.get(name).(type) {
		case nil:
			sum = amount
		case *types.AttributeValueMemberN:
			n, err := addNumbers(had.Value, amount.Value)
			if err != nil {
				return nil, err
			}
			sum = &types.AttributeValueMemberN{Value: n}
		default:
			isNumber = false
		}
		if !isNumber {
			return nil, invalid("An operand in the update expression has an incorrect data type")
		}
		next = next.put(name, sum)
	}
	for _, o := range u.remove {
		next = next.drop(b.name(o))
	}
	return slices.Clip(next), nil
}

func (a assignment) value(old item, b *bound) (types.AttributeValue, error) {
	if a.hasUnless {
		if v := old.get(b.name(a.unless)); v != nil {
			return v, nil
		}
	}
	if v := b.value(a.source, old); v != nil {
		return v, nil
	}
	return nil, invalid("The provided expression refers to an attribute that does not exist in the item")
}
