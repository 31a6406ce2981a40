package simulator_test

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
)

// inWorlds runs a world for each seed, and stops at the first that fails.
func inWorlds(t *testing.T, seeds int, config simulator.Config, body func(w *simulator.World)) {
	t.Helper()
	config.Expressions = simulator.NewExpressions()
	for seed := range seeds {
		config.Seed = uint64(seed)
		simulator.Run(t, simulator.WorldConfig{Config: config}, func(w *simulator.World) {
			w.DB().CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
			body(w)
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func setBoth(n int, token *string) *dynamodb.TransactWriteItemsInput {
	set := func(sk string) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{
			TableName: ptr(table), Key: at(sk), UpdateExpression: ptr("SET n = :n"), ExpressionAttributeValues: attributes{":n": number(n)},
		}}
	}
	return &dynamodb.TransactWriteItemsInput{ClientRequestToken: token, TransactItems: []types.TransactWriteItem{set("a"), set("b")}}
}

func pair(t testing.TB, c *simulator.Client) [2]string {
	t.Helper()
	return [2]string{textOf(get(t, c, at("a"))["n"]), textOf(get(t, c, at("b"))["n"])}
}

// Readers see the items of a transaction change one by one, in either order, and
// all of them once it has answered.
func TestTransaction_visibleItemByItem(t *testing.T) {
	alone, listed := map[[2]string]bool{}, map[string]bool{}
	inWorlds(t, 200, simulator.Config{}, func(w *simulator.World) {
		setup := w.Client("setup")
		put(w, setup, with(at("a"), "n", 1))
		put(w, setup, with(at("b"), "n", 1))
		w.Go("reader", func(c *simulator.Client) {
			for range 3 {
				alone[pair(w, c)] = true
			}
		})
		w.Go("lister", func(c *simulator.Client) {
			for range 3 {
				out, err := c.Query(c.Context(), &dynamodb.QueryInput{
					TableName: ptr(table), ConsistentRead: ptr(true), KeyConditionExpression: ptr("pk = :p"), ExpressionAttributeValues: attributes{":p": text("p")},
				})
				if err != nil {
					w.Error(err)
					return
				}
				listed[textOf(out.Items[0]["n"])+textOf(out.Items[1]["n"])] = true
			}
		})
		w.Go("writer", func(c *simulator.Client) {
			if _, err := c.TransactWriteItems(c.Context(), setBoth(2, nil)); err != nil {
				w.Error(err)
			}
			if got := pair(w, c); got != [2]string{"2", "2"} {
				w.Errorf("after the answer: %v", got)
			}
		})
	})
	for _, state := range []string{"11", "12", "21", "22"} {
		if !listed[state] {
			t.Errorf("no query saw %s", state)
		}
		if !alone[[2]string{state[:1], state[1:]}] {
			t.Errorf("no pair of reads saw %s", state)
		}
	}
}

// A single write of an item that a transaction is under way on conflicts, and is
// not made; so does another transaction.
func TestTransaction_conflicts(t *testing.T) {
	single, double, through := 0, 0, 0
	inWorlds(t, 200, simulator.Config{}, func(w *simulator.World) {
		setup := w.Client("setup")
		put(w, setup, with(at("a"), "n", 0))
		put(w, setup, with(at("b"), "n", 0))
		w.Go("writer", func(c *simulator.Client) {
			if _, err := c.TransactWriteItems(c.Context(), setBoth(10, nil), once); err != nil {
				w.Error(err)
			}
		})
		w.Go("single", func(c *simulator.Client) {
			before := textOf(get(w, c, at("a"))["n"])
			_, err := c.UpdateItem(c.Context(), &dynamodb.UpdateItemInput{
				TableName: ptr(table), Key: at("a"), UpdateExpression: ptr("ADD n :n"), ExpressionAttributeValues: attributes{":n": number(1)},
			})
			_, conflict := errors.AsType[*types.TransactionConflictException](err)
			switch {
			case conflict && before == "0":
				single++
			case err != nil:
				w.Errorf("a conflict after the item was visible, or another error: %v", err)
			default:
				through++
			}
		})
		w.Wait()
		other := w.Client("other")
		if _, err := other.TransactWriteItems(other.Context(), setBoth(20, nil), once); err != nil {
			w.Errorf("a transaction that is over is in the way: %v", err)
		}
	})
	inWorlds(t, 200, simulator.Config{}, func(w *simulator.World) {
		done := 0
		for i := range 2 {
			w.Go("writer", func(c *simulator.Client) {
				_, err := c.TransactWriteItems(c.Context(), setBoth(i+1, nil), once)
				if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
					for _, r := range cancelled.CancellationReasons {
						if *r.Code == "TransactionConflict" {
							double++
							return
						}
					}
				}
				if err != nil {
					w.Error(err)
				}
				done++
			})
		}
		w.Wait()
		if got := pair(w, w.Client("reader")); done == 0 || got[0] != got[1] {
			w.Errorf("%d done, and the items are %v", done, got)
		}
	})
	if single == 0 || double == 0 || through == 0 {
		t.Errorf("conflicts of single writes %d, of transactions %d; writes that got through %d", single, double, through)
	}
}

// A transaction whose client has lost the answer, or crashed, is completed; the
// SDK's repetition, under the same token, does not make it twice.
func TestTransaction_goesOnAlone(t *testing.T) {
	for name, fault := range map[string]simulator.Fault{"answer lost": {LoseAnswer: true}, "client crashed": {CrashAfter: true}} {
		t.Run(name, func(t *testing.T) {
			partial := false
			inWorlds(t, 100, simulator.Config{Faults: firstOf("TransactWriteItems", fault)}, func(w *simulator.World) {
				setup := w.Client("setup")
				put(w, setup, with(at("a"), "n", 0))
				put(w, setup, with(at("b"), "n", 0))
				add := func(sk string) types.TransactWriteItem {
					return types.TransactWriteItem{Update: &types.Update{
						TableName: ptr(table), Key: at(sk), UpdateExpression: ptr("ADD n :n"), ExpressionAttributeValues: attributes{":n": number(1)},
					}}
				}
				writer := w.Go("writer", func(c *simulator.Client) {
					_, err := c.TransactWriteItems(c.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{add("a"), add("b")}})
					if crashed := errors.Is(err, simulator.ErrCrashed); crashed != fault.CrashAfter || !crashed && err != nil {
						w.Errorf("answer: %v", err)
					}
				})
				w.Go("reader", func(c *simulator.Client) {
					for range 3 {
						if got := pair(w, c); got[0] != got[1] {
							partial = true
						}
					}
				})
				w.Wait()
				time.Sleep(time.Minute)
				if got := pair(w, w.Client("later")); got != [2]string{"1", "1"} {
					w.Errorf("later: %v", got)
				}
				if writer.Crashed() != fault.CrashAfter {
					w.Error("crashed, or not")
				}
			})
			if !partial {
				t.Error("nobody saw one item without the other")
			}
		})
	}
}

// firstOf makes the first call of an operation meet a fault.
func firstOf(operation string, fault simulator.Fault) simulator.Faults {
	return nth(operation, 1, fault)
}

func TestTransaction_takesItsTime(t *testing.T) {
	inWorlds(t, 20, simulator.Config{VisibilityDelay: simulator.Fixed(time.Second)}, func(w *simulator.World) {
		c, began := w.Client("writer"), time.Now()
		if _, err := c.TransactWriteItems(c.Context(), setBoth(1, nil)); err != nil {
			w.Error(err)
		}
		if took := time.Since(began); took != 2*time.Second {
			w.Errorf("took %v", took)
		}
	})
}

func TestTransaction_tokenIsForgotten(t *testing.T) {
	clock := midnight()
	_, c := newDB(simulator.Config{Clock: clock})
	for i, wait := range []time.Duration{0, 9 * time.Minute, 2 * time.Minute} {
		clock.Advance(wait)
		put(t, c, with(at("a"), "n", 0))
		if _, err := c.TransactWriteItems(t.Context(), setBoth(1, ptr("token"))); err != nil {
			t.Fatal(err)
		}
		want := []string{"1", "0", "1"}[i]
		if got := textOf(get(t, c, at("a"))["n"]); got != want {
			t.Errorf("time %d: %s, want %s", i, got, want)
		}
	}
}
