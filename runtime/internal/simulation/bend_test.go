package simulation_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

type change func(*protocol.Write)

// on changes the writes of an operation.
func on(op protocol.Op, changes ...change) func(protocol.Write) protocol.Write {
	return func(w protocol.Write) protocol.Write {
		if w.Op != op {
			return w
		}
		w.If, w.Set = slices.Clone(w.If), slices.Clone(w.Set)
		for _, c := range changes {
			c(&w)
		}
		return w
	}
}

func both(a, b func(protocol.Write) protocol.Write) func(protocol.Write) protocol.Write {
	return func(w protocol.Write) protocol.Write { return b(a(w)) }
}

// without takes the conditions on an attribute out.
func without(attr string) change {
	return func(w *protocol.Write) {
		w.If = slices.DeleteFunc(w.If, func(c protocol.Cond) bool {
			return c.Attr == attr || len(c.Any) > 0 && c.Any[0].Attr == attr
		})
	}
}

// there adds the condition that the item is.
func there(w *protocol.Write) {
	w.If = append(w.If, protocol.Cond{Test: protocol.Exists, Attr: signal.AttrPK})
}

func set(attr string, v signal.Value) change {
	return func(w *protocol.Write) {
		unset(attr)(w)
		w.Set = append(w.Set, protocol.Assignment{Attr: attr, Value: v})
	}
}

func unset(attr string) change {
	return func(w *protocol.Write) {
		w.Set = slices.DeleteFunc(w.Set, func(a protocol.Assignment) bool { return a.Attr == attr })
	}
}

// itemWithout is an item without an attribute.
func itemWithout(item map[string]types.AttributeValue, name string) map[string]types.AttributeValue {
	out := map[string]types.AttributeValue{}
	for n, v := range item {
		if n != name {
			out[n] = v
		}
	}
	return out
}

// whereFlip changes the updates that are flips.
func whereFlip(bend func(*dynamodb.UpdateItemInput)) func(*dynamodb.UpdateItemInput) {
	return func(in *dynamodb.UpdateItemInput) {
		if strings.HasPrefix(*in.UpdateExpression, "SET #gsisk = :v") {
			bend(in)
		}
	}
}

var flipping = regexp.MustCompile(`, (#gsisk = :v\d+|#dirtySince = if_not_exists\(#dirtySince, :v\d+\))| ADD #rev :v\d+|(#gsisk = :v\d+|#dirtySince = if_not_exists\(#dirtySince, :v\d+\)), `)

// unflipped takes the flip out of an update.
func unflipped(in *dynamodb.UpdateItemInput) {
	update := *in.UpdateExpression
	for update != flipping.ReplaceAllString(update, "") {
		update = flipping.ReplaceAllString(update, "")
	}
	in.UpdateExpression = &update
	prune(in)
}

// prune takes out the names and values that no expression has.
func prune(in *dynamodb.UpdateItemInput) {
	text := *in.UpdateExpression + " " + aws.ToString(in.ConditionExpression) + " "
	used := func(alias string) bool {
		return regexp.MustCompile(regexp.QuoteMeta(alias) + `\b`).MatchString(text)
	}
	names, values := map[string]string{}, map[string]types.AttributeValue{}
	for alias, name := range in.ExpressionAttributeNames {
		if used(alias) {
			names[alias] = name
		}
	}
	for alias, value := range in.ExpressionAttributeValues {
		if used(alias) {
			values[alias] = value
		}
	}
	in.ExpressionAttributeNames, in.ExpressionAttributeValues = names, values
}
