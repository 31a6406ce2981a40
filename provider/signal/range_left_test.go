package signal_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// What a range does not delete, since it has changed hands, is named; one that has
// lost its globalId shows before, and goes, as does one that has another.
func TestRange_destroyNamesWhatItLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := w.driver(rangeType, through(proxy))
	// All go in one request.
	c := exactRange(acctest.Config{"end_date": "2090-07-20"})
	holdErrors(t, d.Apply(c))
	w.change(3, signal.Item{"globalId": {}})
	holdPlan(t, d, c, acctest.Update)
	holdState(t, d, acctest.Config{"missing_dates": []any{}, "needs_repair": []any{"globalId"}})
	// While it is being destroyed, one changes hands, and one its id.
	proxy.Set(acctest.Fault{Operation: "BatchExecuteStatement", Call: 1, Effect: acctest.Before(func() {
		w.change(8, signal.Item{"seededBy": signal.S("stream"), "globalId": signal.S("theirs")})
		w.change(9, signal.Item{"globalId": signal.S("new")})
	})})
	holdErrors(t, d.DestroyUnrefreshed())
	want := []string{fmt.Sprintf(`Unable to destroy all dates of signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-20": Table %q has, on one of its dates, what is another's now, or was changed while the range was destroyed: 2090-07-08 has signal theirs, seeded by "stream".

That was not touched. All else is deleted, and the range is no longer in the state.

Find out who did that. Delete it if nobody needs it.`, w.table)}
	if diff := cmp.Diff(want, d.Warnings()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if err := holdThere(w, "2090-07-08/2090-07-08"); err != nil {
		t.Error(err)
	}
}

// So is what an update does not delete on dates that it takes from the range; the
// rest of the update is done.
func TestRange_updateNamesWhatItLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	d := w.driver(rangeType, through(proxy))
	holdErrors(t, d.Apply(exactRange(acctest.Config{"end_date": "2090-07-20"})))
	proxy.Set(acctest.Fault{Operation: "BatchExecuteStatement", Call: 1, Effect: acctest.Before(func() {
		w.change(18, signal.Item{"seededBy": signal.S("stream"), "globalId": signal.S("theirs")})
		w.change(19, signal.Item{"globalId": signal.S("new")})
	})})
	c := exactRange(acctest.Config{"end_date": "2090-07-16", "except_dates": []any{"2090-07-04"}})
	holdErrors(t, d.ApplyUnrefreshed(c))
	holdErrors(t, d.Warnings(), fmt.Sprintf(`Unable to delete all dates that are no longer of signal range "mockPark1/backcountryCamp/1/1 2090-07-01/2090-07-16": Table %q has, on one of its dates, what is another's now, or was changed while the range was updated: 2090-07-18 has signal theirs, seeded by "stream".

That was not touched. The range no longer has these dates.

Find out who did that. Delete it if nobody needs it.`, w.table))
	if err := holdThere(w, "2090-07-01/2090-07-03 2090-07-05/2090-07-16 2090-07-18/2090-07-18"); err != nil {
		t.Error(err)
	}
	holdPlan(t, d, c, acctest.NoOp)
	holdErrors(t, d.Destroy())
	holdErrors(t, d.Warnings())
	if err := holdThere(w, "2090-07-18/2090-07-18"); err != nil {
		t.Error(err)
	}
}

// An owner that is no text is nobody that anything can be read as.
func TestRange_ownerIsNoText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, single := w.driver(rangeType, nil), w.driver(signalType, nil)
	holdErrors(t, d.Apply(exactRange(acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-04"})))
	holdErrors(t, single.Apply(exactSignal(nil)))
	for _, owner := range []signal.Value{signal.S(""), signal.N(7)} {
		w.change(1, signal.Item{"seededBy": owner})
		w.change(3, signal.Item{"seededBy": owner})
		c := exactRange(acctest.Config{"start_date": "2090-07-02", "end_date": "2090-07-04", "adopt_existing": true})
		holdPlan(t, d, c, acctest.Update)
		holdState(t, d, acctest.Config{"missing_dates": []any{"2090-07-03/2090-07-03"}})
		if errs := d.Apply(c); len(errs) != 1 {
			t.Errorf("errors: %q", errs)
		}
		if item := w.item(3); !item["seededBy"].Equal(owner) {
			t.Errorf("it was taken: %v", item)
		}
	}
	holdErrors(t, single.Refresh())
	if single.State() != nil || len(single.Warnings()) != 1 {
		t.Errorf("state %v, warnings %q", single.State(), single.Warnings())
	}
}
