package history_test

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/awstest"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// patience is how long one history is pondered.
const patience = 2 * time.Minute

// histories is how many are recorded.
func histories() int {
	if os.Getenv("VERIFY") != "" {
		return 60
	}
	return 3
}

// TestHistory_linearizable records what concurrent writers and checkers of a few
// signals were answered by a real database, and looks for an order, one after the
// other, in which a signal could have answered so.
func TestHistory_linearizable(t *testing.T) {
	db := awstest.DynamoDB(t)
	table := awstest.Table(t, db, awstest.NoIndex)
	operations := 0
	for range histories() {
		history := newWorld(t, db, table).run(t)
		operations += len(history)
		if verdict := porcupine.CheckOperationsTimeout(model(), history, patience); verdict != porcupine.Ok {
			t.Fatalf("a history of %d operations is %s:\n%s", len(history), verdict, render(history))
		}
	}
	t.Logf("%d operations in %d histories", operations, histories())
}

// A history with one answer altered must be found out, or the search finds nothing.
// Not by each: an altered answer can be as good where another call was under way.
func TestHistory_alteredAnswerIsFound(t *testing.T) {
	db := awstest.DynamoDB(t)
	history := newWorld(t, db, awstest.Table(t, db, awstest.NoIndex)).run(t)
	for _, c := range []struct {
		name  string
		of    protocol.Op
		which func(output) bool
		alter func(*output)
	}{
		{
			"a read that saw one flip more", read, func(o output) bool { return true },
			func(o *output) { o.saw.rev++ },
		},
		{
			"a read that saw another value", read, func(o output) bool { return o.saw.value != "" },
			func(o *output) { o.saw.value += "0" },
		},
		{
			"a claim that was refused and said to be made", protocol.OpClaim, func(o output) bool { return !o.applied },
			func(o *output) { o.applied = true },
		},
		{
			"a clean that was made and said to be refused", protocol.OpFinishClean, func(o output) bool { return o.applied },
			func(o *output) { o.applied = false },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			alike := 0
			for i, op := range history {
				out := op.Output.(output)
				if op.Input.(input).op != c.of || out.unknown || !c.which(out) {
					continue
				}
				alike++
				c.alter(&out)
				altered := slices.Clone(history)
				altered[i].Output = out
				if porcupine.CheckOperationsTimeout(model(), altered, patience) == porcupine.Illegal {
					return
				}
			}
			t.Errorf("none of %d such answers is found out", alike)
		})
	}
}

// forgetful answers every read of a client with what its first one saw: as a read
// may that is not strongly consistent.
type forgetful struct {
	flip.API
	mu    sync.Mutex
	first *dynamodb.GetItemOutput
}

func (f *forgetful) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first != nil {
		return f.first, nil
	}
	out, err := f.API.GetItem(ctx, in, opts...)
	f.first = out
	return out, err
}

// Flips that rest on reads that are behind are left out where they must not be.
func TestHistory_staleReadsAreFound(t *testing.T) {
	db := awstest.DynamoDB(t)
	w := newWorld(t, db, awstest.Table(t, db, awstest.NoIndex))
	w.days = w.days[:1]
	d := w.days[0]
	client := flip.New(&forgetful{API: w.db}, w.table)
	change := func() {
		d.changes.Add(1)
		if err := w.recorder.flip(coalesced, d.key, func() error { return client.Flip(t.Context(), d.key) }); err != nil {
			t.Fatal(err)
		}
	}
	change() // Rightly left out: the signal is seeded dirty.
	for clean := false; !clean; {
		w.checkOnce(t.Context(), d)
		item, err := w.recorder.get(t.Context(), d.key)
		if err != nil {
			t.Fatal(err)
		}
		clean = item.Text(signal.AttrGSISK) == signal.Clean
	}
	if verdict := porcupine.CheckOperationsTimeout(model(), w.recorder.history, patience); verdict != porcupine.Ok {
		t.Fatalf("so far the history is %s:\n%s", verdict, render(w.recorder.history))
	}
	change()
	if _, err := w.recorder.get(t.Context(), d.key); err != nil {
		t.Fatal(err)
	}
	if verdict := porcupine.CheckOperationsTimeout(model(), w.recorder.history, patience); verdict != porcupine.Illegal {
		t.Errorf("the history is %s:\n%s", verdict, render(w.recorder.history))
	}
}

// render is a history by its beginnings, a line for each operation.
func render(history []porcupine.Operation) string {
	history = slices.Clone(history)
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	text, m := "", model()
	for _, op := range history {
		text += m.DescribeOperation(op.Input, op.Output) + "\n"
	}
	return text
}
