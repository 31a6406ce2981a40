package simulator_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/availability-signal/terraform-provider-availability/runtime/check"
	"github.com/availability-signal/terraform-provider-availability/runtime/dynamo"
	"github.com/availability-signal/terraform-provider-availability/runtime/flip"
	"github.com/availability-signal/terraform-provider-availability/runtime/internal/simulator"
	"github.com/availability-signal/terraform-provider-availability/runtime/signal"
	"github.com/availability-signal/terraform-provider-availability/runtime/source"
)

// The runtime's own code, as it is, seeds, books, flips and checks on the
// simulator in bad weather, and everything comes out right in the end.
func TestWorld_runsTheRuntime(t *testing.T) {
	weather := simulator.Config{
		IndexLag: simulator.Mostly(simulator.Between(0, time.Second), 0.1, simulator.Between(0, time.Minute)),
		Limits:   simulator.PartitionLimits(),
		// A transaction's items take their time, so that runs meet them half-way.
		VisibilityDelay: simulator.Between(0, 3*time.Second),
		Faults: simulator.Rates{
			Throttling: 0.01, ServerError: 0.01, NeverSent: 0.01, LoseAnswer: 0.01, Again: 0.01, Conflicting: 0.01,
			Slow: 0.02, Slowest: 3 * time.Second, HoldAnswer: 0.2, Torn: 0.2, Leave: 0.02,
		}.Faults(),
	}
	inWorlds(t, 100, weather, system)
}

func system(w *simulator.World) {
	product := signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"}
	first := signal.Date{Year: 2026, Month: time.August, Day: 1}
	dates := []signal.ProductDate{}
	for i := range 3 {
		dates = append(dates, signal.ProductDate{Product: product, Date: first.AddDays(i)})
	}
	seeder := w.Client("terraform")
	must(w, func() error {
		return dynamo.NewRegistry(dynamo.NewStore(seeder, table)).Create(seeder.Context(), registered())
	})
	for _, d := range dates {
		for pool := range 2 {
			must(w, func() error {
				// Only once: a request that is delivered again is no booking's undoing.
				_, err := seeder.PutItem(seeder.Context(), &dynamodb.PutItemInput{
					TableName: ptr(table), ConditionExpression: ptr("attribute_not_exists(pk)"),
					Item: attributes{"pk": text(d.PoolPK()), "sk": text(fmt.Sprint(pool)), "capacity": number(10), "availability": number(10)},
				})
				if _, there := errors.AsType[*types.ConditionalCheckFailedException](err); there {
					return nil
				}
				return err
			})
		}
		must(w, func() error {
			s := dynamo.NewSeeder(seeder, table, time.Now, seeder.Reader())
			_, err := s.Create(seeder.Context(), d, dynamo.Terms{Bucket: bucket, Pattern: signal.Pattern{Mode: signal.Exact}, Expiry: time.Now().AddDate(0, 2, 0)}, dynamo.Start{Dirty: true})
			if errors.Is(err, dynamo.ErrExists) {
				return nil
			}
			return err
		})
	}
	for i := range 2 {
		w.Go("booking", func(c *simulator.Client) {
			flips := flip.New(c, table, flip.WithClock(c.Now), flip.WithJitter(c.Jitter))
			for j := range 3 {
				d := dates[(i+j)%3]
				must(w, func() error { return book(c, d, fmt.Sprint(i), fmt.Sprint(i, "-", j)) })
				must(w, func() error { return flips.Flip(c.Context(), d.Key()) })
				time.Sleep(time.Duration(i+1) * 7 * time.Second)
			}
		})
	}
	for range 2 {
		w.Go("lambda", func(c *simulator.Client) {
			store := dynamo.NewStore(c, table)
			runner := check.Runner{
				Store: store, Registry: dynamo.NewRegistry(store), Source: source.NewPool(store), Index: simulator.CadenceIndex,
				Now: c.Now, NewID: c.NewID, Random: c.Jitter, Log: slog.New(slog.DiscardHandler),
			}
			for n := range 16 {
				ctx, cancel := c.WithTimeout(4 * time.Minute)
				_, _ = runner.Run(ctx, bucket)
				cancel()
				// At first amidst the bookings, then after all that was put off.
				wait := 3 * time.Second
				if n >= 10 {
					wait = 5 * time.Minute
				}
				time.Sleep(wait)
			}
		})
	}
	w.Wait()
	reader := dynamo.NewStore(w.DB().Client("reader"), table)
	for _, d := range dates {
		var item signal.Item
		must(w, func() (err error) {
			item, err = reader.Get(w.Context(), d.Key())
			return err
		})
		var want signal.Estimate
		must(w, func() (err error) {
			want, err = source.NewPool(reader).Estimate(w.Context(), d)
			return err
		})
		if item.Text(signal.AttrGSISK) != signal.Clean || item.Text(signal.AttrValue) != fmt.Sprint(want.Available) {
			w.Errorf("%s: %v, and %+v are left", d, item, want)
		}
	}
}

// A range is seeded and deleted by the seeder's statements.
func TestDB_seedsRanges(t *testing.T) {
	db, c := newDB(simulator.Config{})
	if err := dynamo.NewRegistry(dynamo.NewStore(c, table)).Create(t.Context(), registered()); err != nil {
		t.Fatal(err)
	}
	db.ResetUsage()
	s := dynamo.NewSeeder(c, table, c.Now, c.Reader())
	r := dynamo.Range{
		Product: signal.Product{CollectionID: "mockPark1", ActivityType: "backcountryCamp", ActivityID: "1", ProductID: "1"},
		Span:    dynamo.Span{First: signal.Date{Year: 2026, Month: time.August, Day: 1}, Last: signal.Date{Year: 2026, Month: time.September, Day: 9}},
		Bucket:  bucket, Pattern: signal.Pattern{Mode: signal.Exact}, Zone: time.UTC, Start: dynamo.Start{Dirty: true},
	}
	state, why, err := s.CreateRange(t.Context(), r)
	if err != nil || why != nil || len(state.Missing) > 0 {
		t.Fatalf("%+v, %v, %v", state, why, err)
	}
	if got := db.Units(simulator.Scope{}).Write; got != 40 {
		t.Errorf("40 dates cost %v write units", got)
	}
	if n := len(list(t, c, signal.BucketID(bucket), signal.Dirty)); n != 40 {
		t.Errorf("%d are dirty", n)
	}
	if err := s.DeleteRange(t.Context(), r.Product, state.ID); err != nil {
		t.Fatal(err)
	}
	if n := len(list(t, c, signal.BucketID(bucket), signal.Dirty)); n != 0 {
		t.Errorf("%d are left", n)
	}
}

func registered() signal.Bucket {
	return signal.Bucket{
		Name: bucket, Format: signal.BucketFormat, Cadence: signal.Cadence{Minutes: 5}, Shards: 1, Enabled: true,
		Checks: signal.DefaultChecks(), GlobalID: "bucket",
	}
}

// must tries until it works, for a minute.
func must(w *simulator.World, do func() error) {
	w.Helper()
	for range 60 {
		err := do()
		if err == nil {
			return
		}
		if errors.Is(err, simulator.ErrCrashed) {
			return
		}
		time.Sleep(time.Second)
	}
	w.Error("it never works")
}

// book takes one of a pool, in a transaction.
func book(c *simulator.Client, d signal.ProductDate, pool, token string) error {
	_, err := c.TransactWriteItems(c.Context(), &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: &token,
		TransactItems: []types.TransactWriteItem{
			{Update: &types.Update{
				TableName: ptr(table), Key: attributes{"pk": text(d.PoolPK()), "sk": text(pool)},
				UpdateExpression: ptr("ADD availability :minus"), ConditionExpression: ptr("availability > :zero"),
				ExpressionAttributeValues: attributes{":minus": number(-1), ":zero": number(0)},
			}},
			{Put: &types.Put{TableName: ptr(table), Item: attributes{"pk": text("booking::" + token), "sk": text("booking")}}},
		},
	})
	return err
}
