package stream_test

import (
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
	"github.com/availability-signal/terraform-provider-availability/runtime/stream"
)

func (w *world) reads(template string) {
	w.t.Helper()
	parsed, err := source.ParseTemplate(template)
	if err != nil {
		w.t.Fatal(err)
	}
	w.consumer.Inventory = parsed
}

// A platform whose inventory has keys of its own is flipped by its stream as well.
func TestConsume_inventoryOfAnotherTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.reads("stock/{date}/{collectionId}/{activityType}/{activityId}/{productId}")
	w.product(vancouver())
	w.seededBy("terraform:x", 5, nil)
	w.seededBy("stream", 6, nil)
	w.date(6, signal.Item{"availabilityEstimationPattern": exact(minutes(5))})
	stock := func(text string) signal.Key { return signal.Key{PK: "stock/" + text, SK: "loop"} }
	r := w.consume(
		stock("2026-07-05/mockPark1/backcountryCamp/1/1"), stock("2026-07-05/mockPark1/backcountryCamp/1/1"),
		// The contract's keys are read beside it, and nothing else is taken for inventory.
		pool(6, "a"), dateKey(campOn(6)), campOn(5).Key(), signal.Key{PK: "cadenceBucket::5min", SK: "run"}, signal.Key{PK: "booking/1", SK: "x"},
		stock("someday/mockPark1/backcountryCamp/1/1"),
	)
	want(t, r, stream.Counts{Records: 8, Signals: 2, Flipped: 2, Ignored: 3, Poison: 1, Unchanged: 1})
	for _, day := range []int{5, 6} {
		if is := w.signal(day); is.Text("gsisk") != "dirty" || is.Int("rev") != 1 {
			t.Errorf("day %d: %v", day, is)
		}
	}
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Reason, "begins as the key template does, and cannot be read by it") {
		t.Errorf("problems %+v", r.Problems)
	}
}

// Where a key does not say for certain whose inventory it has, nobody's change is
// lost: what is not there is not flipped.
func TestConsume_inventoryThatMaySeveralDatesHave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.reads("{date}-{collectionId}-{activityType}-{activityId}-{productId}")
	w.seededBy("terraform:x", 5, nil)
	r := w.consume(signal.Key{PK: "2026-07-05-mockPark1-backcountryCamp-1-1", SK: "loop"}, signal.Key{PK: "2026-07-05-mock-Park1-backcountryCamp-1-1", SK: "loop"})
	// The second: mock-Park1, Park1-backcountryCamp, backcountryCamp-1 or 1-1.
	want(t, r, stream.Counts{Records: 2, Signals: 5, Flipped: 5})
	if is := w.signal(5); is.Text("gsisk") != "dirty" {
		t.Errorf("signal: %v", is)
	}
}

// A template without all parts is enough for the source, but not for this.
func TestConsume_inventoryThatDoesNotSayWhose(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{})
	w.reads("stock/{productId}/{date}")
	r := w.consume(signal.Key{PK: "stock/1/2026-07-05", SK: "loop"})
	want(t, r, stream.Counts{Records: 1, Poison: 1})
	if len(r.Failures) > 0 || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Reason, "it has no {collectionId}") {
		t.Errorf("%+v", r)
	}
}
