package operate_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/availability-signal/terraform-provider-availability/runtime/operate"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// A product whose name is misspelt is not one that is well, whatever is done with it.
func TestDo_nothingKnown(t *testing.T) {
	t.Parallel()
	const misspelt = "mockPark1/backcountryCamp/1/2"
	over := func(i signal.Item) { i["expiry"] = signal.S("2026-07-01T00:00:00.000Z") }
	for name, tt := range map[string]struct {
		task  operate.Task
		setup func(*world)
		finds bool
		says  string
	}{
		"check":   {operate.Task{Task: "check", Product: misspelt}, nil, true, "nothing is known under this name, no product, no date and no signal"},
		"audit":   {operate.Task{Task: "audit", Product: misspelt}, nil, true, "nothing is known under this name, no product, no date and no signal"},
		"sweep":   {operate.Task{Task: "sweep", Product: misspelt}, nil, true, "nothing is known under this name, no product, no date and no signal"},
		"sync":    {operate.Task{Task: "sync", Product: misspelt}, nil, true, "nothing is known under this name, no product, no date and no signal"},
		"applied": {operate.Task{Task: "sync", Product: misspelt, Apply: true}, nil, true, "nothing is known under this name, no product, no date and no signal"},
		"explain": {operate.Task{Task: "explain", Signal: misspelt + " 2026-07-05"}, nil, true, "nothing is known under this name: no signal of any date, no product, no date and no inventory\n-> see whether the name is right"},
		"explain, and the source fails": {
			operate.Task{Task: "explain", Signal: misspelt + " 2026-07-05"},
			func(w *world) { w.fails = errors.New("no route") },
			true, "no product and no date; whether there is inventory cannot be told",
		},
		"sweep of a bucket": {operate.Task{Task: "sweep", Bucket: "9min"}, nil, true, "there is no such bucket, and no signal of one"},
		"collection":        {operate.Task{Task: "sync", Collection: "mockPark2"}, nil, true, "nothing is known under this name"},
		"all of an empty table": {operate.Task{Task: "sync", All: true}, func(w *world) {
			w.operator.Sync.Platform, w.operator.Sync.Signals = nowhere{}, nowhere{}
		}, true, "nothing is known under this name"},

		"check of what is over":  {operate.Task{Task: "check", Product: loopName}, nil, false, "there is no signal to check"},
		"audit of what is over":  {operate.Task{Task: "audit", Product: loopName}, nil, false, "0 compared"},
		"sync of what is over":   {operate.Task{Task: "sync", Product: loopName}, nil, false, "1 product: 0 to be seeded"},
		"sync of the collection": {operate.Task{Task: "sync", Collection: "mockPark1"}, nil, false, "1 product: 0 to be seeded"},
		"sweep of what is known": {operate.Task{Task: "sweep", Product: misspelt}, product, false, "0 expired an hour ago or more"},
		"sweep of an empty bucket": {
			operate.Task{Task: "sweep", Bucket: "15min"}, func(w *world) { w.register("15min", nil) }, false, "0 expired an hour ago or more",
		},
		"check of a product without signals": {operate.Task{Task: "check", Product: misspelt}, product, true, "there are no signals of it: seed them"},
		"audit of a product without signals": {operate.Task{Task: "audit", Product: misspelt}, product, true, "there are no signals of it: seed them"},
		"sync of a product without dates":    {operate.Task{Task: "sync", Product: misspelt}, product, false, "1 product: 0 to be seeded"},
		"sync of a date that is over": {operate.Task{Task: "sync", Product: misspelt}, func(w *world) {
			w.put(signal.Key{PK: "productDate::mockPark1::backcountryCamp::1::2", SK: "2026-06-01"}, signal.Item{})
		}, false, "1 product: 0 to be seeded"},
		"explain a date without a signal": {operate.Task{Task: "explain", Signal: misspelt + " 2026-07-05"}, product, true, "there is no such signal: nothing was seeded"},
		"explain inventory alone": {operate.Task{Task: "explain", Signal: misspelt + " 2026-07-05"}, func(w *world) {
			w.put(signal.Key{PK: "inventoryPool::mockPark1::backcountryCamp::1::2::2026-07-05", SK: "loop"}, signal.Item{"availability": signal.N(1), "capacity": signal.N(1)})
		}, true, "there is inventory of this date, and nothing else under this name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.seed(5, over)
			if tt.setup != nil {
				tt.setup(w)
			}
			answer, err := w.operator.Do(t.Context(), tt.task)
			if err != nil {
				t.Fatal(err)
			}
			if text := printed(w, answer); answer.Findings() != tt.finds || !strings.Contains(text, tt.says) {
				t.Errorf("findings %t, want %t and %q:\n%s", answer.Findings(), tt.finds, tt.says, text)
			}
			sameDecoded(w, tt.task, answer)
		})
	}
}

const loopName = "mockPark1/backcountryCamp/1/1"

// product puts a product there that has no dates, and says its zone.
func product(w *world) {
	w.put(signal.Key{PK: "product::mockPark1::backcountryCamp::1", SK: "2"}, signal.Item{"timezone": signal.S("America/Vancouver")})
}

// nowhere is a table without items.
type nowhere struct{}

func (nowhere) Keys(context.Context, ...string) iter.Seq2[signal.Key, error] {
	return func(func(signal.Key, error) bool) {}
}
