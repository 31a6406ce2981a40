package signal_test

import (
	"slices"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

func TestValue_equal(t *testing.T) {
	t.Parallel()
	distinct := []signal.Value{
		{},
		signal.S(""), signal.S("1"), signal.N(1), signal.N(0), signal.N(-1), signal.Decimal("1.5"), signal.Bool(true), signal.Bool(false),
		signal.S("true"), signal.Null(), signal.Other(), signal.L(), signal.L(signal.N(1)), signal.L(signal.N(1), signal.N(2)), signal.L(signal.N(2), signal.N(1)),
		fields(), fields("a", signal.N(1)), fields("a", signal.N(2)), fields("b", signal.N(1)), fields("a", signal.N(1), "b", signal.N(1)),
		fields("a", fields("a", signal.N(1))),
	}
	for i, v := range distinct {
		for j, w := range distinct {
			if got := v.Equal(w); got != (i == j) {
				t.Errorf("Equal(%+v, %+v) = %t", v, w, got)
			}
		}
	}
	if !signal.N(-37).Equal(signal.Decimal("-37")) {
		t.Error("a whole number is not its own decimal")
	}
}

func TestValue_textOfItsOwnKind(t *testing.T) {
	t.Parallel()
	for _, v := range []signal.Value{{}, signal.N(1), signal.Bool(true), signal.Null(), signal.L(signal.S("x"))} {
		if s, ok := v.Text(); s != "" || ok {
			t.Errorf("Text() of %+v = %q, %t", v, s, ok)
		}
	}
	for _, v := range []signal.Value{{}, signal.S("1"), signal.Bool(true), signal.Null()} {
		if n, ok := v.Number(); n != "" || ok {
			t.Errorf("Number() of %+v = %q, %t", v, n, ok)
		}
	}
	if s, ok := signal.S("").Text(); s != "" || !ok {
		t.Errorf("Text() of empty text = %q, %t", s, ok)
	}
}

func TestValue_int(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value signal.Value
		want  int64
		ok    bool
	}{
		{signal.N(37), 37, true},
		{signal.Decimal("-9223372036854775808"), -9223372036854775808, true},
		{signal.Decimal("9223372036854775808"), 0, false},
		{signal.Decimal("1.5"), 0, false},
		{signal.S("37"), 0, false},
		{signal.Null(), 0, false},
		{signal.Value{}, 0, false},
	} {
		if got, ok := tt.value.Int(); ok != tt.ok || ok && got != tt.want {
			t.Errorf("Int() of %+v = %d, %t, want %d, %t", tt.value, got, ok, tt.want, tt.ok)
		}
	}
}

// What an item does not have counts as nothing, and so does an attribute of a type
// that it should not have.
func TestItem_absent(t *testing.T) {
	t.Parallel()
	item := signal.Item{"n": signal.N(5), "s": signal.S("text")}
	for _, i := range []signal.Item{nil, {}, item} {
		if got := i.Text("absent"); got != "" {
			t.Errorf("Text() of what is absent = %q", got)
		}
		if got := i.Int("absent"); got != 0 {
			t.Errorf("Int() of what is absent = %d", got)
		}
	}
	if item.Text("n") != "" || item.Int("s") != 0 || item.Text("s") != "text" || item.Int("n") != 5 {
		t.Errorf("%+v is read as %q and %d, %q and %d", item, item.Text("n"), item.Int("s"), item.Text("s"), item.Int("n"))
	}
	if signal.Item(nil).Clone() != nil {
		t.Error("the clone of no item is an item")
	}
}

func TestItem_cloneIsIndependent(t *testing.T) {
	t.Parallel()
	item := signal.Item{"n": signal.N(5)}
	clone := item.Clone()
	clone["n"] = signal.N(6)
	if item.Int("n") != 5 {
		t.Error("a change of the clone changed the item")
	}
}

// What the runtime computes is none of a seeder's: neither its updates nor its
// reads may name it.
func TestSeederOwned_leavesTheRuntimesNames(t *testing.T) {
	t.Parallel()
	runtimes := []string{
		"gsisk", "value", "lastUpdatedAt", "rev", "dirtySince", "claimedBy", "claimedRev", "leaseUntil", "attempts", "notBefore", "settleRev", "settleFrom",
	}
	for _, name := range append(signal.SeederOwned(), signal.SeederReads()...) {
		if slices.Contains(runtimes, name) {
			t.Errorf("%s is the runtime's, not a seeder's", name)
		}
	}
	for _, name := range []string{"gsipk", "availabilityEstimationPattern", "expiry", "ttl", "seededBy"} {
		if !slices.Contains(signal.SeederOwned(), name) || !slices.Contains(signal.SeederReads(), name) {
			t.Errorf("%s is not a seeder's", name)
		}
	}
	for _, name := range []string{"pk", "sk", "schema", "globalId"} {
		if slices.Contains(signal.SeederOwned(), name) || !slices.Contains(signal.SeederReads(), name) {
			t.Errorf("%s must be read by a seeder and never changed", name)
		}
	}
}
