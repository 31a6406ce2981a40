package signal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

// Nothing remote is needed, or asked for, by a plan that makes a signal or a range:
// table and bucket may come in the same apply.
func TestOwn03_signalPlanAsksNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	nowhere := acctest.Config{"table_name": "no-such-table", "cadence_bucket": "7min"}
	for typeName, config := range map[string]acctest.Config{signalType: exactSignal(nowhere), rangeType: exactRange(nowhere)} {
		d := w.driver(typeName, through(proxy))
		proxy.Set()
		holdPlan(t, d, config, acctest.Create)
		if diff := cmp.Diff([]string(nil), proxy.Calls()); diff != "" {
			t.Errorf("calls of a plan of %s (-want +got):\n%s", typeName, diff)
		}
	}
}

// What a plan derives is the same before and after the apply, however the
// configuration writes it.
func TestOwn04_signalDerivesAtPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(signalType, nil)
	c := exactSignal(acctest.Config{"availability_estimation_pattern": pattern("tiered")})
	_, planned, errs := d.Plan(c)
	holdErrors(t, errs)
	if planned["expiry"] != "2090-07-02T07:00:00.000Z" || planned["table_name"] != w.table {
		t.Errorf("planned: %v", planned)
	}
	holdErrors(t, d.Apply(c))
	holdState(t, d, acctest.Config{"expiry": planned["expiry"], "table_name": w.table, "availability_estimation_pattern": planned["availability_estimation_pattern"]})
	for _, expiry := range []string{"2090-07-02T07:00:00Z", "2090-07-02T00:00:00-07:00", "2090-07-02T07:00:00.000Z"} {
		holdPlan(t, d, with(c, acctest.Config{"expiry": expiry}), acctest.NoOp)
	}
	holdErrors(t, d.Destroy())
}

// An apply that is cancelled leaves nothing that the state does not know of, whether
// or not the call under way was carried out, and the next one makes the signal.
func TestOwn01_signalCreateCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := acctest.NewFaultProxy(t)
	for call := 1; call <= 2; call++ {
		for _, applied := range []bool{false, true} {
			t.Run(fmt.Sprintf("call %d, applied %t", call, applied), func(t *testing.T) {
				d := w.driver(signalType, through(proxy))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				faults := []acctest.Fault{{Call: call, Effect: acctest.After(cancel)}}
				if !applied {
					faults = []acctest.Fault{{Call: call, Effect: acctest.Before(cancel)}, {Call: call, Effect: acctest.LoseRequest()}}
				}
				proxy.Set(faults...)
				errs := d.ApplyContext(ctx, exactSignal(nil))
				proxy.Set()
				// The answer may still win the race against the cancellation.
				switch item := w.item(1); {
				case len(errs) > 0 && (item != nil || d.State() != nil):
					t.Errorf("there is %v, the state has %v, errors %q", item, d.State(), errs)
				case len(errs) == 0 && item.Text("globalId") != text(d, "global_id"):
					t.Errorf("there is %v, the state has %v", item, d.State())
				}
				holdErrors(t, d.Apply(exactSignal(nil)))
				holdPlan(t, d, exactSignal(nil), acctest.NoOp)
				holdErrors(t, d.Destroy())
				if item := w.item(1); item != nil {
					t.Errorf("after destroy there is %v", item)
				}
			})
		}
	}
}
