package conformance_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type attributes = map[string]types.AttributeValue

// plain is an item as it can be written down and compared; numbers are num.
type plain map[string]any

type num string

func str(s string) types.AttributeValue    { return &types.AttributeValueMemberS{Value: s} }
func number(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
func boolean(b bool) types.AttributeValue  { return &types.AttributeValueMemberBOOL{Value: b} }
func null() types.AttributeValue           { return &types.AttributeValueMemberNULL{Value: true} }
func object(m attributes) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: m}
}

func list(l ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: l}
}
func set(s ...string) types.AttributeValue { return &types.AttributeValueMemberSS{Value: s} }

// item is an item or key of string attributes: name, value, name, value...
func item(namesAndValues ...any) attributes {
	out := attributes{}
	for i := 0; i < len(namesAndValues); i += 2 {
		name := namesAndValues[i].(string)
		switch v := namesAndValues[i+1].(type) {
		case string:
			out[name] = str(v)
		case int:
			out[name] = number(fmt.Sprint(v))
		case types.AttributeValue:
			out[name] = v
		default:
			panic(fmt.Sprintf("%s: %T", name, v))
		}
	}
	return out
}

func plainItem(in attributes) plain {
	if len(in) == 0 {
		return nil
	}
	out := plain{}
	for name, v := range in {
		// Which partition a case has is not its business.
		if name != "pk" {
			out[name] = plainValue(v)
		}
	}
	return out
}

func plainItems(in []attributes) []plain {
	out := make([]plain, len(in))
	for i, it := range in {
		out[i] = plainItem(it)
	}
	return out
}

func plainValue(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return num(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberNULL:
		return nil
	case *types.AttributeValueMemberM:
		out := plain{}
		for name, e := range v.Value {
			out[name] = plainValue(e)
		}
		return out
	case *types.AttributeValueMemberL:
		out := []any{}
		for _, e := range v.Value {
			out = append(out, plainValue(e))
		}
		return out
	case *types.AttributeValueMemberSS:
		return slices.Sorted(slices.Values(v.Value))
	case *types.AttributeValueMemberNS:
		return slices.Sorted(slices.Values(v.Value))
	case *types.AttributeValueMemberB:
		return v.Value
	case *types.AttributeValueMemberBS:
		out := []string{}
		for _, b := range v.Value {
			out = append(out, string(b))
		}
		slices.Sort(out)
		return out
	}
	return fmt.Sprintf("%T", v)
}

// message is part of an error's text.
type message string

func (m message) within(n message) bool { return strings.Contains(string(n), string(m)) }
