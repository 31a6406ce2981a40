package signal_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// standing is another's signal that a check has left clean; "" is nobody's.
func standing(day int, seededBy string) signal.Item {
	item := another(day)
	item["globalId"], item["value"], item["seededBy"] = signal.S(fmt.Sprintf("theirs-%d", day)), signal.S("12"), signal.S(seededBy)
	if seededBy == "" {
		delete(item, "seededBy")
	}
	return item
}

// What a range may take, it takes as it is; what it may not, stops it before it
// has written anything.
func TestRange_adopts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	single := w.driver(signalType, nil)
	holdErrors(t, single.Apply(exactSignal(acctest.Config{"date": "2090-07-03"})))
	w.put(standing(1, ""))
	w.put(standing(2, "stream"))
	d := w.driver(rangeType, nil)
	adopt := func(more acctest.Config) acctest.Config {
		c := exactRange(acctest.Config{"adopt_existing": true})
		for name, value := range more {
			c[name] = value
		}
		return c
	}
	before := w.items()
	id := text(single, "global_id")
	holdErrors(t, d.Apply(adopt(nil)), fmt.Sprintf(`start_date: Unable to create signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-31": Table %[1]q already has items on one of its dates: 2090-07-03 has signal %[2]s, seeded by "terraform:%[2]s".

Nothing was touched, and the range is not in the state.

Leave these dates out by except_dates, or have their owners give them up. A single signal of Terraform's is destroyed first. If they are the signals of a range that this state has lost, import that range instead: terraform import availability_signal_range.<NAME> '%[1]s/mockPark1/backcountryCamp/1/1/<RANGE_ID>', where <RANGE_ID> is what their seededBy has after terraform:.`, w.table, id))
	holdErrors(t, d.Apply(adopt(acctest.Config{"adopt_existing": false, "except_dates": []any{"2090-07-03"}})), fmt.Sprintf(`start_date: Unable to create signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-31": Table %q already has items on 2 of its dates: 2090-07-01 has signal theirs-1, which has no owner; 2090-07-02 has signal theirs-2, seeded by "stream".

Nothing was touched, and the range is not in the state.

Set adopt_existing = true to make them the range's own, or leave these dates out by except_dates.`, w.table))
	if d.State() != nil || !cmp.Equal(before, w.items()) {
		t.Fatal("something was written")
	}
	c := adopt(acctest.Config{"except_dates": []any{"2090-07-03"}})
	holdErrors(t, d.Apply(c))
	owner := "terraform:" + text(d, "range_id")
	for day, want := range map[int]struct{ bit, value string }{1: {"dirty", "12"}, 2: {"clean", "12"}, 4: {"clean", ""}} {
		item := w.item(day)
		if item.Text("seededBy") != owner || item.Text("gsisk") != want.bit || item.Text("value") != want.value || item.Text("expiry") != july(day+1).String()+"T07:00:00.000Z" {
			t.Errorf("%d is %v", day, item)
		}
	}
	if diff := cmp.Diff(before["2090-07-03"], w.item(3)); diff != "" {
		t.Errorf("the single one was touched:\n%s", diff)
	}
	holdPlan(t, d, c, acctest.NoOp)
	// Not to adopt any more gives nothing back and writes nothing.
	c["adopt_existing"] = false
	after := w.items()
	holdPlan(t, d, c, acctest.Update)
	holdErrors(t, d.Apply(c))
	if !cmp.Equal(after, w.items()) {
		t.Error("something was written")
	}
	// The stream takes one over: it is missing, and not taken back unless that is
	// said.
	w.change(2, signal.Item{"seededBy": signal.S("stream")})
	holdPlan(t, d, c, acctest.Update)
	holdState(t, d, acctest.Config{"missing_dates": []any{"2090-07-02/2090-07-02"}})
	if errs := d.Apply(c); len(errs) != 1 {
		t.Errorf("errors: %q", errs)
	}
	c["adopt_existing"] = true
	holdErrors(t, d.Apply(c))
	if !cmp.Equal(after, w.items()) {
		t.Errorf("afterwards (-before +after):\n%s", cmp.Diff(after, w.items()))
	}
	// Extending adopts too.
	w.put(standing(33, "stream"))
	c["end_date"] = "2090-08-03"
	holdErrors(t, d.Apply(c))
	holdPlan(t, d, c, acctest.NoOp)
	// Imported, it is as if it had never been said.
	imported := w.driver(rangeType, nil)
	holdErrors(t, imported.ImportIdentity(d.Identity()))
	holdState(t, imported, acctest.Config{"adopt_existing": false})
	holdPlan(t, imported, c, acctest.Update)
	holdErrors(t, d.Destroy())
	if err := holdThere(w, "2090-07-03/2090-07-03"); err != nil {
		t.Error(err)
	}
}

// What the application reads as clean and what it flips while a season is taken
// over stays true: every flip is on the item afterwards.
func TestRange_adoptsUnderFlips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for day := 1; day <= 31; day++ {
		w.put(standing(day, []string{"", "stream"}[day%2]))
	}
	proxy := acctest.NewFaultProxy(t)
	d := w.driver(rangeType, through(proxy))
	var flips []acctest.Fault
	for n := 1; n <= 31; n++ {
		flips = append(flips, acctest.Fault{Operation: "UpdateItem", Call: n, Effect: acctest.Before(func() { w.flip(n) })})
	}
	proxy.Set(flips...)
	holdErrors(t, d.Apply(exactRange(acctest.Config{"adopt_existing": true})))
	for date, item := range w.items() {
		d, _ := signal.ParseDate(date)
		// Its own flip, and one that came with an owner where there was none.
		want := int64(2)
		if d.Day%2 == 1 {
			want = 1
		}
		if item.Text("gsisk") != "dirty" || item.Int("rev") != want {
			t.Errorf("%s is %v", date, item)
		}
	}
}

// Each call of an adoption fails in each way. Nothing is tainted, nothing is taken
// twice, and the next apply converges.
func TestRange_adoptionFails(t *testing.T) {
	t.Parallel()
	effects := effects()
	effects["conflict"] = func(context.CancelFunc) acctest.Effect {
		return acctest.Fail(400, "TransactionConflictException", "ongoing")
	}
	for name, effect := range effects {
		for _, fault := range []acctest.Fault{
			{Operation: "GetItem", Call: 1},
			{Operation: "Query", Call: 1},
			{Operation: "BatchExecuteStatement", Call: 1},
			{Operation: "UpdateItem", Call: 1},
			{Operation: "UpdateItem", Call: 3},
			{Operation: "UpdateItem"},
		} {
			t.Run(fmt.Sprintf("%s %d, %s", fault.Operation, fault.Call, name), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				for day := 1; day <= 5; day++ {
					w.put(standing(day, []string{"", "stream"}[day%2]))
				}
				before := w.items()
				proxy := acctest.NewFaultProxy(t)
				settings := through(proxy)
				settings["max_retries"] = 0
				d := w.driver(rangeType, settings)
				c := exactRange(acctest.Config{"end_date": "2090-07-08", "adopt_existing": true})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				fault.Effect = effect(cancel)
				proxy.Set(fault)
				errs := d.ApplyContext(ctx, c)
				if d.Tainted() {
					t.Errorf("it taints: %q", errs)
				}
				own := 0
				for date, item := range w.items() {
					if item.Text("seededBy") == "terraform:"+text(d, "range_id") {
						own++
					} else if was, ok := before[date]; !ok || !cmp.Equal(was, item) {
						t.Errorf("%s is nobody's that the state knows: %v", date, item)
					}
				}
				if d.State() == nil && own > 0 {
					t.Errorf("%d are its own, and there is no state: %q", own, errs)
				}
				proxy.Set()
				holdErrors(t, d.Apply(c))
				holdPlan(t, d, c, acctest.NoOp)
				if err := holdThere(w, "2090-07-01/2090-07-08"); err != nil {
					t.Error(err)
				}
				for date, was := range before {
					item := w.items()[date]
					flips := int64(1)
					if was["seededBy"].Exists() {
						flips = 0
					}
					if item.Text("globalId") != was.Text("globalId") || item.Text("value") != "12" || item.Int("rev") != flips {
						t.Errorf("%s was %v, is %v", date, was, item)
					}
				}
			})
		}
	}
}

// Who interrupts an adoption keeps what is taken.
func TestRange_adoptionIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for day := 1; day <= 100; day++ {
		w.put(standing(day, "stream"))
	}
	proxy := acctest.NewFaultProxy(t)
	d := w.driver(rangeType, through(proxy))
	c := exactRange(acctest.Config{"end_date": "2090-10-08", "adopt_existing": true})
	ctx, interrupt := context.WithCancel(t.Context())
	proxy.Set(acctest.Fault{Operation: "UpdateItem", Call: 5, Effect: acctest.Before(interrupt)})
	holdErrors(t, d.ApplyContext(ctx, c))
	if missing, _ := d.State()["missing_dates"].([]any); len(missing) == 0 || d.Tainted() {
		t.Errorf("missing %v, tainted: %t", missing, d.Tainted())
	}
	proxy.Set()
	holdErrors(t, d.Apply(c))
	if n := calls(proxy, "UpdateItem"); n == 0 || n >= 100 || slices.Contains(proxy.Calls(), "BatchExecuteStatement") {
		t.Errorf("the second apply has called %v", proxy.Calls())
	}
	holdPlan(t, d, c, acctest.NoOp)
}
