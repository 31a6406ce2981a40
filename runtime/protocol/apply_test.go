package protocol_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestCond_holds(t *testing.T) {
	t.Parallel()
	item := signal.Item{
		"n": signal.N(5), "s": signal.S("b"), "null": signal.Null(), "map": signal.M(map[string]signal.Value{"k": signal.N(1)}),
		"bool": signal.Bool(false), "fraction": signal.Decimal("5.5"),
	}
	cond := func(test protocol.Test, attr string, v signal.Value) protocol.Cond {
		return protocol.Cond{Test: test, Attr: attr, Value: v}
	}
	var none signal.Value
	tests := []struct {
		name string
		cond protocol.Cond
		want bool
	}{
		{"present exists", cond(protocol.Exists, "n", none), true},
		{"null exists", cond(protocol.Exists, "null", none), true},
		{"false exists", cond(protocol.Exists, "bool", none), true},
		{"absent does not exist", cond(protocol.Exists, "x", none), false},
		{"absent is absent", cond(protocol.Absent, "x", none), true},
		{"null is not absent", cond(protocol.Absent, "null", none), false},
		{"equal number", cond(protocol.Equal, "n", signal.N(5)), true},
		{"other number", cond(protocol.Equal, "n", signal.N(6)), false},
		{"equal text", cond(protocol.Equal, "s", signal.S("b")), true},
		{"a number is no text", cond(protocol.Equal, "n", signal.S("5")), false},
		{"absent equals nothing", cond(protocol.Equal, "x", signal.S("")), false},
		{"absent equals not even absent", cond(protocol.Equal, "x", none), false},
		{"equal map", cond(protocol.Equal, "map", signal.M(map[string]signal.Value{"k": signal.N(1)})), true},
		{"other map", cond(protocol.Equal, "map", signal.M(map[string]signal.Value{"k": signal.N(2)})), false},
		{"number below", cond(protocol.Below, "n", signal.N(6)), true},
		{"number not below itself", cond(protocol.Below, "n", signal.N(5)), false},
		{"numbers are no text: 5 below 10", cond(protocol.Below, "n", signal.N(10)), true},
		{"negative number", cond(protocol.Below, "n", signal.N(-6)), false},
		{"number at most itself", cond(protocol.AtMost, "n", signal.N(5)), true},
		{"number not at most less", cond(protocol.AtMost, "n", signal.N(4)), false},
		{"a fraction is above its whole part", cond(protocol.Above, "fraction", signal.N(5)), true},
		{"a fraction is below the next whole", cond(protocol.Below, "fraction", signal.N(6)), true},
		{"a fraction is at most itself", cond(protocol.AtMost, "fraction", signal.Decimal("5.5")), true},
		{"a fraction is not below itself", cond(protocol.Below, "fraction", signal.Decimal("5.5")), false},
		{"a number beyond 64 bits", cond(protocol.Below, "n", signal.Decimal("1E+30")), true},
		{"number above", cond(protocol.Above, "n", signal.N(4)), true},
		{"number not above itself", cond(protocol.Above, "n", signal.N(5)), false},
		{"text below", cond(protocol.Below, "s", signal.S("c")), true},
		{"text above", cond(protocol.Above, "s", signal.S("a")), true},
		{"text not above itself", cond(protocol.Above, "s", signal.S("b")), false},
		{"absent is not below", cond(protocol.Below, "x", signal.N(1)), false},
		{"absent is not above", cond(protocol.Above, "x", signal.N(-1)), false},
		{"absent is not at most", cond(protocol.AtMost, "x", signal.N(1)), false},
		{"text is not above a number", cond(protocol.Above, "s", signal.N(1)), false},
		{"a number is not above text", cond(protocol.Above, "n", signal.S("")), false},
		{"null is not below", cond(protocol.Below, "null", signal.N(1)), false},
		{"any of none", protocol.Cond{Test: protocol.AnyOf}, false},
		{"any of one that holds", protocol.Cond{Test: protocol.AnyOf, Any: []protocol.Cond{
			cond(protocol.Absent, "n", none), cond(protocol.AtMost, "n", signal.N(5)),
		}}, true},
		{"any of none that holds", protocol.Cond{Test: protocol.AnyOf, Any: []protocol.Cond{
			cond(protocol.Absent, "n", none), cond(protocol.AtMost, "n", signal.N(4)),
		}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.cond.Holds(item); got != tt.want {
				t.Errorf("Holds() = %t, want %t", got, tt.want)
			}
		})
	}
}

func TestCond_ofNoItem(t *testing.T) {
	t.Parallel()
	for test, want := range map[protocol.Test]bool{
		protocol.Exists: false, protocol.Absent: true, protocol.Equal: false,
		protocol.Below: false, protocol.AtMost: false, protocol.Above: false,
	} {
		if got := (protocol.Cond{Test: test, Attr: "n", Value: signal.N(1)}).Holds(nil); got != want {
			t.Errorf("test %d of no item holds: %t, want %t", test, got, want)
		}
	}
}

func TestWrite_apply(t *testing.T) {
	t.Parallel()
	k := signal.Key{PK: "p", SK: "s"}
	item := signal.Item{"pk": signal.S("p"), "sk": signal.S("s"), "a": signal.N(1), "b": signal.N(2)}
	set := func(attr, from string, v signal.Value) protocol.Assignment {
		return protocol.Assignment{Attr: attr, From: from, Value: v}
	}
	tests := []struct {
		name  string
		write protocol.Write
		item  signal.Item
		want  signal.Item
	}{
		{
			"set takes the item as it was",
			protocol.Write{Set: []protocol.Assignment{set("a", "", signal.N(7)), set("c", "a", signal.N(0))}},
			item, with(item, signal.Item{"a": signal.N(7), "c": signal.N(1)}),
		},
		{
			"set falls back where its source is absent",
			protocol.Write{Set: []protocol.Assignment{set("a", "x", signal.N(9)), set("d", "d", signal.N(8))}},
			item, with(item, signal.Item{"a": signal.N(9), "d": signal.N(8)}),
		},
		{
			"set keeps what is there",
			protocol.Write{Set: []protocol.Assignment{set("a", "a", signal.N(9))}},
			item, item,
		},
		{
			"add",
			protocol.Write{Add: []protocol.Addition{{Attr: "a", By: 2}, {Attr: "x", By: 3}}},
			item, with(item, signal.Item{"a": signal.N(3), "x": signal.N(3)}),
		},
		{
			"remove, also what is not there",
			protocol.Write{Remove: []string{"a", "x"}},
			item, with(item, signal.Item{"a": {}}),
		},
		{
			"an update without a condition creates the item",
			protocol.Write{Add: []protocol.Addition{{Attr: "a", By: 1}}},
			nil,
			signal.Item{"pk": signal.S("p"), "sk": signal.S("s"), "a": signal.N(1)},
		},
		{
			"put replaces the whole item",
			protocol.Write{Kind: protocol.Put, Item: signal.Item{"pk": signal.S("p"), "z": signal.N(1)}},
			item,
			signal.Item{"pk": signal.S("p"), "z": signal.N(1)},
		},
		{"delete", protocol.Write{Kind: protocol.Delete}, item, nil},
		{"delete what is not there", protocol.Write{Kind: protocol.Delete}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.write.Key = k
			before := tt.item.Clone()
			wantItem(t, applied(t, tt.write, tt.item), tt.want)
			if diff := cmp.Diff(before, tt.item); diff != "" {
				t.Errorf("the item that was given has changed:\n%s", diff)
			}
		})
	}
}

func TestWrite_applyAllConditionsOrNothing(t *testing.T) {
	t.Parallel()
	item := signal.Item{"a": signal.N(1)}
	for _, kind := range []protocol.Kind{protocol.Update, protocol.Put, protocol.Delete} {
		w := protocol.Write{
			Kind: kind,
			If: []protocol.Cond{
				{Test: protocol.Exists, Attr: "a"},
				{Test: protocol.Equal, Attr: "a", Value: signal.N(2)},
			},
			Item: signal.Item{"b": signal.N(1)},
			Set:  []protocol.Assignment{{Attr: "b", Value: signal.N(1)}},
		}
		refused(t, w, item)
	}
}
