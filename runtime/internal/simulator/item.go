package simulator

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DynamoDB's limits on items.
const (
	maxItemBytes = 400 << 10
	maxDepth     = 32
)

// attribute is one attribute of an item.
type attribute struct {
	name  string
	value types.AttributeValue
	// size is what it counts for, its name included.
	size int
}

func newAttribute(name string, value types.AttributeValue) attribute {
	return attribute{name, value, len(name) + valueBytes(value)}
}

// item is an item's attributes in order of their names. It is never changed once
// it is stored. nil is no item.
type item []attribute

func (it item) find(name string) (at int, found bool) {
	low, high := 0, len(it)
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch c := strings.Compare(it[middle].name, name); {
		case c == 0:
			return middle, true
		case c < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return low, false
}

// get returns an attribute's value, or nil.
func (it item) get(name string) types.AttributeValue {
	if at, found := it.find(name); found {
		return it[at].value
	}
	return nil
}

// put sets an attribute of an item that is still being made.
func (it item) put(name string, value types.AttributeValue) item {
	at, found := it.find(name)
	if found {
		it[at] = newAttribute(name, value)
		return it
	}
	return slices.Insert(it, at, newAttribute(name, value))
}

// drop removes an attribute of an item that is still being made.
func (it item) drop(name string) item {
	if at, found := it.find(name); found {
		return slices.Delete(it, at, at+1)
	}
	return it
}

// importItem reads an item as the SDK has it.
func importItem(in map[string]types.AttributeValue) (item, error) {
	out := make(item, 0, len(in))
	for name, value := range in {
		out = append(out, attribute{name: name, value: value})
	}
	slices.SortFunc(out, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	for i, a := range out {
		value, err := importValue(a.value, 1)
		if err != nil {
			return nil, err
		}
		out[i] = newAttribute(a.name, value)
	}
	return out, nil
}

// importValue checks a value and gives it the form that is stored.
func importValue(value types.AttributeValue, depth int) (types.AttributeValue, error) {
	if depth > maxDepth {
		return nil, invalid("Nesting Levels have exceeded supported limits")
	}
	switch v := value.(type) {
	case *types.AttributeValueMemberS, *types.AttributeValueMemberB, *types.AttributeValueMemberBOOL:
		return value, nil
	case *types.AttributeValueMemberNULL:
		if !v.Value {
			return nil, invalid("One or more parameter values were invalid: Null attribute value types must have the value of true")
		}
		return value, nil
	case *types.AttributeValueMemberN:
		n, err := canonical(v.Value)
		if err != nil || n == v.Value {
			return value, err
		}
		return &types.AttributeValueMemberN{Value: n}, nil
	case *types.AttributeValueMemberM:
		m := make(map[string]types.AttributeValue, len(v.Value))
		for name, element := range v.Value {
			checked, err := importValue(element, depth+1)
			if err != nil {
				return nil, err
			}
			m[name] = checked
		}
		return &types.AttributeValueMemberM{Value: m}, nil
	case *types.AttributeValueMemberL:
		l := make([]types.AttributeValue, len(v.Value))
		for i, element := range v.Value {
			checked, err := importValue(element, depth+1)
			if err != nil {
				return nil, err
			}
			l[i] = checked
		}
		return &types.AttributeValueMemberL{Value: l}, nil
	case *types.AttributeValueMemberSS:
		return value, checkSet(v.Value, "string")
	case *types.AttributeValueMemberNS:
		n := make([]string, len(v.Value))
		for i, element := range v.Value {
			var err error
			if n[i], err = canonical(element); err != nil {
				return nil, err
			}
		}
		return &types.AttributeValueMemberNS{Value: n}, checkSet(n, "number")
	case *types.AttributeValueMemberBS:
		s := make([]string, len(v.Value))
		for i, element := range v.Value {
			s[i] = string(element)
		}
		return value, checkSet(s, "binary")
	}
	return nil, invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

func checkSet(elements []string, kind string) error {
	if len(elements) == 0 {
		return invalid("One or more parameter values were invalid: An %s set  may not be empty", kind)
	}
	s := slices.Sorted(slices.Values(elements))
	if len(slices.Compact(s)) < len(elements) {
		return invalid("One or more parameter values were invalid: Input collection %v contains duplicates.", elements)
	}
	return nil
}

// export is the item as the SDK has it; nil if there is none.
func (it item) export() map[string]types.AttributeValue {
	if it == nil {
		return nil
	}
	out := make(map[string]types.AttributeValue, len(it))
	for _, a := range it {
		out[a.name] = a.value
	}
	return out
}

// only is the item's attributes of the given names.
func (it item) only(names []string) map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(names))
	for _, name := range names {
		if v := it.get(name); v != nil {
			out[name] = v
		}
	}
	return out
}

// bytes is the item's size as it is counted.
func (it item) bytes() int {
	n := 0
	for _, a := range it {
		n += a.size
	}
	return n
}

func valueBytes(value types.AttributeValue) int {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberM:
		n := 3
		for name, element := range v.Value {
			n += 1 + len(name) + valueBytes(element)
		}
		return n
	case *types.AttributeValueMemberL:
		n := 3
		for _, element := range v.Value {
			n += 1 + valueBytes(element)
		}
		return n
	case *types.AttributeValueMemberSS:
		n := 0
		for _, element := range v.Value {
			n += len(element)
		}
		return n
	case *types.AttributeValueMemberNS:
		n := 0
		for _, element := range v.Value {
			n += numberSize(element)
		}
		return n
	case *types.AttributeValueMemberBS:
		n := 0
		for _, element := range v.Value {
			n += len(element)
		}
		return n
	}
	// A boolean or null.
	return 1
}

// equalValues is whether two stored values are the same; either may be nil.
func equalValues(a, b types.AttributeValue) bool {
	switch v := a.(type) {
	case nil:
		return b == nil
	case *types.AttributeValueMemberS:
		w, ok := b.(*types.AttributeValueMemberS)
		return ok && v.Value == w.Value
	case *types.AttributeValueMemberN:
		w, ok := b.(*types.AttributeValueMemberN)
		return ok && v.Value == w.Value
	case *types.AttributeValueMemberBOOL:
		w, ok := b.(*types.AttributeValueMemberBOOL)
		return ok && v.Value == w.Value
	case *types.AttributeValueMemberNULL:
		_, ok := b.(*types.AttributeValueMemberNULL)
		return ok
	case *types.AttributeValueMemberB:
		w, ok := b.(*types.AttributeValueMemberB)
		return ok && bytes.Equal(v.Value, w.Value)
	case *types.AttributeValueMemberM:
		w, ok := b.(*types.AttributeValueMemberM)
		if !ok || len(v.Value) != len(w.Value) {
			return false
		}
		for name, element := range v.Value {
			if other, found := w.Value[name]; !found || !equalValues(element, other) {
				return false
			}
		}
		return true
	case *types.AttributeValueMemberL:
		w, ok := b.(*types.AttributeValueMemberL)
		return ok && slices.EqualFunc(v.Value, w.Value, equalValues)
	case *types.AttributeValueMemberSS:
		w, ok := b.(*types.AttributeValueMemberSS)
		return ok && equalSets(v.Value, w.Value)
	case *types.AttributeValueMemberNS:
		w, ok := b.(*types.AttributeValueMemberNS)
		return ok && equalSets(v.Value, w.Value)
	case *types.AttributeValueMemberBS:
		w, ok := b.(*types.AttributeValueMemberBS)
		if !ok || len(v.Value) != len(w.Value) {
			return false
		}
		for _, element := range v.Value {
			if !slices.ContainsFunc(w.Value, func(e []byte) bool { return bytes.Equal(e, element) }) {
				return false
			}
		}
		return true
	}
	return false
}

// equal is whether two items are the same; nil is none.
func (it item) equal(other item) bool {
	return (it == nil) == (other == nil) && slices.EqualFunc(it, other, func(a, b attribute) bool {
		return a.name == b.name && equalValues(a.value, b.value)
	})
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// compareValues orders two values of one type that has an order.
func compareValues(a, b types.AttributeValue) (order int, comparable bool) {
	switch v := a.(type) {
	case *types.AttributeValueMemberS:
		if w, ok := b.(*types.AttributeValueMemberS); ok {
			return strings.Compare(v.Value, w.Value), true
		}
	case *types.AttributeValueMemberN:
		if w, ok := b.(*types.AttributeValueMemberN); ok {
			return compareNumbers(v.Value, w.Value), true
		}
	case *types.AttributeValueMemberB:
		if w, ok := b.(*types.AttributeValueMemberB); ok {
			return bytes.Compare(v.Value, w.Value), true
		}
	}
	return 0, false
}

// kindName is a value's type as AWS's messages name it.
func kindName(value types.AttributeValue) string {
	switch value.(type) {
	case *types.AttributeValueMemberS:
		return "S"
	case *types.AttributeValueMemberN:
		return "N"
	case *types.AttributeValueMemberB:
		return "B"
	case *types.AttributeValueMemberBOOL:
		return "BOOL"
	case *types.AttributeValueMemberNULL:
		return "NULL"
	case *types.AttributeValueMemberM:
		return "M"
	case *types.AttributeValueMemberL:
		return "L"
	case *types.AttributeValueMemberSS:
		return "SS"
	case *types.AttributeValueMemberNS:
		return "NS"
	case *types.AttributeValueMemberBS:
		return "BS"
	}
	return "nothing"
}
