package dynamo_test

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// An item of whatever types there are is read without a loss of what this project
// looks into, and written as it was read.
func FuzzItem(f *testing.F) {
	for _, item := range []string{
		`{"pk": "availabilitySignal::a::b::c::d", "sk": "2026-07-01", "rev": 5, "gsisk": "dirty"}`,
		`{"availabilityEstimationPattern": {"estimationMode": "tiered", "tiers": [{"id": "low", "maxPercentage": 0.5}]}}`,
		`{"a": null, "b": true, "c": [], "d": {}, "e": {"$": "binary"}, "f": [[{"$": "set"}], null], "g": 1e2, "h": ""}`,
	} {
		f.Add([]byte(item))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var raw map[string]json.RawMessage
		if json.Unmarshal(text, &raw) != nil {
			return
		}
		av := map[string]types.AttributeValue{}
		for name, v := range raw {
			av[name] = attributeOf(v)
		}
		item := dynamo.DecodeItem(av)
		if len(item) != len(av) {
			t.Errorf("%d attributes of %d", len(item), len(av))
		}
		for name, v := range item {
			if want := kindOf(av[name]); v.Kind() != want {
				t.Errorf("%s is of kind %d, want %d", name, v.Kind(), want)
			}
		}
		if opaque(av) {
			return // What is never looked into is never written either.
		}
		if diff := cmp.Diff(av, dynamo.EncodeItem(item), cmpopts.IgnoreUnexported(
			types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberBOOL{},
			types.AttributeValueMemberNULL{}, types.AttributeValueMemberM{}, types.AttributeValueMemberL{},
		)); diff != "" {
			t.Errorf("written again (-was +is):\n%s", diff)
		}
		for name, v := range dynamo.DecodeItem(dynamo.EncodeItem(item)) {
			if !v.Equal(item[name]) {
				t.Errorf("%s is another value after it was written", name)
			}
		}
	})
}

// attributeOf makes an attribute of JSON; an object with the field $ is of a type
// that this project does not know.
func attributeOf(raw json.RawMessage) types.AttributeValue {
	var list []json.RawMessage
	var fields map[string]json.RawMessage
	var text string
	var yes bool
	switch {
	case string(raw) == "null":
		return &types.AttributeValueMemberNULL{Value: true}
	case json.Unmarshal(raw, &yes) == nil:
		return &types.AttributeValueMemberBOOL{Value: yes}
	case json.Unmarshal(raw, &text) == nil:
		return &types.AttributeValueMemberS{Value: text}
	case json.Unmarshal(raw, &list) == nil:
		l := make([]types.AttributeValue, len(list))
		for i, e := range list {
			l[i] = attributeOf(e)
		}
		return &types.AttributeValueMemberL{Value: l}
	case json.Unmarshal(raw, &fields) != nil:
		return &types.AttributeValueMemberN{Value: string(raw)}
	case string(fields["$"]) == `"set"`:
		return &types.AttributeValueMemberSS{Value: []string{"a"}}
	case fields["$"] != nil:
		return &types.AttributeValueMemberB{Value: []byte("a")}
	}
	m := map[string]types.AttributeValue{}
	for name, v := range fields {
		m[name] = attributeOf(v)
	}
	return &types.AttributeValueMemberM{Value: m}
}

func kindOf(av types.AttributeValue) signal.Kind {
	switch av.(type) {
	case *types.AttributeValueMemberS:
		return signal.KindString
	case *types.AttributeValueMemberN:
		return signal.KindNumber
	case *types.AttributeValueMemberBOOL:
		return signal.KindBool
	case *types.AttributeValueMemberNULL:
		return signal.KindNull
	case *types.AttributeValueMemberM:
		return signal.KindMap
	case *types.AttributeValueMemberL:
		return signal.KindList
	}
	return signal.KindOther
}

// opaque is whether there is anything in it that is never looked into.
func opaque(av map[string]types.AttributeValue) bool {
	for _, v := range av {
		switch v := v.(type) {
		case *types.AttributeValueMemberM:
			if opaque(v.Value) {
				return true
			}
		case *types.AttributeValueMemberL:
			for _, e := range v.Value {
				if opaque(map[string]types.AttributeValue{"": e}) {
					return true
				}
			}
		default:
			if kindOf(v) == signal.KindOther {
				return true
			}
		}
	}
	return false
}
