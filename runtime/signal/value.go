package signal

import (
	"maps"
	"slices"
	"strconv"
)

// Kind is the type of an attribute value.
type Kind uint8

// The kinds that this project reads or writes. Whatever else an item holds is
// KindOther: the application's, carried but never looked into.
const (
	KindAbsent Kind = iota
	KindString
	KindNumber
	KindBool
	KindNull
	KindMap
	KindList
	KindOther
)

// Value is an attribute value, as DynamoDB has them but without its SDK. The
// zero Value is an absent attribute. Values are immutable.
type Value struct {
	kind Kind
	text string
	// inside is nil but for maps and lists: few values are either, and each item has
	// many values.
	inside *inside
}

// inside is what a map or a list holds.
type inside struct {
	fields   map[string]Value
	elements []Value
}

// Item is an item's attributes by name.
type Item map[string]Value

// S is a string.
func S(s string) Value { return Value{kind: KindString, text: s} }

// N is a whole number.
func N(n int64) Value { return Value{kind: KindNumber, text: strconv.FormatInt(n, 10)} }

// Decimal is a number in the decimal text that DynamoDB uses.
func Decimal(text string) Value { return Value{kind: KindNumber, text: text} }

// Bool is a boolean.
func Bool(b bool) Value { return Value{kind: KindBool, text: strconv.FormatBool(b)} }

// Null is the null value, which is not the same as an absent attribute.
func Null() Value { return Value{kind: KindNull} }

// M is a map.
func M(m map[string]Value) Value { return Value{kind: KindMap, inside: &inside{fields: m}} }

// L is a list.
func L(l ...Value) Value { return Value{kind: KindList, inside: &inside{elements: l}} }

// Other stands for a value of a type that this project never looks into.
func Other() Value { return Value{kind: KindOther} }

// Kind is the value's type.
func (v Value) Kind() Kind { return v.kind }

// Exists is whether the attribute is there at all.
func (v Value) Exists() bool { return v.kind != KindAbsent }

// IsNull is whether it is the null value.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Text is the text of a string; "" and false if it is none.
func (v Value) Text() (string, bool) { return v.textOf(KindString) }

// Number is the decimal text of a number; "" and false if it is none.
func (v Value) Number() (string, bool) { return v.textOf(KindNumber) }

func (v Value) textOf(k Kind) (string, bool) {
	if v.kind != k {
		return "", false
	}
	return v.text, true
}

// Int is a number as a whole number; ok is false if it is none.
func (v Value) Int() (n int64, ok bool) {
	if v.kind != KindNumber {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	return n, err == nil
}

// Bool is the boolean's value; ok is false if it is none.
func (v Value) Bool() (b, ok bool) { return v.text == "true", v.kind == KindBool }

// Fields are the entries of a map.
func (v Value) Fields() (map[string]Value, bool) {
	if v.kind != KindMap {
		return nil, false
	}
	return v.inside.fields, true
}

// Elements are the entries of a list.
func (v Value) Elements() ([]Value, bool) {
	if v.kind != KindList {
		return nil, false
	}
	return v.inside.elements, true
}

// Equal is whether two values are the same, as a condition compares them.
// Numbers are compared by their text, which DynamoDB normalises.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.text != w.text {
		return false
	}
	switch v.kind {
	case KindMap:
		return maps.EqualFunc(v.inside.fields, w.inside.fields, Value.Equal)
	case KindList:
		return slices.EqualFunc(v.inside.elements, w.inside.elements, Value.Equal)
	}
	return true
}

// Clone is a copy of the item that shares no map with it.
func (i Item) Clone() Item { return maps.Clone(i) }

// Key is the item's key in the table.
func (i Item) Key() Key { return Key{PK: i.Text(AttrPK), SK: i.Text(AttrSK)} }

// Text is a string attribute's text, or "".
func (i Item) Text(name string) string {
	s, ok := i[name].Text()
	if !ok {
		return ""
	}
	return s
}

// Int is a whole-number attribute, or 0 where it is absent: absent rev and
// attempts count as 0.
func (i Item) Int(name string) int64 {
	n, ok := i[name].Int()
	if !ok {
		return 0
	}
	return n
}
