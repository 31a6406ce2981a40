package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func decodeItem(av map[string]types.AttributeValue) signal.Item {
	if av == nil {
		return nil
	}
	item := make(signal.Item, len(av))
	for name, v := range av {
		item[name] = decode(v)
	}
	return item
}

// decodeRead is what an operation looks at of the item that it returns.
func decodeRead(op protocol.Op, av map[string]types.AttributeValue) signal.Item {
	if av == nil {
		return nil
	}
	n := 0
	for name := range av {
		if op.Reads(name) {
			n++
		}
	}
	item := make(signal.Item, n)
	for name, v := range av {
		if op.Reads(name) {
			item[name] = decode(v)
		}
	}
	return item
}

func decode(av types.AttributeValue) signal.Value {
	switch v := av.(type) {
	case *types.AttributeValueMemberS:
		return signal.S(v.Value)
	case *types.AttributeValueMemberN:
		return signal.Decimal(v.Value)
	case *types.AttributeValueMemberBOOL:
		return signal.Bool(v.Value)
	case *types.AttributeValueMemberNULL:
		return signal.Null()
	case *types.AttributeValueMemberM:
		return signal.M(decodeItem(v.Value))
	case *types.AttributeValueMemberL:
		l := make([]signal.Value, len(v.Value))
		for i, e := range v.Value {
			l[i] = decode(e)
		}
		return signal.L(l...)
	}
	return signal.Other()
}

func encodeItem(item signal.Item) map[string]types.AttributeValue {
	av := make(map[string]types.AttributeValue, len(item))
	for name, v := range item {
		av[name] = encode(v)
	}
	return av
}

func encodeKey(k signal.Key) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		signal.AttrPK: &types.AttributeValueMemberS{Value: k.PK},
		signal.AttrSK: &types.AttributeValueMemberS{Value: k.SK},
	}
}

func encode(v signal.Value) types.AttributeValue {
	switch v.Kind() {
	case signal.KindString:
		s, _ := v.Text()
		return &types.AttributeValueMemberS{Value: s}
	case signal.KindNumber:
		n, _ := v.Number()
		return &types.AttributeValueMemberN{Value: n}
	case signal.KindBool:
		b, _ := v.Bool()
		return &types.AttributeValueMemberBOOL{Value: b}
	case signal.KindMap:
		m, _ := v.Fields()
		return &types.AttributeValueMemberM{Value: encodeItem(m)}
	case signal.KindList:
		l, _ := v.Elements()
		av := make([]types.AttributeValue, len(l))
		for i, e := range l {
			av[i] = encode(e)
		}
		return &types.AttributeValueMemberL{Value: av}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}
