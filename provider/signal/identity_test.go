package signal_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/provider/internal/acctest"
)

func holdIdentity(t *testing.T, d *acctest.Driver, when string, want acctest.Config) {
	t.Helper()
	if diff := cmp.Diff(want, d.Identity()); diff != "" {
		t.Errorf("identity after %s (-want +got):\n%s", when, diff)
	}
}

func (w *world) identity(last, value string) acctest.Config {
	return acctest.Config{
		"table_name": w.table, "collection_id": "mockPark1", "activity_type": "backcountryCamp", "activity_id": "1", "product_id": "1", last: value,
	}
}

// Numbers as ids, drift, repair and every kind of update leave the identity what
// it was made as.
func TestSignal_identity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(signalType, nil)
	want := w.identity("date", "2090-07-01")
	holdErrors(t, d.Apply(exactSignal(nil)))
	holdIdentity(t, d, "create", want)
	holdErrors(t, d.Refresh())
	holdIdentity(t, d, "refresh", want)
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": "15min"})))
	holdIdentity(t, d, "update", want)
	holdErrors(t, d.Apply(exactSignal(acctest.Config{"cadence_bucket": "15min", "date": "2090-07-02"})))
	holdIdentity(t, d, "replacement", w.identity("date", "2090-07-02"))
	// One that expires keeps it.
	w.clock.set(time.Date(2090, 7, 3, 7, 0, 0, 0, time.UTC))
	d.ForgetIdentity()
	holdErrors(t, d.Refresh())
	holdIdentity(t, d, "expiry", w.identity("date", "2090-07-02"))
	// So does one that vanishes, as Terraform 1.11 asks for none.
	w.clock.set(june)
	w.remove(2)
	d.ForgetIdentity()
	holdErrors(t, d.Refresh())
	if d.State() != nil {
		t.Error("it is still in the state")
	}
}

func TestRange_identity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(rangeType, nil)
	holdErrors(t, d.Apply(exactRange(nil)))
	want := w.identity("range_id", text(d, "range_id"))
	holdIdentity(t, d, "create", want)
	holdErrors(t, d.Refresh())
	holdIdentity(t, d, "refresh", want)
	holdErrors(t, d.Apply(exactRange(acctest.Config{"start_date": "2090-07-05", "end_date": "2090-08-05", "cadence_bucket": "15min"})))
	holdIdentity(t, d, "update", want)
	holdErrors(t, d.Apply(exactRange(acctest.Config{"initial_state": "dirty", "start_date": "2090-07-05", "end_date": "2090-08-05", "cadence_bucket": "15min"})))
	holdIdentity(t, d, "an update that calls nothing", want)
}

// By its id or by its identity, an import is the same.
func TestSignal_importsByIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.driver(signalType, nil)
	holdErrors(t, d.Apply(exactSignal(nil)))
	seeded, identity := d.State(), d.Identity()
	d.Forget()
	holdErrors(t, d.ImportIdentity(identity))
	if diff := cmp.Diff(seeded, d.State()); diff != "" {
		t.Errorf("state (-seeded +imported):\n%s", diff)
	}
	holdIdentity(t, d, "import", identity)
	holdPlan(t, d, exactSignal(nil), acctest.NoOp)
	r := w.driver(rangeType, nil)
	season := exactRange(acctest.Config{"start_date": "2090-07-02", "except_dates": []any{"2090-07-04", "2090-07-09"}})
	holdErrors(t, r.Apply(season))
	seeded, identity = r.State(), r.Identity()
	r.Forget()
	holdErrors(t, r.ImportIdentity(identity))
	if diff := cmp.Diff(seeded, r.State()); diff != "" {
		t.Errorf("state (-seeded +imported):\n%s", diff)
	}
	holdPlan(t, r, season, acctest.NoOp)
}

func TestSignal_importsNoOddIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const advice = "\n\nCorrect the identity in the import block."
	tests := []struct {
		typeName string
		change   acctest.Config
		want     string
	}{
		{signalType, acctest.Config{"table_name": "!"}, `Unable to import signal: Table name "!": expected the name of a table, not its ARN: 3 to 255 letters, digits, dots, hyphens and underscores.`},
		{signalType, acctest.Config{"activity_id": ""}, `Unable to import signal: Activity_id "" must not be empty.`},
		{signalType, acctest.Config{"product_id": "a::b"}, `Unable to import signal: Product_id "a::b" must not contain "::", which separates the parts of a key.`},
		{signalType, acctest.Config{"date": "today"}, `Unable to import signal: Invalid date "today": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`},
		{signalType, acctest.Config{"date": nil}, `Unable to import signal: Invalid date "": expected a calendar date as YYYY-MM-DD, such as 2026-07-01.`},
		{rangeType, acctest.Config{"range_id": "terraform:c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b"}, `Unable to import signal range: Range_id "terraform:c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b": expected the part after terraform: of the seededBy of the range's signals, which is a UUID.`},
		{rangeType, acctest.Config{"range_id": " "}, `Unable to import signal range: Range_id " ": expected the part after terraform: of the seededBy of the range's signals, which is a UUID.`},
		{rangeType, acctest.Config{"collection_id": ":"}, `Unable to import signal range: Collection_id ":" must not begin or end with ":", which would run into the separator "::".`},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.typeName, tt.change), func(t *testing.T) {
			identity := w.identity("date", "2090-07-01")
			if tt.typeName == rangeType {
				identity = w.identity("range_id", "c7e8b2c1-5f3a-4e9d-9a2f-8b7e4d2a1f3b")
			}
			for name, value := range tt.change {
				identity[name] = value
			}
			holdErrors(t, w.driver(tt.typeName, nil).ImportIdentity(identity), tt.want+advice)
		})
	}
	holdErrors(t, w.driver(signalType, nil).ImportIdentity(w.identity("date", "2090-07-01")), "Cannot import non-existent remote object")
}
