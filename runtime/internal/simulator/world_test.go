package simulator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/protocol"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
)

// busy is a world of production code with goroutines and timers of its own: it
// flips, claims and seeds at once, in bad weather. It returns all that happened.
func busy(t *testing.T, seed uint64) []string {
	t.Helper()
	var trace []string
	config := simulator.Config{
		Seed: seed, IndexLag: simulator.Between(0, time.Minute), ReadLag: simulator.Between(0, time.Second),
		Faults: simulator.Rates{
			Throttling: 0.02, ServerError: 0.02, NeverSent: 0.02, LoseAnswer: 0.02, Late: 0.02, Again: 0.02, Conflicting: 0.02,
			Slow: 0.05, HoldAnswer: 0.2, Torn: 0.2, Leave: 0.05, CrashBefore: 0.002, CrashAfter: 0.002,
		}.Faults(),
		OnCall: func(o simulator.Outcome) {
			trace = append(trace, fmt.Sprint(o.At.Format(time.StampMicro), " ", o.Client, o.Process, " ", o.Operation, " ", o.Index, o.Partition, o.Sort, " ", o.Attempt, " ", o.Err))
		},
	}
	simulator.Run(t, simulator.WorldConfig{Config: config}, func(w *simulator.World) {
		w.DB().CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
		setup := dynamo.NewStore(w.Client("setup"), table)
		for i := range 4 {
			for {
				if _, err := setup.Write(w.Context(), protocol.Seed(seeding(i), time.Now())); err == nil || errors.Is(err, dynamo.ErrRefused) || errors.Is(err, simulator.ErrCrashed) {
					break
				}
			}
		}
		for i := range 2 {
			w.Go("flipper", func(c *simulator.Client) {
				client := flip.New(c, table, flip.WithClock(c.Now), flip.WithJitter(c.Jitter))
				var callers sync.WaitGroup
				for j := range 8 {
					callers.Go(func() {
						time.Sleep(time.Duration(j/2) * time.Second)
						_ = client.Flip(c.Context(), seeding((i+j)%4).Key())
					})
				}
				callers.Wait()
			}, simulator.WithSkew(time.Duration(i)*time.Minute))
		}
		w.Go("runner", func(c *simulator.Client) {
			store := dynamo.NewStore(c, table)
			for range 3 {
				q := dynamo.Query{Index: simulator.CadenceIndex, Hash: signal.AttrGSIPK, Partition: signal.BucketID(bucket), Range: signal.AttrGSISK, Equals: signal.Dirty}
				for item, err := range store.Query(c.Context(), q) {
					if err == nil {
						k := signal.Key{PK: item.Text(signal.AttrPK), SK: item.Text(signal.AttrSK)}
						_, _ = store.WriteOnce(c.Context(), protocol.Claim(k, c.NewID(), c.Now(), time.Minute))
					}
				}
				time.Sleep(30 * time.Second)
			}
		})
		w.Wait()
		w.DB().Settle()
	})
	return trace
}

func TestWorld_seedReproduces(t *testing.T) {
	different := map[string]bool{}
	for seed := range uint64(40) {
		first := busy(t, seed)
		for range 3 {
			if diff := cmp.Diff(first, busy(t, seed)); diff != "" {
				t.Fatalf("seed %d: %s", seed, diff)
			}
		}
		different[strings.Join(first, "\n")] = true
	}
	if len(different) < 40 {
		t.Errorf("40 seeds made %d histories", len(different))
	}
}

// Every order of two processes' calls comes up.
func TestWorld_interleavings(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(300) {
		var order strings.Builder
		config := simulator.Config{Seed: seed, OnCall: func(o simulator.Outcome) { order.WriteString(o.Client) }}
		simulator.Run(t, simulator.WorldConfig{Config: config}, func(w *simulator.World) {
			w.DB().CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
			for _, name := range []string{"a", "b"} {
				w.Go(name, func(c *simulator.Client) {
					for range 3 {
						get(w, c, at("x"))
					}
				})
			}
		})
		seen[order.String()]++
	}
	// Of six calls, which three are a's: 20 ways.
	if len(seen) != 20 {
		t.Errorf("%d orders: %v", len(seen), seen)
	}
}

// Time stands while anything can go on, and then jumps.
func TestWorld_time(t *testing.T) {
	simulator.Run(t, simulator.WorldConfig{Start: time.Date(2027, time.March, 1, 0, 0, 0, 0, time.UTC)}, func(w *simulator.World) {
		w.DB().CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
		began := time.Now()
		if !began.Equal(time.Date(2027, time.March, 1, 0, 0, 0, 0, time.UTC)) {
			w.Errorf("began at %v", began)
		}
		for i := range 3 {
			w.Go("worker", func(c *simulator.Client) {
				for range 10 {
					get(w, c, at("x"))
				}
				if !time.Now().Equal(began) {
					w.Errorf("calls took until %v", time.Now())
				}
				time.Sleep(time.Duration(i+1) * time.Hour)
				get(w, c, at("x"))
			})
		}
		w.Wait()
		if got := time.Since(began); got != 3*time.Hour {
			w.Errorf("took %v", got)
		}
		if w.Calls() != 33 {
			w.Errorf("%d calls", w.Calls())
		}
	})
}

func TestWorld_skewedClock(t *testing.T) {
	simulator.Run(t, simulator.WorldConfig{}, func(w *simulator.World) {
		c := w.Client("fast", simulator.WithSkew(5*time.Minute))
		if got := time.Until(c.Now()); got != 5*time.Minute {
			w.Errorf("ahead by %v", got)
		}
		ctx, cancel := c.WithTimeout(time.Minute)
		defer cancel()
		deadline, ok := ctx.Deadline()
		if got := deadline.Sub(c.Now()); !ok || got != time.Minute {
			w.Errorf("by its own clock the deadline is in %v", got)
		}
		<-ctx.Done()
		if got := deadline.Sub(c.Now()); got != 0 {
			w.Errorf("ended %v early", got)
		}
	})
}

// A crashed process does nothing more, whatever its goroutines try.
func TestWorld_crash(t *testing.T) {
	inWorlds(t, 50, simulator.Config{}, func(w *simulator.World) {
		c := w.Go("worker", func(c *simulator.Client) {
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() {
					for c.Context().Err() == nil {
						err := add(context.Background(), c)
						if c.Crashed() != (err != nil) && !errors.Is(err, simulator.ErrCrashed) {
							w.Errorf("crashed %v: %v", c.Crashed(), err)
						}
						time.Sleep(time.Second)
					}
				})
			}
			group.Wait()
		})
		time.Sleep(10*time.Second - 1)
		c.Crash()
		before := textOf(get(w, w.Client("reader"), at("a"))["n"])
		w.Wait()
		time.Sleep(time.Minute)
		if after := textOf(get(w, w.Client("reader"), at("a"))["n"]); before != after || before != "30" {
			w.Errorf("%s when it crashed, %s later", before, after)
		}
	})
}

// An answer that is held lets another goroutine of the same process see what it
// could not see if execution and answer were one.
func TestWorld_heldAnswer(t *testing.T) {
	between := false
	inWorlds(t, 100, simulator.Config{Faults: nth("UpdateItem", 1, simulator.Fault{HoldAnswer: true})}, func(w *simulator.World) {
		answered := false
		w.Go("writer", func(c *simulator.Client) {
			if err := add(c.Context(), c); err != nil {
				w.Error(err)
			}
			answered = true
		})
		w.Go("reader", func(c *simulator.Client) {
			if got := textOf(get(w, c, at("a"))["n"]); got == "1" && !answered {
				between = true
			}
		})
	})
	if !between {
		t.Error("nobody read between the execution and the answer")
	}
}

// A page that is read in halves may show one of two changes that were made in
// order, and not the first.
func TestWorld_tornPage(t *testing.T) {
	torn, whole := 0, 0
	inWorlds(t, 300, simulator.Config{Faults: nth("Query", 1, simulator.Fault{Torn: true})}, func(w *simulator.World) {
		setup := w.Client("setup")
		for i := range 4 {
			put(w, setup, with(at(fmt.Sprint(i)), "n", 0))
		}
		w.Go("writer", func(c *simulator.Client) {
			put(w, c, with(at("0"), "n", 1))
			put(w, c, with(at("3"), "n", 1))
		})
		w.Go("reader", func(c *simulator.Client) {
			out, err := c.Query(c.Context(), &dynamodb.QueryInput{TableName: ptr(table), KeyConditionExpression: ptr("pk = :p"), ExpressionAttributeValues: attributes{":p": text("p")}})
			if err != nil || out.Count != 4 || len(out.LastEvaluatedKey) > 0 {
				w.Errorf("%+v, %v", out, err)
				return
			}
			if textOf(out.Items[0]["n"]) == "0" && textOf(out.Items[3]["n"]) == "1" {
				torn++
			} else {
				whole++
			}
		})
	})
	if torn == 0 || whole == 0 {
		t.Errorf("%d pages were torn, %d were not", torn, whole)
	}
}

func TestClient_idsAndRandomness(t *testing.T) {
	db, c := newDB(simulator.Config{Seed: 7})
	other := db.Client("test")
	ids := map[string]bool{}
	for range 100 {
		ids[c.NewID()], ids[other.NewID()] = true, true
	}
	if len(ids) != 200 {
		t.Errorf("%d ids of 200", len(ids))
	}
	read := func(c *simulator.Client) []byte {
		b := make([]byte, 16)
		if _, err := c.Reader().Read(b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	_, same := newDB(simulator.Config{Seed: 7})
	if a := read(c); !slices.Equal(a, read(same)) || slices.Equal(a, read(other)) || slices.Equal(a, read(c)) {
		t.Error("random bytes do not follow from the seed and the client")
	}
	if j := c.Jitter(); j != c.Jitter() || j != same.Jitter() || j == other.Jitter() || j < 0 || j >= 1 {
		t.Error("jitter does not follow from the seed, the client and the time")
	}
}

// Worlds may run side by side and share what is parsed.
func TestWorld_sideBySide(t *testing.T) {
	expressions := simulator.NewExpressions()
	for shard := range uint64(4) {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			for n := range uint64(10) {
				simulator.Run(t, simulator.WorldConfig{Config: simulator.Config{Seed: 4*n + shard, Expressions: expressions}}, func(w *simulator.World) {
					w.DB().CreateTable(simulator.SignalTable(table, types.ProjectionTypeInclude))
					for range 3 {
						w.Go("adder", func(c *simulator.Client) {
							if err := add(c.Context(), c); err != nil {
								w.Error(err)
							}
						})
					}
					w.Wait()
					if got := textOf(get(w, w.Client("reader"), at("a"))["n"]); got != "3" {
						w.Errorf("added %s", got)
					}
				})
			}
		})
	}
}
